package read

import (
	"context"
	rtrace "runtime/trace"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/threadcall/threadcall/thread"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// A mark by hand: what the engine writes, at times that are known.
type marked struct{ queued, run, back, all [2]time.Duration } // at least, at most

func markByHand(thread chan func(), kind string, queue, run time.Duration) (m marked) {
	done := make(chan bool)
	start := time.Now()
	ctx, task := rtrace.NewTask(context.Background(), taskPrefix+kind)
	begun := time.Now()
	var before, first, last, after time.Time
	time.Sleep(queue)
	thread <- func() {
		before = time.Now()
		rtrace.WithRegion(ctx, regionType, func() {
			first = time.Now()
			time.Sleep(run)
			last = time.Now()
		})
		after = time.Now()
		done <- true
	}
	<-done
	ending := time.Now()
	task.End()
	end := time.Now()
	m.queued = [2]time.Duration{before.Sub(begun), first.Sub(start)}
	m.run = [2]time.Duration{last.Sub(first), after.Sub(before)}
	m.back = [2]time.Duration{ending.Sub(after), end.Sub(last)}
	m.all = [2]time.Duration{ending.Sub(begun), end.Sub(start)}
	return m
}

// The clock of traces is coarser than that of the program, and its events are put in order.
const grain = time.Microsecond

func within(t *testing.T, what string, got time.Duration, want [2]time.Duration) {
	t.Helper()
	if got < want[0]-grain || got > want[1]+grain {
		t.Errorf("%s: %v, want %v to %v", what, got, want[0], want[1])
	}
}

func TestTheTimesOfACall(t *testing.T) {
	var m marked
	r := analyse(t, func() {
		thread := make(chan func())
		go func() {
			for f := range thread {
				f()
			}
		}()
		m = markByHand(thread, "Call", 3*time.Millisecond, 5*time.Millisecond)
		close(thread)
	})
	if r.Calls.Total != 1 || r.Calls.Unfinished+r.Calls.NotRun+r.Calls.InPlace != 0 || len(r.Calls.Worst) != 1 {
		t.Fatalf("calls %+v", r.Calls)
	}
	c := r.Calls.Worst[0]
	within(t, "queued", c.Queued, m.queued)
	within(t, "run", c.Run, m.run)
	within(t, "return", c.Return, m.back)
	within(t, "total", c.Total(), m.all)
	if c.Kind != "Call" || len(c.From) == 0 || !strings.HasSuffix(c.From[0].Func, ".markByHand") {
		t.Errorf("%s from %v", c.Kind, c.From)
	}
	if c.Stopped == nil || c.Stopped.Reason != "sleep" || c.Stopped.Time > c.Run || c.Stopped.Time < 4*time.Millisecond ||
		len(c.On) == 0 || c.On[0].Func != "time.Sleep" {
		t.Errorf("stopped %+v at %v", c.Stopped, c.On)
	}
	p := findPlace(r, "Call", ".markByHand")
	if p.N != 1 || p.Queued.Max != float64(c.Queued) || p.Run.P50 != float64(c.Run) || p.Return.Min != float64(c.Return) {
		t.Errorf("place %+v, call %+v", p, c)
	}
}

func TestCallsAreCountedWhereTheyAreMade(t *testing.T) {
	const calls, posts, nested = 200, 300, 40
	r := analyse(t, func() {
		th := thread.New()
		var others sync.WaitGroup
		for range 2 {
			others.Go(func() { callMany(th, calls/2) })
		}
		others.Wait()
		th.Call(func() { callMany(th, nested); th.Go(func() {}) })
		postMany(th, posts)
		th.Terminate()
		if th.Call(func() {}) {
			t.Error("called a terminated thread")
		}
	})
	c := r.Calls
	if c.Total != calls+nested+1+posts+2 || c.InPlace != nested || c.Unfinished != 0 {
		t.Errorf("%d calls, %d in place, %d unfinished", c.Total, c.InPlace, c.Unfinished)
	}
	if c.NotRun != 1 {
		t.Errorf("%d did not run, want 1", c.NotRun)
	}
	for _, want := range []struct {
		kind, from string
		n          uint64
	}{
		{"Call", ".callMany", calls}, {"Go", ".postMany", posts}, {"in place", ".callMany", nested}, {"Call", ".postMany", 1},
		{"Call", ".TestCallsAreCountedWhereTheyAreMade.func1", 1},
	} {
		p := findPlace(r, want.kind, want.from)
		if p.N != want.n || p.Queued.N != want.n || p.Run.N != want.n || p.Return.N != want.n ||
			!strings.HasSuffix(p.File, "calls_test.go") || len(p.Threads) != 1 {
			t.Errorf("%s of %s: %+v, want %d", want.kind, want.from, p, want.n)
		}
	}
	if len(r.Locked) == 0 {
		t.Fatal("no locked thread")
	}
	l := r.Locked[0]
	if l.Evidence != report.ServesCalls || l.Calls != c.Total || l.Serving <= 0 || l.Thread != findPlace(r, "Call", ".callMany").Threads[0] {
		t.Errorf("%+v", l)
	}
}

func callMany(th *thread.Thread, n int) {
	for range n {
		th.Call(func() {})
	}
}

func postMany(th *thread.Thread, n int) {
	for range n {
		th.Go(func() {})
	}
	thread.Eval(th, func() int { return 0 }) // waits for them, from another line
}
