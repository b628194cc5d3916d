package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/trace"
	"strings"
	"sync"
	"testing"

	"github.com/threadcall/threadcall/thread"

	tracereport "github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// recorded returns a file with a trace in which a thread is called a hundred times.
func recorded(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "some.trace")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := trace.Start(f); err != nil {
		t.Skip("this process records a trace already: ", err)
	}
	th := thread.New()
	var callers sync.WaitGroup
	for range 2 {
		callers.Go(func() {
			for range 50 {
				th.Call(func() {})
			}
		})
	}
	callers.Wait()
	th.Terminate()
	trace.Stop()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestTraceTellsWhatIsInAFile(t *testing.T) {
	stdout, stderr, status := threadcall(t, "trace", recorded(t))
	if status != statusOK || stderr != "" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	for _, want := range []string{"some.trace", "Heap and collector", "stop-the-world", "Goroutines and threads",
		"From thread to thread", "Locked threads", "Calls to threads", "threadcall.recorded.func1", "trace_test.go:"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("has no %q:\n%s", want, stdout)
		}
	}
	if strings.ContainsAny(stdout, "\x1b\r") {
		t.Errorf("has codes of a terminal: %q", stdout)
	}
	for line := range strings.Lines(stdout) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestTraceAsJSON(t *testing.T) {
	file := recorded(t)
	stdout, stderr, status := threadcall(t, "trace", "-json", file)
	if status != statusOK || stderr != "" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	r := decoded[tracereport.Report](t, stdout)
	if r.Trace.Name != file || r.Calls.Total != 100 || len(r.Calls.Places) != 1 || len(r.Calls.Worst) != 10 {
		t.Errorf("%s has %+v", r.Trace.Name, r.Calls)
	}
}

func TestTraceFromTheStandardInput(t *testing.T) {
	f, err := os.Open(recorded(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cmd := exec.Command(os.Args[0], "trace", "-json", "-")
	cmd.Env = append(os.Environ(), asCommand+"=1")
	cmd.Stdin = f
	stdout, stderr, status := output(t, cmd)
	if r := decoded[tracereport.Report](t, stdout); status != statusOK || stderr != "" || r.Calls.Total != 100 {
		t.Errorf("status %d, stderr %q, %d calls", status, stderr, r.Calls.Total)
	}
}

func TestTraceAsAPage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.html")
	_, stderr, status := threadcall(t, "trace", "-html", file, recorded(t))
	if status != statusOK || !strings.Contains(stderr, file) {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	page, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(page), "threadcall.recorded.func1") {
		t.Errorf("%v, %d bytes that do not name the place that calls", err, len(page))
	}

	nowhere := filepath.Join(t.TempDir(), "no", "such", "directory.html")
	if _, stderr, status = threadcall(t, "trace", "-html", nowhere, recorded(t)); status != statusWrong ||
		!strings.Contains(stderr, nowhere) {
		t.Errorf("into a directory that does not exist: status %d, stderr %q", status, stderr)
	}
}

// inModule is output of the command in a new module with two packages that have tests.
func inModule(t *testing.T, args ...string) (stdout, stderr string, status int, dir string) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command: ", err)
	}
	dir = t.TempDir()
	for file, text := range map[string]string{
		"go.mod":         "module example.com/m\n\ngo 1.26\n",
		"a/a_test.go":    "package a\n\nimport (\n\"flag\"\n\"testing\"\n)\n\nfunc TestA(t *testing.T) { println(flag.Lookup(\"test.timeout\").Value.String()) }\n",
		"b/b_test.go":    "package b\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) { t.Error(\"b is wrong\") }\n",
		"c/c.go":         "package c\n",
		"d/d_test.go":    "package d\n\nfunc TestD(\n",
		"plain/plain.go": "package main\n\nfunc main() {}\n",
	} {
		file = filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(os.Args[0], append([]string{"trace"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asCommand+"=1", "GOWORK=off", "GOFLAGS=")
	stdout, stderr, status = output(t, cmd)
	return stdout, stderr, status, dir
}

func TestTraceOfTests(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles packages")
	}
	stdout, stderr, status, dir := inModule(t, "-json", "-o", "kept.trace", "./a")
	if r := decoded[tracereport.Report](t, stdout); status != statusOK || !strings.Contains(r.Trace.Name, "example.com/m/a") ||
		r.Trace.Events == 0 {
		t.Errorf("status %d, stderr %q, trace %+v", status, stderr, r.Trace)
	}
	if stdout, stderr, status := threadcall(t, "trace", "-json", filepath.Join(dir, "kept.trace")); status != statusOK ||
		decoded[tracereport.Report](t, stdout).Trace.Events == 0 {
		t.Errorf("the kept trace: status %d, stderr %q", status, stderr)
	}

	stdout, stderr, status, _ = inModule(t, "-json", "./a", "./b")
	var both []tracereport.Report
	if err := json.Unmarshal([]byte(stdout), &both); err != nil || len(both) != 2 || len(both[0].Warnings) != 0 ||
		len(both[1].Warnings) != 1 {
		t.Errorf("%v: %d reports in %s", err, len(both), stdout)
	}
	if status != statusWrong || !strings.Contains(stderr, "the tests of example.com/m/b have failed") ||
		!strings.Contains(stderr, "b is wrong") {
		t.Errorf("failing tests: status %d, stderr %q", status, stderr)
	}

	for flag, want := range map[string]string{"-v": "10m0s", "-timeout=0": "0s", "-timeout=1m": "1m0s"} {
		if _, stderr, status, _ := inModule(t, flag, "./a"); status != statusOK || !strings.Contains(stderr, "\n"+want+"\n") {
			t.Errorf("%s: status %d, stderr %q; want the timeout %s", flag, status, stderr, want)
		}
	}

	for _, c := range []struct{ args, want string }{
		{"./c", "no tests in ./c"},
		{"./d", "do not compile"},
		{"./nowhere", "nowhere"},
		{"-- go run ./plain", "recorder"},
	} {
		if stdout, stderr, status, _ := inModule(t, strings.Fields(c.args)...); status != statusWrong || stdout != "" ||
			!strings.Contains(stderr, c.want) {
			t.Errorf("%s: status %d, stdout %q, stderr %q", c.args, status, stdout, stderr)
		}
	}
}

func TestTraceTellsThatTheCommandFailedIfItsTraceCannotBeRead(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs a shell: ", err)
	}
	_, stderr, status := threadcall(t, "trace", "--", "sh", "-c", `echo no trace but a text >"$THREADCALL_TRACE"; exit 7`)
	for _, want := range []string{"exit status 7", "a text file"} {
		if status != statusWrong || !strings.Contains(stderr, want) {
			t.Errorf("status %d, no %q in stderr %q", status, want, stderr)
		}
	}
}

