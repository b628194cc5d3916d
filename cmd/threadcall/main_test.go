package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
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

// invocation returns the command in a directory, with more in its environment.
func invocation(dir string, env []string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), asCommand+"=1", "COLUMNS=80"), env...)
	return cmd
}

// An outcome is what a command has left.
type outcome struct {
	args           []string
	stdout, stderr string
	status         int
}

// threadcall runs the command with pipes for its output.
func threadcall(t *testing.T, args ...string) outcome {
	t.Helper()
	return output(t, invocation("", nil, args...))
}

func output(t *testing.T, cmd *exec.Cmd) outcome {
	t.Helper()
	var out, err bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &out
	}
	cmd.Stderr = &err
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return outcome{cmd.Args[1:], out.String(), err.String(), cmd.ProcessState.ExitCode()}
}

// want fails the test if the status is another one, or a text is not in the output, in which all
// white space is one blank.
func (o outcome) want(t *testing.T, status int, texts ...string) outcome {
	t.Helper()
	all := strings.Join(strings.Fields(o.stdout+" "+o.stderr), " ")
	missing := slices.DeleteFunc(texts, func(text string) bool { return strings.Contains(all, text) })
	if o.status != status || len(missing) > 0 {
		t.Errorf("%q: status %d, no %q in\n%s\n%s", o.args, o.status, missing, o.stdout, o.stderr)
	}
	return o
}

// plain fails the test if the output has codes of a terminal, or more than eighty columns.
func (o outcome) plain(t *testing.T) {
	t.Helper()
	if strings.ContainsAny(o.stdout+o.stderr, "\x1b\r") {
		t.Errorf("has codes of a terminal: %q", o.stdout+o.stderr)
	}
	for line := range strings.Lines(o.stdout + o.stderr) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// A running is a command that was started.
type running struct {
	cmd    *exec.Cmd
	stdout *bytes.Buffer
	lines  <-chan string // of its standard error; the channel ends with the process
	seen   string        // of lines
}

// start starts the command.
func start(t *testing.T, cmd *exec.Cmd) *running {
	t.Helper()
	r := &running{cmd: cmd, stdout: &bytes.Buffer{}}
	if cmd.Stdout == nil {
		cmd.Stdout = r.stdout
	}
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(pipe); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	r.lines = lines
	return r
}

// until waits for a line that has the text.
func (r *running) until(t *testing.T, text string) {
	t.Helper()
	for line := range r.lines {
		if r.seen += line + "\n"; strings.Contains(line, text) {
			return
		}
	}
	t.Fatalf("no %q in %q", text, r.seen)
}

func (r *running) interrupt(t *testing.T) {
	t.Helper()
	if err := r.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
}

// end waits for the end of the command.
func (r *running) end(t *testing.T) outcome {
	t.Helper()
	for line := range r.lines {
		r.seen += line + "\n"
	}
	if err := r.cmd.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return outcome{r.cmd.Args[1:], r.stdout.String(), r.seen, r.cmd.ProcessState.ExitCode()}
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

// writeFiles writes files with these texts, whose names have slashes.
func writeFiles(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text),
			0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// A refusal is a command that fails, and why.
type refusal struct {
	args      string
	status    int
	complaint string
}

var update = flag.Bool("update", false, "write what commands print into the files of testdata")

// The files of testdata/refusals have commands that are refused, and what they print.
func TestRun_refusals(t *testing.T) {
	files, err := filepath.Glob("testdata/refusals/*.txt")
	if err != nil || len(files) < len(commands) {
		t.Fatal(files, err)
	}
	for _, file := range files {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for line := range strings.Lines(string(want)) {
			if args, ok := strings.CutPrefix(line, "$ threadcall "); ok {
				o := output(t, invocation(t.TempDir(), nil, strings.Fields(args)...))
				fmt.Fprintf(&got, "%s%s%sstatus %d\n\n", line, o.stdout, o.stderr, o.status)
			}
		}
		if *update {
			err = os.WriteFile(file, []byte(got.String()), 0o644)
		} else if got.String() != string(want) {
			t.Errorf("%s, which -update writes:\n%s\nwant\n%s", file, got.String(), want)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

func TestRun_help(t *testing.T) {
	for args, want := range map[string]string{"": "trace", "help": "trace", "--help": "trace",
		"-h": "trace", "help demo": "-duration", "bench -h": "-fail-on", "allocs -help": "-budget"} {
		if o := threadcall(t, strings.Fields(args)...).want(t, statusOK, "Usage:", want); o.stderr != "" {
			t.Errorf("%q: stderr %q", args, o.stderr)
		}
	}
}

func TestRun_version(t *testing.T) {
	threadcall(t, "version").want(t, statusOK, runtime.Version()+" "+runtime.GOOS+"/"+runtime.GOARCH)
}

var quick = []string{"demo", "-duration", "2ms"}

func TestDemo(t *testing.T) {
	o := threadcall(t, quick...).want(t, statusOK, "naive", "pooled", "struct", "threadcall", "bound",
		"facts are as expected")
	o.plain(t)
	if o.stderr != "" || strings.Contains(o.stdout, "WRONG") {
		t.Error(o)
	}
}

func TestRun_fullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	cmd := invocation("", nil, quick...)
	cmd.Stdout = full
	output(t, cmd).want(t, statusWrong, "no space left")
}
