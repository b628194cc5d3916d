package observe

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/testutil"
)

// A runner is a thread that runs nothing by itself.
type runner struct {
	Thread
	name       string
	owner      *Owner
	goroutine  uint64
	terminated bool
	asked      int // whether it is a native loop
	loop       bool
}

func (r *runner) Here() *Thread    { return &r.Thread }
func (r *runner) Owner() *Owner    { return r.owner }
func (r *runner) Terminated() bool { return r.terminated }
func (r *runner) AsksHost() bool   { r.asked++; return r.loop }

func (r *runner) Describe(s *Slow) (stackID string) {
	s.Name = r.name
	return fmt.Sprint(r.goroutine)
}

// watched returns a thread, and the observer of what it runs, which is told of functions that run
// or wait for an hour.
func watched(notify func(Slow)) (*runner, *Observer) {
	r := &runner{name: "a thread", owner: new(Owner), goroutine: ident.Goroutine()}
	r.Init(r)
	o := new(Observer)
	o.Init(&r.Thread, new(atomic.Uint32), new(Tally), r.owner)
	o.Tallies[1] = new(Tally)
	r.owner.Watch(time.Hour, notify)
	return r, o
}

func nothing() {}

func (o *Observer) wrap(f func()) (run func(), v *Call) {
	return o.Wrap(context.Background(), nil, f, true)
}

// passes makes the hour one that is over.
func (o *Observer) passes() {
	o.mu.Lock()
	o.slow.limit = 0
	o.mu.Unlock()
	o.look()
}

// What is not observed is queued as it is.
func TestWrap_nothing(t *testing.T) {
	r, o := watched(nil)
	if _, v := o.wrap(nothing); v != nil {
		t.Error("it is observed")
	}
	o.Measure(true)
	run, v := o.wrap(nothing)
	if v == nil || v.depth > 0 || v.notify != nil {
		t.Error("it is not measured, or watched")
	}
	run()
	a, b := o.measured[0].Count, o.measured[1].Count
	if a != 1 || b != 1 || r.innermost != nil {
		t.Errorf("%d waits and %d runs are measured", a, b)
	}
}

// A function is reported once, unless Watch is called again while it runs.
func TestWatch_replaced(t *testing.T) {
	for want, replaced := range []bool{true, false} {
		reports := make(chan Slow, 2)
		r, o := watched(func(s Slow) { reports <- s })
		run, _ := o.wrap(func() {
			if replaced {
				r.owner.Watch(0, nil)
			}
			o.passes()
			o.passes()
		})
		run()
		if n := int(o.Tallies[0].Slow.Load()); n != want || int(o.Tallies[1].Slow.Load()) != want {
			t.Errorf("replaced: %v; reported %d times, want %d", replaced, n, want)
		}
		if want == 1 {
			if s := testutil.Arrives(t, reports); s.Running == 0 || s.Name != r.name ||
				!strings.Contains(s.Stack, t.Name()) || !strings.Contains(s.Caller, "testing.tRunner") {
				t.Errorf("reported: %+v", s)
			}
		}
	}
}

// A function during which Watch is called reports nothing, also if a loop ran in it meanwhile.
func TestWatch_replacedInALoop(t *testing.T) {
	r, o := watched(func(Slow) {})
	run, _ := o.wrap(func() {
		r.Pause()
		r.owner.Watch(time.Hour, func(Slow) {})
		if r.Resume(0); r.innermost.notify != nil {
			t.Error("the function would be reported to what was called before")
		}
	})
	run()
}

// What is queued when nothing is notified any more, as the handle has been dropped, is not watched.
func TestWatch_forNothing(t *testing.T) {
	r, o := watched(func(Slow) {})
	for _, owner := range []*Owner{nil, {of: o}} {
		r.owner = owner
		if _, v := o.wrap(nothing); o.slow.waiting.First != nil || v.notify != nil {
			t.Error("a function would be reported to nothing")
		}
	}
}

// What waits when Watch is called again, or is released, or when the thread is terminated, is not
// watched any more.
func TestWatch_forgets(t *testing.T) {
	r, o := watched(func(Slow) {})
	_, v := o.wrap(nothing)
	if o.slow.waiting.First == nil || v.notify == nil {
		t.Error("it is not watched")
	}
	r.owner.Watch(time.Hour, func(Slow) {})
	if o.slow.waiting.First != nil || v.notify != nil {
		t.Error("a function would be reported to what was called before")
	}
	_, w := o.wrap(nothing)
	if w.Release(); o.slow.waiting.First != nil || w.depth > 0 {
		t.Error("a function that was refused would be reported, or the next has its callers")
	}
	o.wrap(nothing)
	r.terminated = true
	if o.passes(); o.slow.waiting.First != nil || o.Tallies[0].Slow.Load() != 0 {
		t.Error("a function that will not begin is reported")
	}
}

// A function that waits for a pool is reported with the thread whose function has run for longest,
// and no other until one has begun.
func TestWatch_namesTheThreadThatHasRunForLongest(t *testing.T) {
	reported := make(chan Slow, 2)
	_, o := watched(func(s Slow) { reported <- s })
	other := &runner{name: "another", goroutine: ident.Goroutine()}
	other.Init(other)
	_, running := o.wrap(nothing)
	running.on = &other.Thread
	o.begin(running)
	if at := other.Counts.At.Load(); at != int64(running.since) {
		t.Errorf("it began at %d, and is said to have at %d", running.since, at)
	}
	running.notify = nil
	for range 2 {
		o.wrap(nothing)
		o.passes()
	}
	s := testutil.Arrives(t, reported)
	if s.Name != "another" || s.Waiting == 0 || !strings.Contains(s.Stack, t.Name()) {
		t.Errorf("reported with thread %s, waits %v, at\n%s", s.Name, s.Waiting, s.Stack)
	}
	if n := o.Tallies[0].Slow.Load(); n != 1 {
		t.Errorf("%d are reported, want 1", n)
	}
}

// What may be a native loop is asked once, and is slow if it does not answer.
func TestWatch_asksTheHost(t *testing.T) {
	for _, loop := range []bool{true, false} {
		r, o := watched(func(Slow) {})
		r.loop = loop
		run, _ := o.wrap(func() {
			for i, want := range []uint64{0, 1} {
				if !loop {
					want = 1
				}
				if o.passes(); o.Tallies[0].Slow.Load() != want || r.asked != 1 {
					t.Errorf("a loop: %v, look %d: asked %d times", loop, i, r.asked)
				}
			}
		})
		run()
	}
}

// A posted function does not begin after the end of its context.
func TestCall_isWithdrawn(t *testing.T) {
	r, o := watched(nil)
	for i, ends := range []bool{false, true} {
		ctx, cancel := context.WithCancel(context.Background())
		ran := false
		run, _ := o.Wrap(context.Background(), ctx, func() { ran = true }, true)
		if ends {
			cancel()
		}
		if run(); ran == ends || r.Withdrawn != ends || o.Tallies[1].Withdrawn.Load() != uint64(i) {
			t.Errorf("its context has ended: %v; it has run: %v; %d are counted", ends, ran,
				o.Tallies[1].Withdrawn.Load())
		}
		cancel()
	}
}
