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

	tracereport "github.com/threadcall/threadcall/cmd/threadcall/report/trace"
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

func TestTrace_command(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles packages")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command: ", err)
	}
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{
		"go.mod":         "module example.com/m\n\ngo 1.26\n",
		"a/a_test.go":    "package a\n\nimport \"testing\"\n\nfunc TestA(*testing.T) {}\n",
		"plain/plain.go": "package main\n\nfunc main() {}\n",
		"records/records.go": `package main

import (
	"os"
	"runtime/trace"
)

func main() {
	f, _ := os.Create(os.Getenv("THREADCALL_TRACE"))
	_ = trace.Start(f)
	trace.Stop()
	f.Close()
}
`,
	})
	temp := t.TempDir()
	run := func(args string) outcome {
		return output(t, invocation(dir, []string{"GOWORK=off", "GOFLAGS=", "GOTMPDIR=" + temp},
			strings.Fields(args)...))
	}
	kept := filepath.Join(dir, "kept.trace")
	test := exec.Command("go", "test", "-trace", kept, "./a")
	test.Dir, test.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if out, err := test.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	o := run("trace -json kept.trace").want(t, statusOK)
	if r := decoded[tracereport.Report](t, o.stdout); r.Trace.Events == 0 {
		t.Errorf("trace %+v", r.Trace)
	}
	run("trace -- go run ./records").want(t, statusOK, "threadcall trace go run ./records")
	run("trace -o own.trace -- go run ./records").want(t, statusOK, "Heap and collector")
	run("trace own.trace").want(t, statusOK, "threadcall trace own.trace")
	for _, c := range []refusal{
		{"-- go run ./plain", statusWrong, "defer recorder.Stop()"},
		{"-- no-such-command-here", statusWrong, "no-such-command-here"},
		{"-o no/such/x -- go version", statusWrong, "the trace cannot be kept"},
	} {
		if o := run("trace "+c.args).want(t, c.status, c.complaint); strings.Contains(o.stdout, "Heap") {
			t.Errorf("%s: stdout %q", c.args, o.stdout)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); left != nil {
		t.Errorf("left behind: %q", left)
	}
}

func TestTrace_refusals(t *testing.T) {
	for _, c := range []refusal{
		{"trace_test.go", statusWrong, "trace_test.go: not a Go execution trace: it begins with"},
		{os.Args[0], statusWrong, "-- stands before a program that is to run"},
		{os.DevNull, statusWrong, "it is empty"},
		{"no-such-\x1b[31m.trace", statusWrong, `open no-such-\x1b[31m.trace`},
	} {
		o := threadcall(t, strings.Fields("trace "+c.args)...).want(t, c.status, c.complaint)
		if o.stdout != "" {
			t.Errorf("%s: stdout %q", c.args, o.stdout)
		}
	}
}
