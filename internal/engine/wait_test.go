package engine

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/cores"
	"github.com/threadcall/threadcall/internal/spin"
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
	for start := time.Now(); !r.Spins; time.Sleep(time.Millisecond) {
		r.Policy = spin.Policy{Price: 40 * µs, Gain: 40 * µs, Run: time.Second}
		if !e.startSpinning() && time.Since(start) > testutil.TimeLimit() {
			return false
		}
	}
	return true
}

// noSpinners reports whether no thread spins, or would.
func noSpinners() bool {
	now := clock.Now()
	return spin.Spinners.Free(now) == spin.Spinners.AtOnce(now)/2
}

// rests waits until the thread waits in the Go scheduler.
func (e *Engine) rests(t *testing.T) {
	t.Helper()
	rests := func() bool { return e.mode.Load() != up && e.q.Resting() }
	eventually(t, rests, "the thread waits in the Go scheduler")
}

// What wakes a thread says when, but for posts, unless the thread asks for that.
func TestWake_notesTheTime(t *testing.T) {
	needsSpinning(t)
	for name, c := range map[string]struct {
		wakes func(e *Engine)
		notes bool
	}{
		"Go, asked": {func(e *Engine) {
			e.Call(func() { e.idleState.Policy.Gain = 0 })
			e.rests(t)
			e.waits.Pushed.Store(0)
			e.Go(nothing)
		}, true},
		"Call":        {func(e *Engine) { e.Call(nothing) }, true},
		"CallContext": {func(e *Engine) { _ = e.CallContext(t.Context(), nothing) }, true},
		"Control":     {func(e *Engine) { e.Control(nothing) }, true},
		"Go":          {func(e *Engine) { e.Go(nothing) }, false},
		"TryGo":       {func(e *Engine) { e.TryGo(nothing) }, false},
	} {
		e := start(t)
		e.rests(t)
		if e.waits.Pushed.Store(0); !e.waits.Timed.Load() {
			t.Fatal("a new thread asks for no times")
		}
		c.wakes(e)
		if noted := e.waits.Pushed.Load() != 0; noted != c.notes {
			t.Errorf("%s notes the time: %v, want %v", name, noted, c.notes)
		}
	}
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
		e.rests(t)
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
		e.rests(t)
	}
	for range spin.Memory + 1 {
		parks(func() {})
	}
	spins := make(chan bool, 1)
	parks(func() { spins <- maySpin(e) })
	if !testutil.Arrives(t, spins) {
		t.Fatal("there is no slot")
	}
	parks(func() {
		if idles := e.idleState.Window.Idles; idles > 0 {
			t.Errorf("it has looked at its queue %d times", idles)
		}
	})
	if !e.Call(func() {
		if e.idleState.Uncalled != 0 {
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
	taken := func(e *Engine) *spin.Slot { maySpin(e); return e.idleState.Slot }
	for name, try := range map[string]func(e *Engine) *spin.Slot{
		"its own function terminates it": func(e *Engine) (s *spin.Slot) {
			e.Start()
			e.Call(func() { s = taken(e); e.Terminate() })
			return s
		},
		"a function calls Goexit and terminates it": func(e *Engine) *spin.Slot {
			e.Start()
			s := make(chan *spin.Slot, 1)
			e.Go(func() { defer e.Terminate(); s <- taken(e); runtime.Goexit() })
			return <-s
		},
		"it is retired": func(e *Engine) (s *spin.Slot) {
			e.Start()
			e.Call(func() { s = taken(e); e.Retire() })
			return s
		},
		"ServeContext ends": func(e *Engine) (s *spin.Slot) {
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
		eventually(t, func() bool { return s.Seen.Load() == 0 }, name+"; the slot is given back")
		runtime.KeepAlive(o)
	}
}

// With as many spinning functions as slots, nothing else in the process would ever spin.
func TestSpinSlot_lease(t *testing.T) {
	needsSpinning(t)
	var running []*Engine
	release := make(chan bool)
	for range spin.Spinners.AtOnce(clock.Now()) / 2 {
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
		e.rests(t)
		e.Call(e.idleState.Policy.Init)
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
		now := clock.Now() + 2*spin.CoreLost
		others := make([]spin.Lease, spin.Spinners.AtOnce(now)/2)
		for i := range others {
			if !cores {
				spin.Spinners.Take(&others[i], now)
			}
		}
		e.tick(now)
		if spins := e.idleState.Spins; spins != cores || e.waits.Spin.Load() > 0 != cores {
			t.Errorf("there are cores: %v; it spins: %v", cores, spins)
		}
		e.idleState.Stop()
		for i := range others {
			others[i].Leave()
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
			e.waits.Offer.Store(1)
		})
		if s, o := e.waits.Spin.Load(), e.waits.Offer.Load(); s > 0 || o != 0 {
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
	hasCores(t, 2)
	e, caller := start(t), start(t)
	for name, call := range map[string]func(){
		"Call": func() { e.Call(func() {}) },
		"Go":   func() { e.Go(func() {}) },
		"Call from a thread": func() {
			caller.Call(func() {
				e.Call(func() {})
			})
		},
		"CallContext": func() { _ = e.CallContext(context.Background(), func() {}) },
	} {
		eventually(t, func() bool {
			e.Call(func() { maySpin(e); e.yields.kind.Store(yieldAll) })
			call()
			kind := e.yields.kind.Load()
			return kind == 0 || kind == yieldThread && strings.HasSuffix(name, "thread")
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
			before := r.Slot.Seen.Load()
			e.tick(clock.Now())
			return r.Slot.Seen.Load() > before
		},
		"has to pay for the time that it has lost": func(e *Engine, r *idleState) bool {
			r.Policy.Credit = 0
			e.waits.Lost.Store(int64(time.Second))
			e.idleState.Stop()
			return r.Policy.Credit < 0 && !e.startSpinning()
		},
		"measures its first call": func(e *Engine, r *idleState) bool {
			e.idleState.Stop()
			r.every = maxCalls
			ok := maySpin(e)
			r.Policy.Run, r.ticked = 0, clock.Now()
			e.took()
			return ok && r.Policy.Run > 0
		},
		"earns what it has saved": func(e *Engine, r *idleState) bool {
			r.Policy.Credit = 0
			r.Found += 1000
			e.idleState.Stop()
			return r.Policy.Credit > 0
		},
	} {
		e := start(t) // of its own, so that no pause of another is in its way
		eventually(t, func() (ok bool) {
			e.Call(func() { ok = maySpin(e) && f(e, &e.idleState) })
			return ok
		}, "it "+what)
	}
}

// A caller looks at its record if the thread advises that, and else parks. Its record has a token
// once it has parked.
func TestCall_looksIfAdvised(t *testing.T) {
	needsSpinning(t)
	hasCores(t, 2) // with more Ps, a caller behind others looks as well
	for _, c := range []struct {
		behind bool
		spin   time.Duration
		looks  bool
	}{
		{false, time.Hour, true}, {false, 0, false}, {false, spin.ParkAtOnce, false},
		{true, time.Hour, false},
	} {
		e, _ := New(Config{})
		e.own = true // it looks at its queue
		e.q.Awake()
		e.waits.Spin.Store(int64(c.spin))
		for range 50 {
			if c.behind {
				e.Go(nothing)
			}
			before := e.Queued()
			var caller testutil.Group
			caller.Go(func() { e.Call(nothing) })
			eventually(t, func() bool { return e.Queued() > before }, "a call is queued")
			if c.behind {
				e.runPosted(e.q.Take())
			}
			record := e.q.Take()
			if !c.looks {
				eventually(t, func() bool { return record.Token() != nil }, "%+v: it parks", c)
			}
			for range 10 {
				runtime.Gosched() // a caller that parks would have time to do so
			}
			record.Settle(callq.Ran)
			if caller.Wait(); c.looks && record.Token() != nil {
				t.Fatal("a caller that is to look has parked")
			}
		}
	}
}

func TestYieldState_yield(t *testing.T) {
	e, _ := New(Config{})
	for self, want := range map[*Engine]uint32{nil: 0, e: yieldThread} {
		for _, kind := range []uint32{yieldOwn, yieldAll} {
			e.yields.kind.Store(kind)
			if e.yield(self); e.yields.kind.Load() != want {
				t.Errorf("on a thread: %v; told %d, then %d", self != nil, kind, e.yields.kind.Load())
			}
		}
		e.yields.kind.Store(yieldThread)
		if e.yield(self); e.yields.kind.Load() != yieldThread {
			t.Errorf("on a thread: %v; the thread does not yield", self != nil)
		}
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
	for _, on := range []*Engine{e, other} {
		on.Call(func() {
			e.yields.kind.Store(yieldOwn)
			if e.Notify(false); (e.yields.kind.Load() == yieldOwn) != (on == e) {
				t.Errorf("on itself: %v; told to yield: %d", on == e, e.yields.kind.Load())
			}
		})
	}
}

// A tick measures the calls since the last one.
func TestTick_measuresFromTheLast(t *testing.T) {
	e, _ := New(Config{})
	r := &e.idleState
	e.tick(time.Hour) // a new thread does not know when it was woken
	r.taken = 9
	now := r.ticked + 10*time.Millisecond
	r.let, r.yielded = now, now // or it may yield, or count the cores, at a time that is to come
	if e.tick(now); r.ticked != now || r.taken != 0 || r.every != 1 {
		t.Errorf("at %v: ticked %v, %d calls since, the next after %d", now, r.ticked, r.taken, r.every)
	}
}

// A caller that sees an outcome while it spins need not have been told that its function has run.
func TestWaitState_outcomes(t *testing.T) {
	e, _ := New(Config{})
	e.q.Awake() // as a thread that spins
	e.waits.Spin.Store(int64(10 * time.Microsecond))
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

// With Parks, a caller parks at once, and the thread takes no slot.
func TestConfig_parks(t *testing.T) {
	e, _ := New(Config{Parks: true})
	e.waits.Spin.Store(int64(time.Hour))
	e.waits.Price.Store(int64(time.Hour))
	for _, behind := range []bool{false, true} {
		c := e.q.Get(callq.Awaited, func() {}, 0)
		looked := make(chan callq.Outcome, 1)
		go func() { looked <- e.waits.Wait(c, false, false, behind) }()
		testutil.Arrives(t, looked)
	}
	e.idleState.Policy = spin.Policy{Price: 40 * µs, Gain: 40 * µs, Run: time.Second}
	if e.startSpinning() {
		t.Error("the thread spins")
	}
}
