package engine

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/testutil"
)

// poolAtRest returns a pool whose threads have found the backlog empty. They are not started: the
// test does what they do.
func poolAtRest(n int) *Pool {
	p := new(Pool)
	p.pool, p.records = p, callq.New()
	for i := range n {
		e := newEngine(Config{})
		e.of, e.pool, e.index = &p.target, p, i
		p.workers = append(p.workers, e)
		p.next(e)
	}
	p.on = p.workers[0]
	p.target.init(Config{}, new(Owner))
	return p
}

// comes is the thread e that was told: it takes the record that tells it, and what is to run next.
func (e *Engine) comes(t *testing.T) *callq.Call {
	t.Helper()
	c := e.q.Take()
	if c == nil || e.run(c, nil) || e.q.Take() != nil {
		t.Fatalf("thread %d was not told once", e.index)
	}
	return e.pool.next(e)
}

// Several goroutines call a pool, so the queue keeps a record for the thread that has used it.
func TestNewPool_keepsRecords(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p, o := NewPool(1, Config{})
	first, second := p.records.Get(callq.Awaited, nothing, 0), p.records.Get(callq.Awaited, nothing, 0)
	p.records.Put(second)
	p.records.Put(first)
	if c := p.records.Get(callq.Awaited, nothing, 0); c != second {
		t.Error("it is not kept")
	}
	p.Terminate()
	runtime.KeepAlive(o)
}

func TestPool_coming(t *testing.T) {
	p := poolAtRest(3)
	var calls [4]*callq.Call
	for i := range calls {
		calls[i] = p.records.Get(callq.Awaited, func() {}, 0)
		e, wake, _, ok := p.add(calls[i], false)
		if !ok || wake != (i == 0) || (e == p.workers[2]) != (i == 0) || (e == nil) != (i > 0) {
			t.Fatalf("call %d: told %v, woke %v, accepted %v", i, e, wake, ok)
		}
	}
	for i, e := range []*Engine{p.workers[2], p.workers[1], p.workers[0]} {
		if c := e.comes(t); c != calls[i] {
			t.Errorf("thread %d takes %p, want call %d, %p", e.index, c, i, calls[i])
		}
	}
	if p.coming > 0 || p.idle.Len > 0 {
		t.Errorf("coming %v, %d idle, while all run", p.coming, p.idle.Len)
	}
	if p.next(p.workers[1]) != calls[3] || p.next(p.workers[1]) != nil || p.idle.Len != 1 {
		t.Error("the thread that looks first does not take the last call, or is not idle afterwards")
	}
	if e, _, _, _ := p.add(p.records.Get(callq.Awaited, nothing, 0), false); e != p.workers[1] {
		t.Error("the thread that is idle is not told of the next call")
	}
}

// While a thread is coming, the caller of one call looks first. Nothing comes for that call until
// it has looked in vain, and then a thread does unless one is still coming.
func TestPool_aCallerLooks(t *testing.T) {
	for name, c := range map[string]struct {
		before, third, came bool // another call is queued before; after; the thread has come
		coming              int  // threads after seek
	}{
		"it comes":               {coming: 1},
		"it has come":            {came: true, coming: 1},
		"it has come, for three": {third: true, came: true, coming: 1},
		"the backlog is longer":  {before: true},
	} {
		p := poolAtRest(2)
		p.short = true
		add := func(may bool) (*callq.Call, *Engine, bool) {
			c := p.records.Get(callq.Awaited, nothing, 0)
			e, _, looks, _ := p.add(c, may)
			return c, e, looks
		}
		first, coming, looks := add(true)
		if coming != p.workers[1] || looks {
			t.Fatalf("%s: the first caller looks: %v", name, looks)
		}
		if c.before {
			add(false)
		}
		second, e, looks := add(true)
		if looks == c.before {
			t.Errorf("%s: the second caller looks: %v", name, looks)
		}
		if c.before {
			continue
		}
		if _, e, looks := add(c.third); e != nil || looks { // nothing comes, or one caller more looks
			t.Errorf("%s: a third caller looks: %v", name, looks)
		}
		third := p.backlog.Last.Value
		if !c.third {
			third.Node.Remove()
		}
		if e != coming || p.coming != 1 {
			t.Errorf("%s: %d threads are coming", name, p.coming)
		}
		if c.came {
			if p.next(coming) != first {
				t.Errorf("%s: the thread does not take the first call", name)
			}
			if others := p.coming > 0; others != c.third {
				t.Errorf("%s: another thread comes: %v", name, others)
			}
		}
		p.seek(second)
		p.seek(second) // once is enough
		if p.coming != c.coming || p.looks != nil {
			t.Errorf("%s: %d threads are coming after the look, want %d", name, p.coming, c.coming)
		}
	}
	p := poolAtRest(2)
	p.short = true
	p.add(p.records.Get(callq.Awaited, nothing, 0), true)
	c := p.records.Get(callq.Awaited, nothing, 0)
	p.add(c, true)
	if p.next(p.workers[1]); p.next(p.workers[1]) != c || p.looks != nil {
		t.Error("a call that was taken counts as one whose caller looks")
	}
	if p.seek(c); p.coming != 0 {
		t.Error("its caller has another thread notified")
	}
}

