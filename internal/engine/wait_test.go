package engine

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/cores"
	"github.com/threadcall/threadcall/internal/sched"
	"github.com/threadcall/threadcall/internal/testutil"
)

func needsSpinning(t *testing.T) {
	t.Helper()
	eventually(t, func() bool { return cores.Usable() != 0 }, "the number of cores is known")
	if min(cores.Usable(), runtime.GOMAXPROCS(0)) < 2 || runtime.GOARCH == "wasm" {
		t.Skip("nothing spins here")
	}
}

// maySpin makes the calling thread, which is e's, spin when it has nothing to do, whatever it has
// measured. It is false if there is no slot.
func maySpin(e *Engine) bool {
	r := &e.idleState
	for start := time.Now(); !r.spins; time.Sleep(time.Millisecond) {
		r.policy = spinPolicy{price: maxPrice, gain: maxPrice, run: minRun}
		if !e.startSpinning() && time.Since(start) > testutil.TimeLimit() {
			return false
		}
	}
	return true
}

// noSpinners reports whether no thread spins, or would.
func noSpinners() bool {
	now := clock.Now()
	return spinners.free(now) == spinners.atOnce(now)/2
}

func TestSpin_vain(t *testing.T) {
	needsSpinning(t)
	e := start(t)
	for range 100 {
		spins := make(chan bool, 1)
		e.Go(func() { spins <- maySpin(e) })
		if !<-spins {
			t.Fatal("there is no slot")
		}
		parked := func() bool { return e.mode.Load() == inScheduler && e.q.Resting() }
		eventually(t, parked, "the thread waits in the Go scheduler")
		eventually(t, noSpinners, "it has given back its slot")
		if !e.Call(func() {}) {
			t.Fatal("a call did not run")
		}
	}
}

// A thread that gets posts only parks at once, also if it has learnt from calls to spin.
func TestSpin_notForPosts(t *testing.T) {
	needsSpinning(t)
	e := start(t)
	done := make(chan bool, 1)
	parks := func(f func()) {
		e.Go(func() { f(); done <- true })
		testutil.Arrives(t, done)
		eventually(t, func() bool { return e.mode.Load() == inScheduler && e.q.Resting() }, "it parks")
	}
	for range memory + 1 {
		parks(func() {})
	}
	spins := make(chan bool, 1)
	parks(func() { spins <- maySpin(e) })
	if !testutil.Arrives(t, spins) {
		t.Fatal("there is no slot")
	}
	parks(func() {
		if idles := e.idleState.window.idles; idles > 0 {
			t.Errorf("it has looked at its queue %d times", idles)
		}
	})
	if !e.Call(func() {
		if e.idleState.uncalled != 0 {
			t.Error("a call does not end that")
		}
	}) {
		t.Error("a call did not run")
	}
}

// servesContext has a goroutine adopt e and serve until it has run f.
func servesContext(e *Engine, f func()) {
	done := make(chan bool)
	go func() {
		defer close(done)
		e.Adopt()
		ctx, cancel := context.WithCancel(context.Background())
		e.Go(func() { f(); cancel() })
		_ = e.ServeContext(ctx)
	}()
	<-done
}

// Else no thread spins any more when as many have ended as there are slots.
func TestSpinSlot_end(t *testing.T) {
	needsSpinning(t)
	taken := func(e *Engine) *spinSlot { maySpin(e); return e.idleState.slot }
	for name, try := range map[string]func(e *Engine) *spinSlot{
		"its own function terminates it": func(e *Engine) (s *spinSlot) {
			e.Start()
			e.Call(func() { s = taken(e); e.Terminate() })
			return s
		},
		"a function calls Goexit and terminates it": func(e *Engine) *spinSlot {
			e.Start()
			s := make(chan *spinSlot, 1)
			e.Go(func() { defer e.Terminate(); s <- taken(e); runtime.Goexit() })
			return <-s
		},
		"it is retired": func(e *Engine) (s *spinSlot) {
			e.Start()
			e.Call(func() { s = taken(e); e.Retire() })
			return s
		},
		"ServeContext ends": func(e *Engine) (s *spinSlot) {
			servesContext(e, func() { s = taken(e) })
			e.Terminate()
			return s
		},
	} {
		e, o := New(Config{Own: name != "ServeContext ends"})
		s := try(e)
		if s == nil {
			t.Fatalf("%s: there is no slot", name)
		}
		eventually(t, func() bool { return s.seen.Load() == 0 }, name+"; the slot is given back")
		runtime.KeepAlive(o)
	}
}