func TestTraceRefusesNonsense(t *testing.T) {
	file := recorded(t)
	for _, c := range []struct{ args, complaint string }{
		{"trace", "no trace is asked for; give a file, packages, or a command after --"},
		{"trace --", "the command after -- is missing"},
		{"trace x -- y", `"x" and a command exclude each other`},
		{"trace -o kept FILE", "-o is for traces that are recorded now"},
		{"trace -run X FILE", "flags of tests are for packages"},
		{"trace -v -- true", "flags of tests are for packages"},
		{"trace -count -1 .", "must not be negative"},
		{"trace FILE FILE", "only one can be read at a time"},
		{"trace --frob", "unknown flag: --frob"},
	} {
		args := strings.Fields(c.args)
		for i, arg := range args {
			if arg == "FILE" {
				args[i] = file
			}
		}
		stdout, stderr, status := threadcall(t, args...)
		if status != statusUsage || stdout != "" || !strings.Contains(stderr, c.complaint) ||
			!strings.Contains(stderr, "--help") {
			t.Errorf("%s: status %d, stdout %q, stderr %q", c.args, status, stdout, stderr)
		}
	}
}

func TestTraceOfAForeignFile(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"trace_test.go", "not a Go execution trace but a text file"},
		{os.Args[0], "a program; to run it, put -- before it"},
		{os.DevNull, "it is empty"},
		{"no/such/file.trace", "there is no file"},
	} {
		stdout, stderr, status := threadcall(t, "trace", c.file)
		if status != statusWrong || stdout != "" || !strings.Contains(stderr, c.want) || !strings.Contains(stderr, c.file) {
			t.Errorf("%s: status %d, stdout %q, stderr %q", c.file, status, stdout, stderr)
		}
	}
}
