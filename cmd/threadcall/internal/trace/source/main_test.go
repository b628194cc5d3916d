package source_test

import (
	"context"
	"fmt"
	"io"
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

// A result is what a program has recorded.
type result struct {
	failed, err error
	report      *trace.Report // if err is nil
}

// record records a program.
func record(ctx context.Context, t *testing.T, program string, stdout io.Writer) (r result) {
	t.Helper()
	t.Setenv(variable, program)
	file := filepath.Join(t.TempDir(), "a.trace")
	r.failed, r.err = source.Record(ctx, []string{os.Args[0]}, file, stdout, nil)
	if r.err != nil {
		return r
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if r.report, err = analysis.Trace(f, file); err != nil {
		t.Fatal(err)
	}
	return r
}

// A writer is called with what is written.
type writer func(text string)

func (w writer) Write(p []byte) (int, error) {
	w(string(p))
	return len(p), nil
}
