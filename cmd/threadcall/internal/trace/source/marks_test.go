package source_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/recorder"
	"github.com/threadcall/threadcall/thread"
)

// calls is how many calls each place of makesCalls makes that makes more than a few.
const calls = 20

func makesCalls() {
	defer recorder.Start()()
	th, p := thread.New(thread.WithSlowCall(time.Hour, func(thread.SlowCall) {})), thread.NewPool(2)
	for range calls {
		plain(th)
		withResult(th)
		withContext(th)
		inPool(p)
		nested(th)
	}
	posted(th)
	panicking(th)
	var group sync.WaitGroup
	group.Go(func() { exits(th) })
	group.Wait()
	refused(th)
	if os.Getenv("THREADCALL_TRACE") != "" {
		panic("a child would record into the same file")
	}
	p.Call(func() {})
	p.Terminate()
}

func nop() {}

// Each of these is a place.
func posted(th *thread.Thread)      { th.Go(nop); th.Go(nop); th.Call(nop) }
func plain(th *thread.Thread)       { th.Call(nop) }
func withContext(th *thread.Thread) { _ = th.CallContext(context.Background(), nop) }
func inPool(p *thread.Pool)         { p.Call(nop); p.Go(nop) }
func nested(th *thread.Thread)      { th.Call(func() { inner(th) }) }
func inner(th *thread.Thread)       { th.Call(nop) }
func exits(th *thread.Thread)       { th.Call(runtime.Goexit) }

func panicking(th *thread.Thread) {
	defer func() { _ = recover() }()
	th.Call(func() { panic("as it should") })
}

// refused has a call withdrawn and two refused.
func refused(th *thread.Thread) {
	ctx, cancel := context.WithCancel(context.Background())
	begun, release := make(chan bool), make(chan bool)
	th.Go(func() { close(begun); <-release })
	<-begun
	time.AfterFunc(time.Millisecond, cancel)
	_ = th.CallContext(ctx, nop)
	close(release)
	th.Call(nop)
	th.Terminate()
	th.Call(nop)
	th.Go(nop)
}

func withResult(th *thread.Thread) int { return thread.Eval(th, func() int { return 1 }) }

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
	for place, n := range map[string]uint64{
		"Call by plain":       calls,
		"Call by withResult":  calls,
		"Call by withContext": calls,
		"Call by inPool":      calls,
		"Go by inPool":        calls,
		"Call by nested":      calls,
		"in place by inner":   calls,
		"Go by posted":        2,
		"Call by posted":      1,
		"Call by panicking":   1,
		"Call by exits":       1,
		"Go by refused":       1,
		"Call by refused":     1,
		"Call by makesCalls":  1,
	} {
		if got[place] != n {
			t.Errorf("%s: %d times, want %d", place, got[place], n)
		}
		delete(got, place)
	}
	if len(got) > 0 {
		t.Errorf("unexpected: %v", got)
	}
	c := r.report.Calls
	if c.NotRun != 3 || c.Unfinished != 0 || c.InPlace != calls || c.Total != 7*calls+8 {
		t.Errorf("%d calls, %d of them in place, %d not run, %d unfinished", c.Total, c.InPlace, c.NotRun, c.Unfinished)
	}
	if l := r.report.Locked; len(l) == 0 || l[0].Evidence != report.ServesCalls || l[0].Calls == 0 || l[0].Serving <= 0 {
		t.Errorf("locked threads %+v", l)
	}
}
