package engine

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/park"
	"github.com/threadcall/threadcall/internal/testutil"
)

// In a ring of threads, each call has the thread that calls look who waits for whom, and the thread
// that is called; not all others.
func TestWait_wakesOnlyWhatCanRun(t *testing.T) {
	const n, calls = 40, 200
	var ring []*Engine
	for range n {
		ring = append(ring, start(t))
	}
	var next func(left int)
	next = func(left int) {
		if left > 0 {
			ring[left%n].Call(func() { next(left - 1) })
		}
	}
	next(n)
	searches.mu.Lock()
	before := searches.epoch
	searches.mu.Unlock()
	next(calls)
	searches.mu.Lock()
	defer searches.mu.Unlock()
	if got := searches.epoch - before; got > 5*calls {
		t.Errorf("%d looks in %d calls", got, calls)
	}
}

// A wait for the call of a pool depends on the thread that has taken it; in the backlog, on none
// while one is free, and otherwise on all.
func TestWait_needs(t *testing.T) {
	p, x := poolAtRest(2), newEngine(Config{})
	w := &wait{call: p.records.Get(0, func() {}, x.id), of: &p.target}
	needs := func(what string, want ...*Engine) {
		t.Helper()
		if got := w.needs(); !slices.Equal(got, want) {
			t.Errorf("%s: it needs %v, want %v", what, got, want)
		}
	}
	p.add(w.call, false)
	needs("a thread is coming")
	p.workers[0].busy.Store(true)
	p.workers[1].busy.Store(true)
	needs("all are busy", p.workers...)
	p.workers[0].busy.Store(false)
	needs("one has nothing to run")
	if p.next(p.workers[1]) != w.call {
		t.Fatal("the call is not taken")
	}
	needs("it is taken", p.workers[1])
	w.of, w.group = nil, p
	needs("the end of all", p.workers...)
}

// If a wait counts on a thread of the pool that is not busy, and that has taken another call, the
// threads of the pool that wait look again.
func TestPool_next_spared(t *testing.T) {
	p := poolAtRest(2)
	for range 3 {
		p.add(p.records.Get(callq.Awaited, func() {}, 7), false)
	}
	w := &wait{call: p.backlog.Last.Value, of: &p.target}
	if w.needs() != nil || !p.spared {
		t.Fatal("the wait needs a thread, although one is coming")
	}
	e, y := p.workers[1], p.workers[0]
	y.busy.Store(true)
	theirs := &wait{call: e.q.Get(callq.Awaited, nothing, y.id), of: &e.target}
	theirs.call.Park()
	y.publish(theirs)
	if e.comes(t); !y.again.Load() || len(theirs.call.Token().C()) != 1 || p.spared {
		t.Error("all threads are busy, and the one that waits does not look again, once")
	}
	if len(w.needs()) != 2 {
		t.Error("the wait needs no thread, although all are busy")
	}
	e.busy.Store(false)
	w.needs()
	p.next(e)
	if p.next(e); p.spared {
		t.Error("the backlog is empty, and a wait still counts on it")
	}
}

// A function that runs for another thread serves, and so takes the call that was to be next.
func TestWait_passesOverWhatServeHasRun(t *testing.T) {
	hosts(t, func(e *Engine, _ chan bool, _ func(func())) {
		x := start(t)
		defer x.Terminate()
		var order []int
		x.Call(func() {
			e.Go(func() {
				order = append(order, 1)
				if n := e.Serve(1, nil); n != 1 {
					t.Errorf("Serve has run %d functions, want one", n)
				}
			})
			e.Go(func() {
				order = append(order, 2)
				for begin := clock.Now(); clock.Now() == begin; {
				}
			})
			e.Go(func() { order = append(order, 3) })
			e.Call(func() { order = append(order, 4) })
		})
		if !slices.Equal(order, []int{1, 2, 3, 4}) {
			t.Errorf("the functions have run in the order %v", order)
		}
	})
}

type group []*Engine

