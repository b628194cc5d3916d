package source_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/analysis"
	"github.com/threadcall/threadcall/cmd/threadcall/report/trace"
	"github.com/threadcall/threadcall/recorder"
	"github.com/threadcall/threadcall/thread"
)

// What makesCalls does is known: how many calls of which kind are made from where, and a slow one.
const calls = 20

func makesCalls() {
	recorder.Start()
	defer recorder.Stop()
	th, p := thread.New(), thread.NewPool(2)
	for range calls {
		plain(th)
		withResult(th)
		withContext(th)
		inPool(p)
		nested(th)
	}
	p.Call(nop)
	p.Terminate()
	reported := make(chan bool)
	th.OnSlowCall(limit, whenItRuns(func(thread.SlowCall) { close(reported) }))
	callsSlowly(th, reported)
	th.Terminate()
	plain(th)
}

func nop() {}

// whenItRuns returns f without the calls that wait for long, because the machine is busy.
func whenItRuns(f func(thread.SlowCall)) func(thread.SlowCall) {
	return func(s thread.SlowCall) {
		if s.Running > 0 {
			f(s)
		}
	}
}

// Each of these is a place.
func plain(th *thread.Thread)       { th.Call(nop) }
func withContext(th *thread.Thread) { _ = th.CallContext(context.Background(), nop) }
func withResult(th *thread.Thread)  { thread.MustEval(th, func() int { return 1 }) }
func inPool(p *thread.Pool)         { p.Call(nop); p.Go(nop) }
func nested(th *thread.Thread)      { th.Call(func() { inner(th) }) }
func inner(th *thread.Thread)       { th.Call(nop) }

// limit is so long that a busy machine does not keep the function from its beginning to wait.
const limit = 100 * time.Millisecond

func callsSlowly(th *thread.Thread, reported chan bool) {
	th.Call(func() { waitsForReport(reported) })
}

func waitsForReport(reported chan bool) { <-reported }

func TestRecord_calls(t *testing.T) {
	r := record(t.Context(), t, "makes calls", nil)
	if r.failed != nil || r.err != nil || r.report.Trace.Truncated {
		t.Fatalf("%+v", r)
	}
	got := map[string]uint64{}
	for _, p := range r.report.Calls.Places {
		name := p.Func[strings.LastIndex(p.Func, "source_test.")+len("source_test."):]
		got[fmt.Sprintf("%s by %s", p.Kind, name)] += p.Queued.N
		if !strings.HasSuffix(p.File, "calls_test.go") || p.Line == 0 {
			t.Errorf("%s is at %s:%d", name, p.File, p.Line)
		}
	}
	if want := map[string]uint64{
		"Call by plain": calls, "Call by withResult": calls, "Call by withContext": calls,
		"Call by inPool": calls, "Go by inPool": calls, "Call by nested": calls,
		"in place by inner":  calls,
		"Call by makesCalls": 1, "Call by callsSlowly": 1,
	}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	c := r.report.Calls
	if c.NotRun != 1 || c.Unfinished != 0 || c.InPlace != calls || c.Total != 7*calls+2 {
		t.Errorf("%d calls, %d of them in place, %d not run, %d unfinished", c.Total, c.InPlace, c.NotRun,
			c.Unfinished)
	}
	i := slices.IndexFunc(c.Places, func(p trace.CallPlace) bool {
		return strings.HasSuffix(p.Func, ".callsSlowly")
	})
	if i < 0 {
		t.Fatalf("the places %+v", c.Places)
	}
	if p := c.Places[i]; time.Duration(p.Run.Max) < limit || p.Longest.Length < limit ||
		p.Longest.Goroutine != 1 {
		t.Errorf("the slow call %+v", p)
	}
}

// keepsSlowCalls writes the trace when the call is slow.
func keepsSlowCalls() {
	th := thread.New(thread.WithName("db"))
	defer th.Terminate()
	write := (&recorder.Files{Dir: os.Getenv("THREADCALL_TEST_FILE")}).SlowCalls()
	reported := make(chan bool)
	th.OnSlowCall(limit, whenItRuns(func(s thread.SlowCall) { write(s); close(reported) }))
	callsSlowly(th, reported)
}

// The trace that a slow call leaves has where it waits.
func TestSlowCalls(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "slow")
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
	r, err := analysis.Trace(f, "")
	if err != nil || len(r.Calls.Slow) != 1 {
		t.Fatalf("%v, %+v", err, r)
	}
	if s := r.Calls.Slow[0]; s.Waits != "channel receive" || s.Running < limit || s.Kind != "Call" ||
		s.At < s.Running || s.Queued < 0 || s.Waited <= 0 || s.Waited > s.At ||
		!strings.HasSuffix(s.By.Func, ".callsSlowly") ||
		!slices.ContainsFunc(s.On, func(f trace.Frame) bool {
			return strings.HasSuffix(f.Func, ".waitsForReport")
		}) {
		t.Errorf("%+v", s)
	}
	if v := r.Verdict; len(v) == 0 || v[0].Rule != "slow call" ||
		!strings.Contains(v[0].Text, "callsSlowly") || !strings.Contains(v[0].Text, "waitsForReport") {
		t.Errorf("verdict %+v", v)
	}
}
