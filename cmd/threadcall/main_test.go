package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/demo"
)

// The test binary is the command if this is set.
const asCommand = "THREADCALL_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

var quick = []string{"demo", "--rounds", "2", "--duration", "2ms"}

// threadcall runs the command with pipes for its output.
func threadcall(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return output(t, cmd)
}

func output(t *testing.T, cmd *exec.Cmd) (stdout, stderr string, status int) {
	t.Helper()
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return out.String(), err.String(), cmd.ProcessState.ExitCode()
}

func TestDemoInAPipeIsPlainText(t *testing.T) {
	stdout, stderr, status := threadcall(t, quick...)
	if status != statusOK || stderr != "" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	if strings.ContainsAny(stdout, "\x1b\r") {
		t.Errorf("has codes of a terminal: %q", stdout)
	}
	for _, want := range []string{"naive", "pooled", "struct", "threadcall", "floor", "facts are as expected"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("has no %q:\n%s", want, stdout)
		}
	}
	if strings.Contains(stdout, "WRONG") {
		t.Error(stdout)
	}
}

func TestDemoFitsIntoEightyColumns(t *testing.T) {
	stdout, _, _ := threadcall(t, quick...)
	for line := range strings.Lines(stdout) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestJSONIsOneDocumentWithEverything(t *testing.T) {
	stdout, stderr, status := threadcall(t, append(quick, "--json")...)
	if status != statusOK || stderr != "" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	r := parse(t, stdout)
	if !r.OK {
		t.Error("not ok")
	}
	if len(r.Facts) != 9 {
		t.Errorf("%d facts", len(r.Facts))
	}
	for _, f := range r.Facts {
		if !f.OK || f.Expected != f.Seen || f.Claim == "" || f.Seen == "" {
			t.Errorf("fact %+v", f)
		}
		for _, c := range f.Calls {
			if !c.OK || c.Ran != r.MainThread || c.From == r.MainThread {
				t.Errorf("call %+v, main thread %s", c, r.MainThread)
			}
		}
	}
	var rows []string
	for _, row := range r.Rows {
		rows = append(rows, fmt.Sprintf("%s by %s", row.Name, row.Served))
		if row.Missing != "" {
			continue
		}
		if len(row.Samples) != 2 {
			t.Errorf("%s by %s: %d samples", row.Name, row.Served, len(row.Samples))
		}
		for _, s := range row.Samples {
			if s.Calls < 1 || s.Time <= 0 || s.Time < row.Time.Min || s.Time > row.Time.Max {
				t.Errorf("%s by %s: sample %+v, times %+v", row.Name, row.Served, s, row.Time)
			}
		}
	}
	if want := []string{
		"direct by an unlocked goroutine", "direct by the main thread",
		"naive by an unlocked goroutine", "naive by the main thread",
		"pooled by an unlocked goroutine", "pooled by the main thread",
		"struct by an unlocked goroutine", "struct by the main thread",
		"threadcall by an unlocked goroutine", "threadcall by the main thread",
		"floor by two threads",
	}; !slices.Equal(rows, want) {
		t.Errorf("rows %q", rows)
	}
	if v := r.Verdict; v == nil || v.Times.Median <= 0 || v.Masked.Median <= 0 || v.Best == "" {
		t.Errorf("verdict %+v", v)
	}
}

func TestMemoryIsThatOfTheDesigns(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector drops what is put in a sync.Pool")
	}
	stdout, _, _ := threadcall(t, "demo", "--rounds", "3", "--duration", "2ms", "--json")
	r := parse(t, stdout)
	want := map[string]float64{"direct": 0, "naive": 2, "pooled": 1, "struct": 0, "threadcall": 0}
	for _, row := range r.Rows {
		if row.Allocs == nil {
			continue
		}
		if got := row.Allocs.Median; math.Abs(got-want[row.Name]) > 0.1 {
			t.Errorf("%s by %s: %v allocations a call, want %v", row.Name, row.Served, got, want[row.Name])
		}
		if got := row.Bytes.Median; (got > 8) != (want[row.Name] > 0) {
			t.Errorf("%s by %s: %v bytes a call", row.Name, row.Served, got)
		}
	}
}

