package analysis

import (
	"context"
	rtrace "runtime/trace"
	"strings"
	"testing"
	"time"
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

func TestTrace_calls(t *testing.T) {
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
	others := r.Calls.Unfinished + r.Calls.NotRun + r.Calls.InPlace
	if r.Calls.Total != 1 || others != 0 || len(r.Calls.Worst) != 1 {
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
	if c.Stopped == nil || c.Stopped.Reason != sleep || c.Stopped.Time > c.Run ||
		c.Stopped.Time < 4*time.Millisecond || len(c.On) == 0 || c.On[0].Func != "time.Sleep" {
		t.Errorf("stopped %+v at %v", c.Stopped, c.On)
	}
	if len(r.Calls.Places) != 1 {
		t.Fatalf("places %+v", r.Calls.Places)
	}
	p := r.Calls.Places[0]
	if p.Kind != "Call" || p.N != 1 || p.Queued.Max != float64(c.Queued) ||
		p.Run.P50 != float64(c.Run) || p.Return.Min != float64(c.Return) {
		t.Errorf("place %+v, call %+v", p, c)
	}
}