// A thread and its caller need two cores.
func TestSpinSlots_take(t *testing.T) {
	var s spinSlots
	s.cores.Store(4)
	s.procs.Store(5)
	now := time.Hour
	s.checked.Store(int64(now))
	var first, second, third lease
	if !s.take(&first, now) || !s.take(&second, now) || first.slot == second.slot || s.free(now) != 0 {
		t.Fatal("four cores are not enough for two threads, or both have one slot")
	}
	if s.take(&third, now) || third.slot == nil || s.free(now) != -1 {
		t.Error("they are enough for a third, or that does not count")
	}
	late := now + slotLease
	if !first.renew(late) || !second.renew(late) || s.free(late+1) != 0 || !s.take(&first, late+1) {
		t.Error("a slot is given away whose thread has shown itself")
	}
	late += slotLease + 1
	var fourth lease
	if second.renew(late) || !s.take(&fourth, late) || s.free(late) != 0 {
		t.Error("a slot is not given away whose thread has not shown itself for long")
	}
	if second.leave(); second.slot != nil {
		t.Error("a slot that was lost is kept")
	}
	if first.leave(); s.free(late) != 1 {
		t.Error("a slot is not given back, or one of another thread is")
	}
	if s.procs.Store(1); s.take(&fourth, late) {
		t.Error("a thread and its caller spin on one core")
	}
}

// A thread whose slot another one has taken gets one of its own again.
func TestSpinSlots_take_again(t *testing.T) {
	var s spinSlots
	var mine, theirs lease
	const now = time.Hour
	s.take(&mine, now)
	first := mine.slot
	if s.take(&theirs, now+2*slotLease); theirs.slot != first {
		t.Fatal("the slot of a thread that has had no calls is not given away")
	}
	if s.take(&mine, now+2*slotLease); mine.slot == first || !mine.renew(now+2*slotLease) ||
		!theirs.renew(now+2*slotLease) {
		t.Error("two threads have one slot")
	}
	for range s.slots {
		s.take(new(lease), now)
	}
	var none lease
	if s.take(&none, now) || none.slot != nil {
		t.Error("there are more slots than there are")
	}
}

// Threads that take slots at the same time do not have more of the cores than there are.
func TestSpinSlots_take_atOnce(t *testing.T) {
	var s spinSlots
	s.cores.Store(6)
	s.procs.Store(6)
	const now = time.Hour
	s.checked.Store(int64(now))
	var spin, most atomic.Int32
	var all testutil.Group
	for range 8 {
		all.Go(func() {
			for range 1000 {
				var l lease
				if s.take(&l, now) {
					if n := spin.Add(1); n > most.Load() {
						most.Store(n)
					}
					runtime.Gosched()
					spin.Add(-1)
				}
				l.leave()
			}
		})
	}
	all.Wait()
	if most.Load() > 3 {
		t.Errorf("%d threads spin on six cores", most.Load())
	}
}

// With as many spinning functions as slots, nothing else in the process would ever spin.
func TestSpinSlot_lease(t *testing.T) {
	needsSpinning(t)
	var running []*Engine
	release := make(chan bool)
	for range spinners.atOnce(clock.Now()) / 2 {
		e, spins := start(t), make(chan bool)
		e.Go(func() {
			spins <- maySpin(e)
			<-release
		})
		if !<-spins {
			t.Fatal("there is no slot")
		}
		running = append(running, e)
	}
	other := start(t)
	other.Call(func() {
		if !maySpin(other) {
			t.Error("no slot is given away")
		}
	})
	close(release)
	for _, e := range running {
		parked := func() bool { return e.mode.Load() == inScheduler && e.q.Resting() }
		eventually(t, parked, "it spins no more")
		e.Call(e.idleState.policy.init)
	}
	eventually(t, noSpinners, "all slots are free")
}

