package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/trace"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/thread"

	tracereport "github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// recorded returns a file with a trace in which a thread is called a hundred times.
func recorded(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "some.trace")
	var b bytes.Buffer
	if err := trace.Start(&b); err != nil {
		t.Skip("this process records a trace already: ", err)
	}
	th := thread.New()
	for range 100 {
		th.Call(func() {})
	}
	th.Terminate()
	trace.Stop()
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestTrace_file(t *testing.T) {
	o := threadcall(t, "trace", recorded(t)).want(t, statusOK, "some.trace",
		"Heap and collector", "Goroutines and threads", "Calls to threads", "test.go:")
	o.plain(t)
}

func TestTrace_json(t *testing.T) {
	f, err := os.Open(recorded(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cmd := invocation("", nil, "trace", "-json", "-")
	cmd.Stdin = f
	o := output(t, cmd).want(t, statusOK)
	r := decoded[tracereport.Report](t, o.stdout)
	if r.Trace.Name != "standard input" || o.stderr != "" || r.Calls.Total != 100 ||
		len(r.Calls.Places) != 1 || r.Calls.Places[0].Longest.Length <= 0 {
		t.Errorf("%s has %+v", r.Trace.Name, r.Calls)
	}
}

// tracesIn returns a function that runs the command in a new module.
func tracesIn(t *testing.T) (dir string, run func(args ...string) outcome) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command: ", err)
	}
	dir = t.TempDir()
	test := func(name, body string) string {
		return "package " + name + `

import (
	"os"
	"testing"
)

var _ = os.Exit

func Test` + body
	}
	writeFiles(t, dir, map[string]string{
		"go.mod":         "module example.com/m\n\ngo 1.26\n",
		"a/a_test.go":    test("a", "A(*testing.T) {}"),
		"b/b_test.go":    test("b", `B(t *testing.T) { t.Error("b is wrong") }`),
		"c/c.go":         "package c\n",
		"d/d_test.go":    test("d", "D("),
		"e/e_test.go":    test("e", `Main(*testing.M) { os.Exit(0) }`),
		"plain/plain.go": "package main\n\nfunc main() {}\n",
	})
	return dir, func(args ...string) outcome {
		return output(t, invocation(dir, []string{"GOWORK=off", "GOFLAGS="},
			append([]string{"trace"}, args...)...))
	}
}

func TestTrace_packages(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles packages")
	}
	dir, run := tracesIn(t)
	o := run("-json", "-o", "kept.trace", "./a").want(t, statusOK)
	if r := decoded[tracereport.Report](t, o.stdout); r.Trace.Name != "go test ./a" ||
		r.Trace.Events == 0 {
		t.Errorf("trace %+v", r.Trace)
	}
	o = threadcall(t, "trace", "-json", filepath.Join(dir, "kept.trace")).want(t, statusOK)
	if decoded[tracereport.Report](t, o.stdout).Trace.Events == 0 {
		t.Error("the kept trace is empty")
	}
	o = run("-json", "./b").want(t, statusWrong, "go test ./b: exit status 1", "b is wrong")
	if r := decoded[tracereport.Report](t, o.stdout); len(r.Warnings) != 1 {
		t.Errorf("warnings %q", r.Warnings)
	}
	run("-run", "TestNothing", "./b").want(t, statusOK)
	for _, c := range []refusal{
		{"./c", statusWrong, "go test has left no trace of ./c"},
		{"./d", statusWrong, "[setup failed]"},
		{"./e", statusWrong, "TestMain must not end the process"},
		{"./nowhere", statusWrong, "nowhere"},
		{"./a ./b", statusWrong, "multiple packages"},
		{"-- go run ./plain", statusWrong, "defer recorder.Stop()"},
		{"-- no-such-command-here", statusWrong, "no-such-command-here"},
		{"-o no/such/x ./a", statusWrong, "the trace cannot be kept"},
	} {
		if o := run(strings.Fields(c.args)...).want(t, c.status, c.complaint); o.stdout != "" {
			t.Errorf("%s: stdout %q", c.args, o.stdout)
		}
	}
}

func TestTrace_usage(t *testing.T) {
	file := recorded(t)
	for _, c := range []refusal{
		{"", statusUsage, "no trace is asked for; give a file, a package, or a command after --"},
		{"--", statusUsage, "the command after -- is missing"},
		{"x -- y", statusUsage, "exclude each other"},
		{"-o kept FILE", statusUsage, "-o is for traces that are recorded now"},
		{"-run X FILE", statusUsage, "flags of tests are for a package"},
		{"FILE FILE", statusUsage, "only one can be read at a time"},
		{"trace_test.go", statusWrong, "trace_test.go: not a Go execution trace: it begins with"},
		{os.Args[0], statusWrong, "-- stands before a program that is to run"},
		{os.DevNull, statusWrong, "it is empty"},
		{"no/such/file", statusWrong, "no trace of no/such/file, which is not a file"},
		{"no-such-\x1b[31m.trace", statusWrong, `no trace of no-such-\x1b[31m.trace`},
	} {
		args := strings.Fields("trace " + strings.ReplaceAll(c.args, "FILE", file))
		if o := threadcall(t, args...).want(t, c.status, c.complaint); o.stdout != "" {
			t.Errorf("%s: stdout %q", c.args, o.stdout)
		}
	}
}