func (g *group) Workers() []*Engine { return *g }

// A thread waits for what threads of a Group are to do.
func TestWait_onAThread(t *testing.T) {
	e, done := start(t), make(chan struct{})
	var over atomic.Bool
	go func() {
		for e.wait.Load() == nil {
			runtime.Gosched()
		}
		for e.notify(nil); len(e.token.C()) > 0; {
			runtime.Gosched()
		}
		over.Store(true)
		close(done)
	}()
	testutil.Ends(t, func() {
		e.Call(func() {
			x := Wait(&group{newEngine(Config{})}, done, nil)
			if x != nil || !over.Load() || e.wait.Load() != nil {
				t.Errorf("it has not waited, or still does, or is told of a cycle with %v", x)
			}
			if n := e.rounds.Load(); n != 1 {
				t.Errorf("it has begun to wait %d times, want once", n)
			}
		})
	})
}

// The last to wait in a cycle, whose own call has begun, has those look again that can do without
// what they wait for.
func TestRescue_notifiesWhatWaitsForAPlace(t *testing.T) {
	x, y := newEngine(Config{}), newEngine(Config{})
	w := &wait{call: y.q.Get(callq.Awaited, nothing, x.id), of: &y.target}
	y.token = park.NewToken(false)
	w.call.Begun()
	y.publish(&wait{of: &x.target})
	x.publish(w)
	for what, begins := range map[string]func(){
		"has begun to wait": x.unpublish, "is to look anew": func() { x.again.Store(true) },
	} {
		for _, last := range []bool{true, false} {
			if last {
				begins()
			}
			if x.rescue(w) || (len(y.token.C()) == 1) != last {
				t.Errorf("it %s: %v; a call has run, or y looks again: %v", what, last, !last)
			}
			for len(y.token.C()) > 0 {
				<-y.token.C()
			}
		}
	}
}

// A wait for an end is the last of a cycle. It must have the thread look whose call is to be run.
func TestShutdown_wakesTheThreadThatItNeeds(t *testing.T) {
	a, b := start(t), start(t)
	c, o := New(Config{Own: true})
	defer runtime.KeepAlive(o)
	ran := false
	if err := c.Prepare([]Hook{{Stop: func() { a.Call(func() { ran = true }) }}}); err != nil {
		t.Fatal(err)
	}
	c.Start()
	testutil.Ends(t, func() {
		a.Call(func() {
			b.Call(func() {
				go c.Terminate()
				eventually(t, func() bool { return c.wait.Load() != nil && a.wait.Load() != nil },
					"the stop function of c waits for a, and a for b")
				_ = c.Shutdown(context.Background())
			})
		})
	})
	if ends(t, c); !ran {
		t.Error("the stop function's call has not run")
	}
}

// A thread that waits for several, itself included, is stuck whatever another of them does while it
// looks: that one may be taken from the several and never look itself. Random programs with keyed's
// limits have hung, because a change of any ended the look.
func TestReach_recheck(t *testing.T) {
	const x, y, z, w = 0, 1, 2, 3 // x looks, and y changes meanwhile
	for name, c := range map[string]struct {
		needs  [4][]int
		cyclic []int // afterwards
	}{
		"x needs itself":                  {[4][]int{{y, x}, {x}}, []int{x}},
		"y alone":                         {needs: [4][]int{{y}, {x}}},
		"y, and a cycle that x is not in": {needs: [4][]int{{y, z}, {x}, {z}}},
		"y, which needed what needs x":    {[4][]int{{y}, {z}, {x}}, []int{z}},
		"itself, and what needs y":        {[4][]int{{z, x}, {x}, {y}}, []int{x}},
		"y, and what needs x":             {[4][]int{{y, z}, {x}, {w}, {x}}, []int{x, z, w}},
		"y, and what needs several":       {[4][]int{{y, z}, {x}, {w, y}, {y, x}}, []int{x, z, w}},
		"y, and two that need each other": {needs: [4][]int{{y, z}, {x}, {w}, {z}}},
	} {
		var all [4]*Engine
		for i := range all {
			all[i] = newEngine(Config{})
		}
		for i, needs := range c.needs {
			var g group
			for _, n := range needs {
				g = append(g, all[n])
			}
			w := &wait{group: &g}
			if len(needs) == 1 && i != x {
				w = &wait{of: &g[0].target}
			}
			all[i].publish(w)
		}
		r := &all[x].seen
		if all[x].search(all[x].wait.Load()); !r.stuck {
			t.Errorf("%s: x is not stuck before y changes", name)
		}
		searches.mu.Lock()
		all[x].explore(all[x].wait.Load())
		all[y].unpublish()
		if got, want := r.recheck(), slices.Contains(c.cyclic, x); got != want {
			t.Errorf("%s: x is stuck: %v", name, got)
		}
		for i, e := range all {
			want := slices.Contains(c.cyclic, i)
			if e.epoch == searches.epoch && r.list[e.at].cyclic != want {
				t.Errorf("%s: thread %d is in a cycle: %v", name, i, !want)
			}
		}
		searches.mu.Unlock()
	}
}