// A thread that has run a function for long spins on only if there are cores for it.
func TestSpinSlot_lost(t *testing.T) {
	needsSpinning(t)
	for _, cores := range []bool{true, false} {
		e, _ := New(Config{})
		if !maySpin(e) {
			t.Fatal("there is no slot")
		}
		now := clock.Now() + 2*slotLease
		others := make([]lease, spinners.atOnce(now)/2)
		for i := range others {
			if !cores {
				spinners.take(&others[i], now)
			}
		}
		e.tick(now)
		if spins := e.idleState.spins; spins != cores || e.waits.spin.Load() > 0 != cores {
			t.Errorf("there are cores: %v; it spins: %v", cores, spins)
		}
		e.stopSpinning()
		for i := range others {
			others[i].leave()
		}
	}
}

// Else callers would look for an outcome that comes only when the host serves again.
func TestServeContext_offer(t *testing.T) {
	needsSpinning(t)
	e, o := New(Config{})
	for _, spins := range []bool{true, false} {
		servesContext(e, func() {
			if spins && !maySpin(e) {
				t.Error("there is no slot")
			}
			e.waits.offer.Store(1)
		})
		if s, o := e.waits.spin.Load(), e.waits.offer.Load(); s > 0 || o != 0 {
			t.Errorf("callers look for %d ns, and for %d ns after a wake-up", s, o)
		}
		e.Terminate()
		e, o = New(Config{})
	}
	runtime.KeepAlive(o)
}

// A caller and a thread that spin are told to yield, and do, in all ways of calling.
func TestYieldState_callers(t *testing.T) {
	needsSpinning(t)
	e, caller := start(t), start(t)
	for name, call := range map[string]func(){
		"Call": func() { e.Call(func() {}) },
		"Go":   func() { e.Go(func() {}) },
		"Call from a thread": func() {
			caller.Call(func() {
				e.yields.locked.Store(0)
				e.Call(func() {})
			})
		},
		"CallContext": func() { _ = e.CallContext(context.Background(), func() {}) },
	} {
		eventually(t, func() bool {
			e.Call(func() { maySpin(e); e.yields.kind.Store(yieldAll) })
			call()
			return e.yields.kind.Load() == 0
		}, name+" yields")
	}
	wanted := make(chan bool, 1)
	var again func()
	again = func() { // the thread's own posts do not yield
		if e.yields.kind.Load() == 0 {
			e.Go(again)
		} else {
			wanted <- true
		}
	}
	e.Go(again)
	eventually(t, func() bool { return len(wanted) == 1 }, "the thread has callers yield")
}

// What a spinning thread tells others, and what it measures.
func TestSpin(t *testing.T) {
	needsSpinning(t)
	for what, f := range map[string]func(e *Engine, r *idleState) bool{
		"shows that it has its slot": func(e *Engine, r *idleState) bool {
			before := r.slot.seen.Load()
			e.tick(clock.Now())
			return r.slot.seen.Load() > before
		},
		"has to pay for the time that it has lost": func(e *Engine, r *idleState) bool {
			r.policy.credit = 0
			e.waits.lost.Store(int64(time.Second))
			e.stopSpinning()
			return r.policy.credit < 0 && !e.startSpinning()
		},
		"begins only in a long run while others want the cores": func(e *Engine, r *idleState) bool {
			e.stopSpinning()
			crowded(t)
			r.policy.credit, r.policy.run = 0, minRun-1
			parks := !e.startSpinning()
			r.policy.run = minRun
			return parks && e.startSpinning()
		},
		"measures its first call": func(e *Engine, r *idleState) bool {
			e.stopSpinning()
			r.every = maxCalls
			ok := maySpin(e)
			r.policy.run, r.ticked = 0, clock.Now()
			e.took()
			return ok && r.policy.run > 0
		},
		"halves the run when calls pause": func(_ *Engine, r *idleState) bool {
			r.policy.run = time.Millisecond
			r.policy.periods(time.Second, 1)
			return r.policy.run == time.Millisecond/2
		},
		"earns what it has saved": func(e *Engine, r *idleState) bool {
			r.policy.credit = 0
			r.found += 1000
			e.stopSpinning()
			return r.policy.credit > 0
		},
	} {
		e := start(t) // of its own, so that no pause of another is in its way
		eventually(t, func() (ok bool) {
			e.Call(func() { ok = maySpin(e) && f(e, &e.idleState) })
			return ok
		}, "it "+what)
	}
}

