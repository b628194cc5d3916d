package read

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// goroot returns the directory of the Go distribution, with its source.
func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("SKIPPED, NOTHING TESTED: needs the go command: ", err)
	}
	return strings.TrimSpace(string(out))
}

// These are the samples with which Go tests its own reader. Formats before Go 1.22 are files of the recorders of the time.
func TestTheSamplesOfOldFormatsAreReadToTheirEnd(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(goroot(t), "src/internal/trace/internal/tracev1/testdata/*_good"))
	if len(files) == 0 {
		t.Skip("SKIPPED, NOTHING TESTED: this Go distribution has no samples of old formats")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(file), func(t *testing.T) { read(t, data) })
	}
}

// converter is a program inside the Go distribution, whose packages it may import: it writes the traces of the .test files
// that are its arguments, in the order of the files, as JSON. Nothing is written into the distribution.
const converter = `package main

import (
	"encoding/json"
	"internal/trace/testtrace"
	"io"
	"os"
)

type sample struct {
	Data []byte
	Bad  bool
}

func main() {
	var samples []sample
	for _, file := range os.Args[1:] {
		r, _, expected, err := testtrace.ParseFile(file)
		if err != nil {
			panic(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			panic(err)
		}
		samples = append(samples, sample{data, expected.Check(nil) != nil})
	}
	json.NewEncoder(os.Stdout).Encode(samples)
}
`

func TestTheSamplesOfNewFormatsAreReadToTheirEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program")
	}
	root := goroot(t)
	files, _ := filepath.Glob(filepath.Join(root, "src/internal/trace/testdata/tests/*.test"))
	if len(files) == 0 {
		t.Skip("SKIPPED, NOTHING TESTED: this Go distribution has no samples")
	}
	source, overlay := filepath.Join(t.TempDir(), "main.go"), filepath.Join(t.TempDir(), "overlay.json")
	const in = "src/internal/trace/testdata/threadcallconverter"
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, in, "main.go"): source}})
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string][]byte{source: []byte(converter), overlay: replace} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", append([]string{"run", "-overlay", overlay, strings.TrimPrefix(in, "src/")}, files...)...)
	cmd.Env, cmd.Stderr = append(os.Environ(), "GOWORK=off", "GOFLAGS="), os.Stderr
	cmd.Dir = filepath.Join(root, "src")
	out, err := cmd.Output()
	if err != nil {
		t.Skip("SKIPPED, NOTHING TESTED: the samples cannot be converted with this Go distribution: ", err)
	}
	var samples []struct {
		Data []byte
		Bad  bool // Go's reader refuses it
	}
	if err := json.Unmarshal(out, &samples); err != nil || len(samples) != len(files) {
		t.Fatalf("%v, %d samples", err, len(samples))
	}
	for i, s := range samples {
		t.Run(filepath.Base(files[i]), func(t *testing.T) {
			if filepath.Base(files[i]) == "go122-gc-stress.test" { // has the third generation of a trace alone, and so is cut off
				if r, err := Trace(bytes.NewReader(s.Data), Options{}); err != nil || r.Trace.Events != 3832 || !r.Trace.Truncated {
					t.Errorf("%v, %+v", err, r)
				}
				return
			}
			if !s.Bad {
				read(t, s.Data)
			} else if r, err := Trace(bytes.NewReader(s.Data), Options{}); err == nil && !r.Trace.Truncated || err != nil && !errors.Is(err, ErrNoTrace) {
				t.Errorf("%v; Go's reader refuses it", err)
			}
		})
	}
}
