package source_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/analysis"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/source"
	"github.com/threadcall/threadcall/cmd/threadcall/report/trace"
	"github.com/threadcall/threadcall/recorder"
)

// The test binary is one of these programs, which tests record, if its environment names it.
const variable = "THREADCALL_TEST_PROGRAM"

var programs = map[string]func(){
	"makes calls":          makesCalls,
	"keeps slow calls":     keepsSlowCalls,
	"exits at once":        func() { recorder.Start(); os.Exit(3) },
	"is killed":            func() { threeParts(); kill() },
	"ends when asked":      func() { threeParts(); untilInterrupted(); recorder.Stop() },
	"does not end":         func() { signal.Ignore(os.Interrupt); threeParts(); ready(); select {} },
	"dies of an interrupt": func() { threeParts(); ready(); select {} },
}

func TestMain(m *testing.M) {
	if name := os.Getenv(variable); name != "" {
		programs[name]()
		return
	}
	os.Exit(m.Run())
}

// ready reports to the test that this program waits for what the test does.
func ready() { fmt.Println("ready") }

func kill() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	panic(err)
}

func untilInterrupted() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	ready()
	<-c
}

// threeParts records a trace until its file has grown three times.
func threeParts() {
	file := os.Getenv("THREADCALL_TRACE")
	recorder.Start()
	var last int64
	for grown := 0; grown < 3; {
		var all sync.WaitGroup
		for range 10 {
			all.Go(runtime.Gosched)
		}
		all.Wait()
		time.Sleep(10 * time.Millisecond) // so slow that the file grows only when a generation ends
		if at, err := os.Stat(file); err == nil && at.Size() > max(last, 1000) {
			last = at.Size()
			grown++
		}
	}
}

// command returns the request to record a program.
func command(t *testing.T, program string) source.Request {
	t.Helper()
	t.Setenv(variable, program)
	return source.Request{Command: []string{os.Args[0]}}
}

// A result is what came of a request.
type result struct {
	failed error // of the trace
	report *trace.Report
}

// open returns what comes of a request, and fails the test if files are left behind.
func open(t *testing.T, ctx context.Context, r source.Request) result {
	t.Helper()
	temp := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP"} {
		t.Setenv(name, temp)
	}
	tr, err := source.Open(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	report, err := analysis.Trace(tr, tr.Name)
	if err != nil {
		t.Fatalf("%s: %v", tr.Name, err)
	}
	if err := tr.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "threadcall*")); left != nil {
		t.Errorf("left behind: %q", left)
	}
	return result{tr.Failed, report}
}

// A writer is called with what is written.
type writer func(text string)

func (w writer) Write(p []byte) (int, error) {
	w(string(p))
	return len(p), nil
}