// A caller looks at its record before anything else if the thread has come to all other calls, and
// advises to look. It then gives back the record as it is.
func TestCall_looksFirst(t *testing.T) {
	needsSpinning(t)
	for _, c := range []struct {
		behind bool
		spin   time.Duration
		looks  bool
	}{
		{false, time.Hour, true}, {false, 0, false}, {false, parkAtOnce, false}, {true, time.Hour, false},
	} {
		e, _ := New(Config{})
		e.own = true // it looks at its queue
		e.q.Awake()
		e.waits.spin.Store(int64(c.spin))
		looks := func() (looks bool) {
			var calls, returned atomic.Int32
			var caller testutil.Group
			const rounds = 500
			caller.Go(func() {
				for i := range int32(rounds) {
					for calls.Load() == i { // so that both run when it calls
						runtime.Gosched()
					}
					e.Call(nothing)
					returned.Add(1)
				}
			})
			for i := range int32(rounds) {
				if c.behind {
					e.Go(nothing)
				}
				before := e.Queued()
				for calls.Add(1); e.Queued() == before; {
					runtime.Gosched()
				}
				if c.behind {
					e.runPosted(e.q.Take())
				}
				record := e.q.Take()
				for record.Settle(callq.Ran); returned.Load() == i; {
					runtime.Gosched()
				}
				looks = looks || record.Outcome() == callq.Ran
			}
			caller.Wait()
			return looks
		}
		if c.looks {
			eventually(t, looks, "a caller looks first")
		} else if looks() {
			t.Errorf("behind others: %v, advised to look for %v: a caller looks first", c.behind, c.spin)
		}
	}
}

// A caller says when it has woken the thread; it sees an outcome at once.
func TestLook(t *testing.T) {
	needsSpinning(t)
	e, _ := New(Config{})
	e.mode.Store(inScheduler)
	e.waits.timed.Store(true)
	if e.wake(); e.waits.pushed.Load() == 0 {
		t.Error("it does not say when it has woken the thread")
	}
	c := e.q.Get(callq.Awaited, nil, 0)
	e.waits.look(c, clock.Now(), time.Millisecond, false)
	if e.waits.look(c, clock.Now()-time.Second, time.Second, false); e.waits.lost.Load() == 0 {
		t.Error("it does not say for how long it has not run")
	}
	e.waits.look(c, clock.Now()-time.Second, time.Second, true)
	e.waits.lost.Store(0)
	inVain := func() bool { e.waits.meet(c, meets); return e.waits.lost.Load() != 0 }
	eventually(t, inVain, "it says for how long it has looked in vain")
	crowded(t)
	e.waits.lost.Store(0)
	eventually(t, func() bool {
		before := time.Duration(e.waits.lost.Load())
		e.waits.meet(c, meets)
		d := time.Duration(e.waits.lost.Load()) - before
		return d >= 3*firstPrice && d < meetFor
	}, "it looks for a short time on a crowded machine")
	others.over.Store(0)
	c.Settle(callq.Ran)
	met := func() bool { return e.waits.meet(c, meets) == callq.Ran }
	eventually(t, met, "it meets the thread")
	takesTurns := make(chan bool)
	go func() { takeTurns(c, time.Hour); close(takesTurns) }()
	testutil.Arrives(t, takesTurns)
}

