package source_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/read"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/recorder"
	"github.com/threadcall/threadcall/thread"
)

const limit = 20 * time.Millisecond

// hasASlowCall records its trace, in which one call is reported, while it waits in waitsForReport.
func hasASlowCall() {
	recorder.Start()
	defer recorder.Stop()
	th := thread.New(thread.WithName("db"))
	defer th.Terminate()
	th.Call(nop)
	reported := make(chan bool)
	th.OnSlowCall(limit, func(thread.SlowCall) { close(reported) })
	callsSlowly(th, reported)
}

// keepsSlowCalls writes the trace when the call is slow.
func keepsSlowCalls() {
	th := thread.New(thread.WithName("db"))
	defer th.Terminate()
	write := recorder.SlowCalls(os.Getenv("THREADCALL_TEST_FILE"), 3)
	reported := make(chan bool)
	th.OnSlowCall(limit, func(s thread.SlowCall) { write(s); close(reported) })
	callsSlowly(th, reported)
}

func callsSlowly(th *thread.Thread, reported chan bool) {
	th.Call(func() { waitsForReport(reported) })
}

func waitsForReport(reported chan bool) { <-reported }

// checkSlow checks what is known of the one slow call.
func checkSlow(t *testing.T, r *report.Report) {
	t.Helper()
	if len(r.Calls.Slow) != 1 {
		t.Fatalf("%d slow calls: %+v", len(r.Calls.Slow), r.Calls.Slow)
	}
	s := r.Calls.Slow[0]
	if s.Running < limit || s.At < s.Running || s.At > r.Trace.Duration || s.Kind != "Call" || s.Queued < 0 || s.Waits != "chan receive" ||
		s.Waited <= 0 || s.Waited > s.Running+time.Millisecond { // the event is some time after the clock was read
		t.Errorf("%+v in %v", s, r.Trace.Duration)
	}
	if c := s.Caller(); len(c) == 0 || !strings.HasSuffix(c[0].Func, ".callsSlowly") {
		t.Errorf("called by %v", c)
	}
	f := s.Function()
	names := ""
	for _, frame := range f {
		names += frame.Func + " "
	}
	if !strings.Contains(names, ".waitsForReport ") || strings.Contains(names, "engine") {
		t.Errorf("the thread is at %s", names)
	}
}

func TestASlowCallIsInTheTrace(t *testing.T) {
	checkSlow(t, one(t, command(t, "has a slow call")).report)
}

func TestTheTraceOfASlowCallIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "slow")
	if runtime.GOOS == "js" {
		t.Skip("js/wasm cannot start a process")
	}
	program := exec.Command(os.Args[0])
	program.Env = append(os.Environ(), variable+"=keeps slow calls", "THREADCALL_TEST_FILE="+dir)
	if output, err := program.CombinedOutput(); err != nil || len(output) > 0 {
		t.Fatalf("%v\n%s", err, output)
	}
	files, err := filepath.Glob(filepath.Join(dir, "slow-*-db.trace"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %q, %v", files, err)
	}
	f, err := os.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rep, err := read.Trace(f, read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkSlow(t, rep)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	s := rep.Calls.Slow[0]
	p, err := read.Path(f, read.Window{Goroutine: s.Runner, From: s.Begin(), To: s.At})
	if err != nil {
		t.Fatal(err)
	}
	if w := p.Parts[0]; w.Doing != "channel receive" || !strings.HasSuffix(w.Func, ".waitsForReport") || p.Length != s.At-s.Begin() {
		t.Errorf("path %+v", p)
	}
}
