package source_test

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/recorder"
	"github.com/threadcall/threadcall/thread"
)

// What makesCalls does is known: how many calls of which kind are made from where.
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
	panicking(th)
	exiting(th)
	p.Call(nop)
	p.Terminate()
	th.Terminate()
	plain(th)
}

func nop() {}

// Each of these is a place.
func plain(th *thread.Thread)       { th.Call(nop) }
func withContext(th *thread.Thread) { _ = th.CallContext(context.Background(), nop) }
func withResult(th *thread.Thread)  { thread.Eval(th, func() int { return 1 }) }
func inPool(p *thread.Pool)         { p.Call(nop); p.Go(nop) }
func nested(th *thread.Thread)      { th.Call(func() { inner(th) }) }
func inner(th *thread.Thread)       { th.Call(nop) }
func exits(th *thread.Thread)       { th.Call(runtime.Goexit) }

func panicking(th *thread.Thread) {
	defer func() { _ = recover() }()
	th.Call(func() { panic("as it should") })
}

func exiting(th *thread.Thread) {
	done := make(chan bool)
	go func() { defer close(done); exits(th) }()
	<-done
}

func TestCallsAreInTheTraceWithTheirPlaces(t *testing.T) {
	r := one(t, command(t, "makes calls"))
	if r.failed != nil || r.report.Trace.Truncated {
		t.Errorf("failed with %v, warnings %q", r.failed, r.report.Warnings)
	}
	got := map[string]uint64{}
	for _, p := range r.report.Calls.Places {
		name := p.Func[strings.LastIndex(p.Func, "source_test.")+len("source_test."):]
		got[fmt.Sprintf("%s by %s", p.Kind, name)] += p.N
		if !strings.HasSuffix(p.File, "marks_test.go") || p.Line == 0 {
			t.Errorf("%s is at %s:%d", name, p.File, p.Line)
		}
	}
	if want := map[string]uint64{
		"Call by plain": calls, "Call by withResult": calls, "Call by withContext": calls, "Call by inPool": calls, "Go by inPool": calls,
		"Call by nested": calls, "in place by inner": calls, "Call by panicking": 1, "Call by exits": 1, "Call by makesCalls": 1,
	}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if c := r.report.Calls; c.NotRun != 1 || c.Unfinished != 0 || c.InPlace != calls || c.Total != 7*calls+3 {
		t.Errorf("%d calls, %d of them in place, %d not run, %d unfinished", c.Total, c.InPlace, c.NotRun, c.Unfinished)
	}
	if l := r.report.Locked; len(l) == 0 || l[0].Evidence != report.ServesCalls || l[0].Calls == 0 || l[0].Serving <= 0 {
		t.Errorf("locked threads %+v", l)
	}
}