func TestYieldState_yield(t *testing.T) {
	e, _ := New(Config{})
	e.yields.kind.Store(yieldAll)
	if e.yield(e); e.yields.locked.Load() == 0 {
		t.Error("it does not")
	}
}

// A caller that yields lets others run once, if they take as long as a yield.
func TestYield_isLongEnough(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	e, _ := New(Config{})
	eventually(t, func() bool {
		var turns, stop atomic.Int32
		var other testutil.Group
		other.Go(func() {
			for ; stop.Load() == 0; runtime.Gosched() {
				turns.Add(1)
				for start := clock.Now(); clock.Now()-start < 2*quickYield; {
				}
			}
		})
		e.yields.kind.Store(yieldOwn)
		e.yield(nil)
		n := turns.Load()
		stop.Store(1)
		other.Wait()
		return n == 1
	}, "others run once")
}

// A poster on a thread yields, too, but not the thread itself.
func TestNotify_yields(t *testing.T) {
	e, other := start(t), start(t)
	for on, want := range map[*Engine]uint32{e: yieldOwn, other: 0} {
		on.Call(func() {
			e.yields.kind.Store(yieldOwn)
			if e.Notify(false); e.yields.kind.Load() != want {
				t.Errorf("on itself: %v; told to yield: %d", on == e, e.yields.kind.Load())
			}
		})
	}
}

func TestSpinPolicy(t *testing.T) {
	const µs = time.Microsecond
	times := slices.Repeat[[]time.Duration]
	short, long := []time.Duration{µs}, []time.Duration{time.Millisecond}
	frame := func(short int) (f []time.Duration) {
		for range short {
			f = append(f, 5*time.Microsecond)
		}
		return append(f, 16*time.Millisecond)
	}
	for name, c := range map[string]struct {
		before, load []time.Duration
		n            int // times load
		pays         bool
	}{
		"eight short calls after lone ones":  {times(long, 1000), short, 9, true},
		"four long calls after short ones":   {times(short, 1000), long, 4, false},
		"one long call after short ones":     {times(short, 1000), long, 1, true},
		"frames of 50 calls":                 {nil, frame(50), 20, true},
		"frames of 10 calls":                 {nil, frame(10), 20, true},
		"three calls a step of a debugger":   {nil, frame(2), 20, false},
		"calls just below the price":         {nil, []time.Duration{24 * µs}, 100, true},
		"calls that come later than a spin":  {nil, []time.Duration{40 * µs}, 100, false},
		"calls above the price":              {nil, []time.Duration{32 * µs}, 100, false},
		"nothing known":                      {nil, nil, 0, false},
		"short calls from the first of them": {nil, short, 7, true},
	} {
		var p spinPolicy
		p.init()
		p.price = 25 * time.Microsecond
		for _, d := range append(c.before, times(c.load, c.n)...) {
			p.periods(d, 1)
		}
		if p.pays(false) != c.pays {
			t.Errorf("%s: pays is %t; gain %v, price %v", name, !c.pays, p.gain, p.price)
		}
	}
	var p spinPolicy
	p.init()
	for range 40 {
		p.paid(30 * time.Microsecond)
	}
	if p.price < 28*time.Microsecond || p.price > 30*time.Microsecond {
		t.Errorf("calls cost 30 µs each, and the price is %v", p.price)
	}
	p.paid(time.Second)
	if p.price > maxPrice {
		t.Errorf("one call that others delayed has made the price %v", p.price)
	}
}