// All threads look again when the last that a wait has counted on takes a call, and only then.
func TestPool_spared(t *testing.T) {
	for _, spared := range []bool{false, true} {
		p := poolAtRest(2)
		for range 3 {
			p.add(p.records.Get(callq.Awaited, nothing, 0), false)
		}
		p.spared = spared
		for i, e := range p.workers {
			p.next(e)
			if again := e.again.Swap(false); again != (spared && i == 1) {
				t.Errorf("thread %d, spared %v: it looks again: %v", i, spared, again)
			}
		}
	}
}

// If functions are long, a thread comes for each call.
func TestPool_coming_forLongFunctions(t *testing.T) {
	p := poolAtRest(3)
	if p.long {
		t.Error("functions are long before one has run")
	}
	p.workers[0].idleState.every = 1 // it has looked at the clock after its last function
	p.next(p.workers[0])
	for i := range 4 {
		e, _, _, _ := p.add(p.records.Get(callq.Awaited, nothing, 0), false)
		if (e == nil) != (i == 3) {
			t.Errorf("call %d: told %v", i, e)
		}
	}
}

// A thread that has been chosen when Retire interrupts it looks by itself, and ends untold.
func TestPool_Retire_coming(t *testing.T) {
	p := poolAtRest(2)
	a, b := p.records.Get(callq.Posted, func() {}, 0), p.records.Get(callq.Posted, func() {}, 0)
	p.backlog.Append(&a.Node)
	p.backlog.Append(&b.Node)
	e := p.idle.Last.Value
	p.idle.Last.Remove()
	p.coming, e.coming = 1, true
	p.Retire()
	if e.comes(t) != a || p.next(e) != b {
		t.Error("what is queued is not run")
	}
	for _, e := range p.workers {
		if p.next(e) != nil || !e.q.Closed() {
			t.Errorf("thread %d does not end", e.index)
		}
	}
	if p.coming > 0 || e.Control(nil) {
		t.Error("a thread that has ended is still coming, or woken")
	}
	allocatesNothing(t, func() { e.Control(nil) }) // to a thread that has ended
}

// A thread of a pool whose start function is to run is not one that is about to take a call.
func TestFirst_makesAThreadBusy(t *testing.T) {
	e, _ := New(Config{})
	if e.First(nothing); !e.busy.Load() {
		t.Error("a wait would count on it")
	}
}

// A thread that waits for a function on each thread of a pool runs their calls meanwhile.
func TestPool_CallEach_onAThread(t *testing.T) {
	e := start(t)
	p, o := NewPool(3, Config{})
	defer runtime.KeepAlive(o)
	p.Start()
	defer ends(t, p)
	var ran atomic.Int32
	testutil.Ends(t, func() {
		e.Call(func() { p.CallEach(func(int) { e.Call(func() { ran.Add(1) }) }) })
	})
	if n := ran.Load(); n != 3 {
		t.Errorf("%d have called back, want 3", n)
	}
}

// What is to run on each thread of a pool that has ended runs on none.
func TestPool_CallEach_terminated(t *testing.T) {
	p, o := NewPool(3, Config{})
	defer runtime.KeepAlive(o)
	p.Terminate()
	testutil.Ends(t, func() { p.CallEach(func(int) { t.Error("it ran") }) })
}

// Threads that rest are woken, the first of several panics is raised, and the records that were
// waited for are given back.
func TestPool_CallEach_raisesTheFirstPanic(t *testing.T) {
	p, o := NewPool(3, Config{})
	defer runtime.KeepAlive(o)
	p.Start()
	defer ends(t, p)
	var first []*callq.Call
	for _, e := range p.workers {
		e.rests(t)
		c := e.q.Get(callq.Awaited, nil, 0)
		first = append(first, c)
		c.Drop()
	}
	testutil.Ends(t, func() {
		v := testutil.Recovered(func() {
			p.CallEach(func(i int) {
				if i > 0 {
					panic(i)
				}
			})
		})
		if v != 1 {
			t.Errorf("it panics with %v, want 1", v)
		}
	})
	for i, e := range p.workers[:2] {
		if e.q.Get(callq.Awaited, nil, 0) != first[i] {
			t.Errorf("the record of thread %d is not given back", i)
		}
	}
}

// What calls do by chance, and only while something spins, is run here for the check that it does
// not allocate.
func BenchmarkThread(b *testing.B) {
	p, o := NewPool(1, Config{})
	defer runtime.KeepAlive(o)
	e := p.workers[0]
	c := e.q.Get(callq.Awaited, nil, 0)
	for b.Loop() {
		p.looks = c
		p.seek(c)
		e.yields.kind.Store(yieldOwn)
		e.yield(nil)
		e.Counts.Idled(0)
	}
}
