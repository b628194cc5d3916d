package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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
	for _, want := range []string{"naive", "pooled", "struct", "threadcall", "bound", "facts are as expected"} {
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
	stdout, stderr, status := threadcall(t, "demo", "-rounds=1", "-duration", "2ms")
	if status != statusOK || !strings.Contains(stdout, "medians of rounds (1)") {
		t.Errorf("status %d, stderr %q, stdout %q", status, stderr, stdout)
	}
}

func TestOutputThatCannotBeWrittenIsAStatus(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	cmd := exec.Command(os.Args[0], quick...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = full, &stderr
	if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != statusWrong || stderr.Len() == 0 {
		t.Errorf("%v, stderr %q", err, stderr.String())
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
	stdout, stderr, status := output(t, exec.Command(binary, quick...))
	if status != statusOK || stderr != "" || !strings.Contains(stdout, "CGO_ENABLED=0") {
		t.Errorf("status %d, stderr %q, stdout %q", status, stderr, stdout)
	}
}