// While goroutines wait for a P, a call that is parked costs its CPU time, and not all its time.
func TestSpinPolicy_contended(t *testing.T) {
	for _, c := range []struct {
		contended   int32
		price, call time.Duration
		pays        bool
	}{
		{believed - 1, maxPrice, 24 * time.Microsecond, true},
		{believed, maxPrice, 24 * time.Microsecond, false},
		{believed, maxPrice, cpuPrice, true},
		{believed, minPrice, minPrice, true},
		{believed, minPrice, 2 * minPrice, false},
	} {
		p := spinPolicy{price: c.price, contended: c.contended}
		for range memory * memory {
			p.periods(c.call, 1)
		}
		if p.pays(false) != c.pays {
			t.Errorf("calls come each %v, parking takes %v, contended at %d of the looks: pays is %v",
				c.call, c.price, c.contended, !c.pays)
		}
	}
}

// A timeslice that is lost costs as much as many calls save.
func TestSpinPolicy_credit(t *testing.T) {
	const slice = 4 * time.Millisecond
	p := spinPolicy{price: 20 * time.Microsecond, gain: time.Hour}
	parked := func(n int) bool {
		for range n {
			p.periods(0, 1)
		}
		return p.pays(false)
	}
	p.earn(-slice)
	for range 6 {
		if parked(50) {
			t.Fatal("six frames of 50 calls pay for a timeslice")
		}
		p.periods(time.Second, 1)
	}
	if p.gain = time.Hour; !parked(50) {
		t.Error("seven do not")
	}
	p.credit = 0
	if p.earn(-slice); p.pays(false) {
		t.Error("another timeslice costs nothing")
	}
	if p.earn(3 * slice); !p.pays(false) {
		t.Error("what a spin saves does not count")
	}
	if p.earn(-slice); !p.pays(false) {
		t.Error("what a spin has saved pays for nothing afterwards")
	}
	if p.earn(time.Hour); p.credit > maxCredit {
		t.Errorf("what spins have saved pays for %v", p.credit)
	}
	if p.earn(-time.Hour); !parked(5000) {
		t.Error("one attempt keeps the thread from others for long")
	}
}

// crowded makes the machine one on which others want the cores.
func crowded(t *testing.T) {
	others.over.Store(believed)
	others.sampled.Store(int64(clock.Now() + time.Hour))
	t.Cleanup(func() { others.over.Store(0); others.sampled.Store(0) })
}

func TestCrowd(t *testing.T) {
	var c crowd
	count := func(n, threads int) bool {
		for range n {
			c.count(threads, 3, 4)
		}
		return c.crowded()
	}
	if count(believed-1, 6) || !count(1, 6) {
		t.Error("not the fourth sample with too many threads is believed")
	}
	if count(believed-1, 6); !count(1, 5) || count(1, 5) {
		t.Error("one with less does not count twice")
	}
	if count(100, 5) || count(believed-1, 6) || !count(100, 6) || count(3, 5) {
		t.Error("what was long ago counts")
	}
	var l sched.Load
	eventually(t, func() bool { return cores.Usable() != 0 }, "what the kernel counts is known")
	_, _, counts := cores.Runnable()
	sampled := func(now time.Duration) (at, counted bool) {
		c.sampled.Store(int64(time.Hour))
		c.over.Store(believed)
		c.sample(now, &l)
		return c.sampled.Load() != int64(time.Hour), c.over.Load() != believed
	}
	if at, counted := sampled(time.Hour + sampleAfter - 1); at || counted {
		t.Error("it samples again at once")
	}
	if at, counted := sampled(time.Hour + sampleAfter); !at || counted != counts {
		t.Error("it does not sample again")
	}
}

// A caller looks for its outcome for a while, whatever it knows of the thread, and then goes to the
// Go scheduler.
func TestLook_vain(t *testing.T) {
	e, _ := New(Config{})
	limits := []time.Duration{0, time.Microsecond, time.Millisecond}
	for i := range 8 * len(limits) {
		limit, woke, behind, on := int64(limits[i/8]), i&1 != 0, i&2 != 0, e
		if i&4 != 0 {
			on = nil
		}
		e.waits.spin.Store(limit)
		e.waits.offer.Store(meets)
		e.waits.price.Store(limit)
		c := e.q.Get(callq.Awaited, func() {}, 0)
		looked := make(chan callq.Outcome, 1)
		go func() { looked <- e.waits.wait(c, on, woke, behind) }()
		if o := testutil.Arrives(t, looked); o != 0 {
			t.Errorf("the outcome is %d", o)
		}
	}
}

