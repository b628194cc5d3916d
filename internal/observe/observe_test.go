package observe

import (
	"context"
	"runtime/pprof"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/ident"
)

// A thread is busy from work to rest, but not while it has only looked for work; and what a reader
// sees does not go back.
func TestCounts_Busy(t *testing.T) {
	var c Counts
	for i, step := range []struct {
		do          func(now time.Duration)
		works       bool
		busy, later time.Duration // at the time of the step, and ten units after it
	}{
		{func(time.Duration) {}, false, 0, 0},
		{c.Work, true, 0, 10},
		{c.Work, true, 10, 20}, // which it did already
		{func(time.Duration) { c.Idled(5) }, true, 15, 25},
		{c.Rest, false, 25, 25},
		{c.Rest, false, 25, 25},
		{c.Work, true, 25, 35},
	} {
		now := time.Duration(10 * (i - 4)) // in a bubble, times are negative
		step.do(now)
		if c.Works() != step.works || c.Busy(now) != step.busy || c.Busy(now+10) != step.later {
			t.Errorf("step %d: works %v, busy for %d, later %d", i, c.Works(), c.Busy(now), c.Busy(now+10))
		}
	}
	if c.Busy(-time.Hour) != 0 {
		t.Error("before it began to work it has been busy for less than nothing")
	}
}

// A function has begun and not ended until it has returned or panicked, or its post was skipped.
func TestWords_Inside(t *testing.T) {
	w := Words{Calls: 3, Posts: 4, Skipped: 1}
	for i, panics := range []bool{false, true, true} {
		if w.Ended(panics); w.Inside() != uint(5-i) {
			t.Errorf("%d are inside, want %d", w.Inside(), 5-i)
		}
	}
	if w.Returned != 1 || w.Panicked != 2 {
		t.Errorf("%+v", w)
	}
}

func of(who string) context.Context {
	return pprof.WithLabels(context.Background(), pprof.Labels("of", who))
}

func label(ctx context.Context, key string) string {
	value, _ := pprof.Label(ctx, key)
	return value
}

// A function has the labels of its context and of the thread's name, and one inside of it those of
// the thread. Another goroutine, such as a coroutine, changes nothing of that.
func TestLabels(t *testing.T) {
	defer pprof.SetGoroutineLabels(context.Background())
	var thread Thread
	thread.Init(nil)
	l := &thread.Labels
	l.G = ident.G()
	if before := l.Unlabel(); before != l.Now || HasLabels(before) {
		t.Errorf("a new thread has the labels %v", before)
	}
	l.Name("ui")
	own := l.Now
	for range 2 {
		before := l.Now
		l.Under(of("a function"))
		if label(l.Now, "of") != "a function" || label(l.Now, "thread") != "ui" {
			t.Errorf("a function has the labels %v", l.Now)
		}
		outer := l.Unlabel()
		if l.Now != own {
			t.Errorf("one inside of it has the labels %v", l.Now)
		}
		l.Relabel(outer)
		done := make(chan bool)
		go func() { l.Under(of("a coroutine")); close(done) }()
		if <-done; label(l.Now, "of") != "a function" {
			t.Errorf("beside a coroutine, a function has the labels %v", l.Now)
		}
		l.Set(before)
	}
}

// While a thread serves a context with labels, these are its own; a host has set them itself.
func TestLabels_Serve(t *testing.T) {
	defer pprof.SetGoroutineLabels(context.Background())
	for _, hosts := range []bool{false, true} {
		var thread Thread
		thread.Init(nil)
		l := &thread.Labels
		l.G = ident.G()
		l.Under(of("a function"))
		before := l.Now
		undo := l.Serve(of("a loop"), hosts)
		if label(l.Now, "of") != "a loop" || l.own != l.Now {
			t.Errorf("it serves under the labels %v", l.Now)
		}
		if undo(); l.Now != before || HasLabels(l.own) {
			t.Errorf("then it has the labels %v, and functions %v", l.Now, l.own)
		}
		undo = l.Serve(context.Background(), hosts)
		if HasLabels(l.Now) {
			t.Errorf("it serves under the labels %v of a function", l.Now)
		}
		undo()
	}
}