// A wait for an end ends early although threads that it also depends on are in a cycle of their
// own, in which a call can run, or wait for a call that the thread can run.
func TestReach_final(t *testing.T) {
	x, y, z, w := newEngine(Config{}), newEngine(Config{}), newEngine(Config{}), newEngine(Config{})
	call := func(from, to *Engine) *wait {
		return &wait{of: &to.target, call: to.q.Get(callq.Awaited, nothing, from.id)}
	}
	stuck := func(name string, want bool) {
		t.Helper()
		if x.search(x.wait.Load()); !x.seen.stuck || x.seen.final != want {
			t.Errorf("%s, x is stuck: %v, for good: %v", name, x.seen.stuck, x.seen.final)
		}
	}
	x.publish(&wait{group: &group{y, z}, end: true})
	y.publish(&wait{of: &x.target, end: true})
	z.publish(call(z, w))
	w.publish(call(w, z))
	stuck("beside a cycle", true)
	y.publish(call(y, x))
	stuck("beside a call that it can run", false)
	z.publish(call(z, x))
	z.wait.Load().call.Begun()
	stuck("in a call, beside one that it can run", true)
	z.publish(&wait{of: &x.target})
	stuck("with one that does without a place", false)
}

// A search reads the waits again that it has found: one that has ended meanwhile closes no cycle.
func TestSearch_readsWaitsAgain(t *testing.T) {
	for _, ends := range []bool{false, true} {
		p := poolAtRest(1)
		a, b, worker := newEngine(Config{}), newEngine(Config{}), p.workers[0]
		worker.busy.Store(true)
		worker.publish(&wait{of: &a.target})
		b.publish(&wait{call: p.records.Get(callq.Awaited, nothing, b.id), of: &p.target})
		w := &wait{of: &b.target}
		a.publish(w)
		p.mu.Lock()
		found := make(chan bool)
		go func() { a.search(w); close(found) }()
		eventually(t, func() bool {
			stacks := make([]byte, 1<<20)
			return strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "(*Pool).needs(")
		}, "it has come to the wait for the pool")
		if ends {
			b.unpublish()
		}
		p.mu.Unlock()
		if testutil.Arrives(t, found); a.seen.stuck == ends {
			t.Errorf("the wait has ended: %v; is stuck: %v", ends, a.seen.stuck)
		}
	}
}

// A thread that waits for a cycle in which it is not is not stuck: others end that.
func TestSearch_isInNoCycleThatItOnlyWaitsFor(t *testing.T) {
	a, b, c := newEngine(Config{}), newEngine(Config{}), newEngine(Config{})
	b.publish(&wait{of: &c.target})
	c.publish(&wait{of: &b.target})
	w := &wait{of: &b.target}
	a.publish(w)
	if a.search(w); a.seen.stuck {
		t.Error("it is stuck")
	}
}