// With Parks, a caller parks at once, and the thread takes no slot and offers nothing.
func TestConfig_parks(t *testing.T) {
	e, _ := New(Config{Parks: true})
	e.waits.spin.Store(int64(time.Hour))
	e.waits.price.Store(int64(time.Hour))
	for _, behind := range []bool{false, true} {
		c := e.q.Get(callq.Awaited, func() {}, 0)
		looked := make(chan callq.Outcome, 1)
		go func() { looked <- e.waits.wait(c, nil, false, behind) }()
		testutil.Arrives(t, looked)
	}
	e.idleState.policy = spinPolicy{price: maxPrice, gain: maxPrice}
	if e.startSpinning() || e.affords(clock.Now()) {
		t.Error("the thread spins, or offers to")
	}
}

// What a thread advises callers that find it up: to look, if a call costs less CPU time when all of
// them look than when they park and are woken.
func TestAdvise(t *testing.T) {
	const µs = time.Microsecond
	const looks = 1
	hasCores(t, 16)
	for name, c := range map[string]struct {
		calls, grabs, idles int
		each                time.Duration // of a call
		slots               int           // free beside the thread's
		want                int64
	}{
		"one caller":                          {10, 10, 10, µs, 0, looks},
		"one caller, functions of 9 µs":       {10, 10, 10, 9 * µs, 7, looks},
		"one caller, functions of 10 µs":      {10, 10, 10, 10 * µs, 7, 0},
		"two callers, two cores":              {10, 10, 0, µs, 0, 0},
		"two callers, four cores":             {10, 10, 0, µs, 1, looks},
		"two callers, functions of 20 µs":     {10, 10, 0, 20 * µs, 7, parkAtOnce},
		"sixteen callers, sixteen cores":      {150, 10, 0, µs, 7, 0},
		"sixteen callers, functions of 3 µs":  {150, 10, 0, 3 * µs, 32, 0},
		"sixteen callers, functions of 50 ns": {150, 10, 0, 50, 32, looks},
	} {
		e, _ := New(Config{})
		r := &e.idleState
		r.policy.price = 20 * µs
		r.spins = true
		now := time.Hour
		r.ticked = now - time.Duration(c.calls)*c.each
		r.window = window{idles: c.idles, grabs: e.q.Grabs() - uint64(c.grabs)}
		e.advise(now, c.calls, c.slots)
		if spin := e.waits.spin.Load(); min(spin, looks) != c.want {
			t.Errorf("%s: callers look for %v", name, spin)
		}
	}
}

// A tick measures the calls since the last one.
func TestTick_measuresFromTheLast(t *testing.T) {
	e, _ := New(Config{})
	r := &e.idleState
	e.tick(time.Hour) // a new thread does not know when it was woken
	r.taken = 9
	now := r.ticked + 10*time.Millisecond
	r.let = now // or it may yield
	if e.tick(now); r.ticked != now || r.taken != 0 || r.every != 1 {
		t.Errorf("at %v: ticked %v, %d calls since, the next after %d", now, r.ticked, r.taken, r.every)
	}
}

// A caller that sees an outcome while it spins need not have been told that its function has run.
func TestWaitState_outcomes(t *testing.T) {
	e, _ := New(Config{})
	e.q.Awake() // as a thread that spins
	e.waits.spin.Store(int64(10 * time.Microsecond))
	done := make(chan bool)
	go func() {
		defer close(done)
		for range 10_000 {
			if e.Call(func() {}) {
				t.Error("a call that was refused returned true")
				return
			}
		}
	}()
	eventually(t, func() bool {
		for range 1000 {
			if c := e.q.Take(); c != nil {
				c.Settle(callq.Refused)
			}
			runtime.Gosched()
		}
		select {
		case <-done:
			return true
		default:
			return false
		}
	}, "the calls end")
}