func parse(t *testing.T, doc string) demo.Report { return decoded[demo.Report](t, doc) }

// decoded returns what doc says, which is one JSON document and nothing else.
func decoded[T any](t *testing.T, doc string) (v T) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(doc))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, doc)
	}
	if _, err := dec.Token(); err != io.EOF {
		t.Errorf("something follows the document: %v", err)
	}
	return v
}

func TestNonsenseIsRefused(t *testing.T) {
	for _, c := range []struct{ args, complaint string }{
		{"demo --rounds 0", "rounds must be from 1 to 1000, not 0"},
		{"demo --rounds -3", "not -3"},
		{"demo --rounds many", `"many"`},
		{"demo --duration 0s", "must be from 1ms to 1m0s, not 0s"},
		{"demo --duration -1s", "not -1s"},
		{"demo --duration 5", `"5"`},
		{"demo --frob", "unknown flag: --frob"},
		{"demo again", `demo takes flags only, not "again"`},
		{"frob", `unknown command "frob"`},
		{"--frob", "unknown flag: --frob"},
	} {
		stdout, stderr, status := threadcall(t, strings.Fields(c.args)...)
		if status != statusUsage || stdout != "" ||
			!strings.Contains(stderr, c.complaint) || !strings.Contains(stderr, "--help") {
			t.Errorf("%s: status %d, stdout %q, stderr %q", c.args, status, stdout, stderr)
		}
	}
}

func TestHelpIsNoError(t *testing.T) {
	for _, args := range []string{"", "help", "--help", "demo --help", "help demo"} {
		stdout, stderr, status := threadcall(t, strings.Fields(args)...)
		if status != statusOK || stderr != "" || !strings.Contains(stdout, "Usage:") {
			t.Errorf("%q: status %d, stdout %q, stderr %q", args, status, stdout, stderr)
		}
	}
}

func TestFlagsMayHaveOneDash(t *testing.T) {
	stdout, stderr, status := threadcall(t, "demo", "-json", "-rounds=1", "-duration", "2ms")
	if status != statusOK {
		t.Fatalf("status %d, stderr %q", status, stderr)
	}
	if r := parse(t, stdout); r.Settings.Rounds != 1 {
		t.Errorf("settings %+v", r.Settings)
	}
}

func TestAWrongFactIsAStatus(t *testing.T) {
	r := demo.NewReport(demo.Settings{})
	r.Add(demo.Fact{OK: true})
	if status := statusOf(verdict(r, nil)); status != statusOK {
		t.Errorf("all right: status %d", status)
	}
	r.Add(demo.Fact{OK: false})
	r.Add(demo.Fact{OK: true})
	if status := statusOf(verdict(r, nil)); status != statusWrong {
		t.Errorf("one wrong: status %d", status)
	}
}

func TestOutputThatCannotBeWrittenIsAStatus(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, args := range [][]string{quick, append(quick, "--json")} {
		cmd := exec.Command(os.Args[0], args...)
		cmd.Env = append(os.Environ(), asCommand+"=1")
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &stderr
		if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != statusWrong || stderr.Len() == 0 {
			t.Errorf("%q: %v, stderr %q", args, err, stderr.String())
		}
	}
}

func TestBuildsWithoutCgo(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	binary := filepath.Join(t.TempDir(), "threadcall.exe")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	stdout, stderr, status := output(t, exec.Command(binary, append(quick, "--json")...))
	if status != statusOK || stderr != "" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	if r := parse(t, stdout); r.System.CGO != "0" || !r.OK {
		t.Errorf("%+v", r.System)
	}
}
