package engine

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/sched"
	"github.com/threadcall/threadcall/internal/spin"
	"github.com/threadcall/threadcall/internal/testutil"
)

const µs = time.Microsecond

// hasCores makes the machine one on which n goroutines run at once.
func hasCores(t *testing.T, n int32) {
	cores, procs := spin.Spinners.Cores.Swap(n), spin.Spinners.Procs.Swap(n)
	checked := spin.Spinners.Checked.Swap(int64(clock.Now() + time.Hour))
	t.Cleanup(func() {
		spin.Spinners.Cores.Store(cores)
		spin.Spinners.Procs.Store(procs)
		spin.Spinners.Checked.Store(checked)
	})
}

// yields reports whether f, which may be called several times, lets another goroutine run that is
// ready. With one P, nothing else does for 10 ms, and it does but for each 61st time.
func yields(f func()) bool {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var ran atomic.Bool
	for i := 0; i < 5 && !ran.Load(); i++ {
		go ran.Store(true)
		f()
	}
	return ran.Load()
}

// A thread that has several callers runs last while other goroutines wait for the Ps, and no other
// does.
func TestRest_runsLast(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for name, c := range map[string]struct {
		callers, computing int
		last               bool
	}{
		"several callers, others compute": {3, 1, true},
		"one caller, others compute":      {1, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			e := start(t)
			if _, ok := e.idleState.Load.Waiting(0); !ok {
				t.Skip("the runtime does not say how many goroutines run")
			}
			var stop atomic.Bool
			var all testutil.Group
			defer all.Wait()
			defer stop.Store(true)
			for range c.computing {
				all.Go(func() {
					for !stop.Load() {
						runtime.Gosched()
					}
				})
			}
			lasts := func() bool {
				eventually(t, e.q.Resting, "the thread rests") // before, it may let others run
				return e.waits.Offer.Load() == spin.RunLast
			}
			before := 0 // how many times another goroutine that was ready has run before the thread
			for attempt, rounds := 0, 0; attempt < 20; rounds++ {
				gate := make(chan bool)
				e.Go(func() { <-gate })
				var calls testutil.Group
				for range c.callers {
					calls.Go(func() { e.Call(nothing) })
				}
				eventually(t, func() bool { return e.Queued() == c.callers }, "the calls are queued")
				close(gate)
				calls.Wait()
				if rounds < 2*spin.Memory || lasts() != c.last && rounds < 10_000 {
					continue
				}
				if attempt++; lasts() != c.last {
					t.Fatalf("the thread runs last: %v", lasts())
				}
				var ran atomic.Bool
				go func() { ran.Store(true) }()
				e.Call(func() {
					if ran.Load() {
						before++
					}
				})
			}
			if before > 10 != c.last && !testutil.Race { // which mixes the order of goroutines
				t.Errorf("another goroutine has run before it %d times of 20", before)
			}
		})
	}
}

// What a thread notes when it was woken: since when it is up, and for how long it has rested. In a
// bubble, it measures nothing else.
func TestPark_rests(t *testing.T) {
	for _, bubble := range []uint64{0, 1} {
		e, _ := New(Config{})
		r := &e.idleState
		e.Go(nothing)
		e.q.Take()
		e.Go(nothing) // so it does not wait
		e.bubble = bubble
		down := clock.Now() - time.Second
		r.taken, r.Window.Idles = 7, 7
		e.Counts.Work(down - time.Second)
		before := r.Policy
		e.park(down)
		if r.ticked <= down || r.ticked > clock.Now() || r.taken != 0 || r.sleeps != 1 ||
			r.Window != (spin.Window{Grabs: 1}) || r.Policy != before {
			t.Errorf("it was down at %v: %+v", down, *r)
		}
		if !e.Counts.Works() || e.Counts.Busy(r.ticked) != time.Second {
			t.Errorf("it was busy for %v, want a second", e.Counts.Busy(r.ticked))
		}
	}
}

// Go's scheduler has no end of a timeslice for a locked goroutine and those that it wakes and that
// wake it. So a thread that has slept for short times only ends it.
func TestPark_letsOthersRun(t *testing.T) {
	hasCores(t, 2) // or they would be counted at a time to come
	type after int // what shared is
	const (
		same after = iota
		isDown
		isLater
	)
	for name, c := range map[string]struct {
		ago, slept time.Duration
		first      bool
		bubble     uint64
		several    bool
		want       after
	}{
		"of late":            {timeslice - 1, 0, false, 0, false, same},
		"a timeslice ago":    {timeslice, 0, false, 0, false, isLater},
		"several, of late":   {yieldAllAfter - 1, 0, false, 0, true, same},
		"it sleeps for long": {timeslice - 1, longSleep, false, 0, false, isLater},
		"its first park":     {time.Hour, 0, true, 0, false, isDown},
		"in a bubble":        {time.Hour, 0, false, 1, false, same},
	} {
		e, _ := New(Config{})
		e.Go(nothing) // so it does not wait
		r := &e.idleState
		down := clock.Now() + time.Hour // for which it does not sleep
		if c.slept > 0 {
			down = clock.Now() - c.slept
		}
		before := down - c.ago
		if r.Several = c.several; c.several {
			r.Parks(down, false)
		}
		if r.shared, e.bubble = before, c.bubble; !c.first {
			r.sleeps = 1
		}
		e.park(down)
		if got := r.shared; (got == before) != (c.want == same) || (got == down) != (c.want == isDown) {
			t.Errorf("%s: it has let others run %v before it was down", name, down-got)
		}
	}
	e, _ := New(Config{})
	if _, ok := e.idleState.Load.Waiting(0); !ok {
		return // before Go 1.26 it is not known whether one waits, and the thread yields seldom
	}
	e.Go(nothing)
	e.idleState.sleeps = 1
	if !yields(func() { e.idleState.shared = 0; e.park(time.Hour) }) {
		t.Error("a goroutine that is ready has not run")
	}
	r := &e.idleState
	several := func(asked, cores int) (yielded, shared bool) {
		hasCores(t, int32(cores))
		return yields(func() {
			down := clock.Now() + time.Hour // for which it does not sleep
			r.Several = true
			r.Parks(down, false)
			r.shared, r.asked = down-yieldAllAfter, down-time.Duration(asked)*yieldAllAfter/2
			e.park(down)
			shared = r.shared != down-yieldAllAfter
			if asks := asked >= 2; (r.asked == down) != asks {
				t.Errorf("it asks: %v, want %v", !asks, asks)
			}
		}), shared
	}
	for _, c := range []struct {
		asked, cores int // in halves of yieldAllAfter
		want         bool
	}{{2, 1, true}, {1, 1, false}, {2, 1000, false}} {
		eventually(t, func() bool { // or the runtime has let it run
			yielded, shared := several(c.asked, c.cores)
			return yielded == c.want && shared == c.want
		}, fmt.Sprintf("%+v: a goroutine that is ready runs or does not", c))
	}
}

// A thread that parks for the first time counts the cores, which callers that take turns ask for.
func TestPark_countsCores(t *testing.T) {
	hasCores(t, 64)
	for _, first := range []bool{true, false} {
		spin.Spinners.Cores.Store(0) // not known
		spin.Spinners.Procs.Store(0)
		e, _ := New(Config{})
		e.Go(nothing) // so it does not wait
		now := clock.Now()
		if !first {
			e.idleState.sleeps, e.idleState.shared = 1, now
		}
		e.park(now)
		if counted := spin.Spinners.Procs.Load() != 0; counted != first {
			t.Errorf("for the first time: %v; it counts: %v", first, counted)
		}
	}
}

// What the engine queues for itself says nothing about how long functions take.
func TestLoop_timesFunctionsOnly(t *testing.T) {
	e, _ := New(Config{})
	e.idleState.every = maxCalls
	cancel := make(chan struct{})
	e.cancel = cancel
	e.Control(nothing)
	e.Go(nothing)
	e.Control(func() { close(cancel) })
	if e.loop(); e.idleState.taken != 1 {
		t.Errorf("after a function, %d count", e.idleState.taken)
	}
	e.Control(nothing)
	if n := e.Serve(0, nil); n != 0 || e.idleState.taken != 1 {
		t.Errorf("Serve: %d functions, %d count", n, e.idleState.taken)
	}
}

// When a thread that always has calls tells callers to yield, and when it yields itself.
func TestTick_yields(t *testing.T) {
	now := clock.Now()
	e, _ := New(Config{})
	if e.tick(now); e.yields.kind.Load() != 0 || e.Counts.At.Load() != int64(now) {
		t.Errorf("after a wait that is not timed, callers are told %d", e.yields.kind.Load())
	}
	for name, c := range map[string]struct {
		yielded, passed time.Duration // so long ago
		before, kind    uint32
		itself          bool
	}{
		"of late":                  {yieldAfter - 1, time.Hour, 0, 0, false},
		"posts alone":              {yieldPosts - 1, time.Hour, 0, 0, false},
		"its callers' P":           {yieldAfter, yieldAllAfter - 1, 0, yieldOwn, false},
		"all Ps":                   {yieldAfter, yieldAllAfter, 0, yieldAll, false},
		"heard of late":            {yieldAfter, time.Hour, 0, yieldAll, false},
		"unheard":                  {yieldAfter, unheardFor, yieldOwn, 0, true},
		"unheard for a short time": {yieldAfter, unheardFor - 1, yieldOwn, yieldAll, false},
		"unheard, told of late":    {yieldAfter - 1, unheardFor, yieldOwn, yieldOwn, false},
		"callers on a thread":      {yieldAfter - 1, 0, yieldThread, 0, true},
		"a P is free":              {yieldAfter, yieldAllAfter, 0, 0, false},
	} {
		hasCores(t, 2)
		if name == "a P is free" {
			hasCores(t, 64)
			if _, ok := e.idleState.Load.Waiting(0); !ok {
				continue // the runtime does not say so
			}
		}
		e, _ := New(Config{})
		r := &e.idleState
		yielded := yields(func() {
			r.ticked, r.yielded, r.passed, r.let = now, now-c.yielded, now-c.passed, now
			if name != "posts alone" {
				e.Counts.Calls++
			}
			e.yields.kind.Store(c.before)
			e.tick(now)
		})
		if kind := e.yields.kind.Load(); kind != c.kind {
			t.Errorf("%s: callers are told %d, want %d", name, kind, c.kind)
		}
		if c.itself && !yielded || (r.passed == now-c.passed) == c.itself {
			t.Errorf("%s: it yields: %v, and has passed at %v, now %v", name, yielded, r.passed, now)
		}
		told := c.kind != c.before || name == "a P is free"
		if (r.yielded == now-c.yielded) == told || e.Counts.At.Load() != int64(now) {
			t.Errorf("%s: yielded at %v, seen at %v, now %v", name, r.yielded, e.Counts.At.Load(), now)
		}
	}
}

// A thread that has had calls for long yields if goroutines wait for a P, and so lets its callers
// run. It asks the later, the longer that took.
func TestLetRun(t *testing.T) {
	hasCores(t, 2)
	e, _ := New(Config{})
	r := &e.idleState
	start := clock.Now()
	if e.tick(start); r.let != start {
		t.Errorf("it asks %v after its first call", r.let-start+askAfter)
	}
	told := func(spin, since, ago time.Duration) (now time.Duration) {
		now = clock.Now() - ago
		r.ticked, r.yielded, r.passed, r.let, r.woke = now, 0, 0, now-since, 2
		e.Counts.Calls++
		e.yields.kind.Store(0)
		e.waits.Spin.Store(int64(spin))
		e.tick(now)
		return now
	}
	for took, times := range map[time.Duration]time.Duration{
		longSleep / 2: 2, longSleep: spin.Memory, time.Second: spin.Memory,
	} {
		now := told(0, askAfter, took)
		if next := r.let + askAfter - now; next < (1+times)*took {
			t.Errorf("after %v it asks %v later", took, next)
		}
	}
	if told(0, askAfter, 0); !r.Several || r.woke != 0 {
		t.Error("it does not know that it has several callers")
	}
	eventually(t, func() bool {
		now := told(0, askAfter, 0)
		return r.let >= now && r.passed == 0 && r.yielded == now &&
			e.yields.kind.Load() == yieldAll && r.Policy.Contended == 0
	}, "nothing waits, and callers are told to yield")
	for _, c := range []struct {
		spin, since time.Duration
		asks        bool
	}{{0, askAfter - 1, false}, {0, askAfter, true}, {spin.ParkAtOnce, time.Hour, false}} {
		if now := told(c.spin, c.since, 0); (r.let != now-c.since) != c.asks {
			t.Errorf("advice %d: after %v, asks is %v", c.spin, c.since, !c.asks)
		}
	}
	e.Go(nothing) // so it does not wait
	r.let = clock.Now() + time.Hour
	if e.sleep(clock.Now()); r.let < clock.Now()+time.Minute {
		t.Error("after a sleep it asks sooner")
	}
	eventually(t, func() bool {
		down := clock.Now()
		r.Policy.Contended = 1
		now := e.sleep(down)
		return r.Policy.Contended == 1 && now-down < longSleep
	}, "a short sleep changes nothing")
	if e.sleep(clock.Now() - longSleep); r.Policy.Contended != 0 {
		t.Error("after a long sleep it counts on goroutines that wait for a P")
	}
	if _, ok := e.idleState.Load.Waiting(0); !ok {
		return // before Go 1.26 it is not known whether one waits, and the thread yields seldom
	}
	hasCores(t, 1)
	eventually(t, func() bool { // or the runtime has let it run
		r.Policy.Contended = 2
		return yields(func() { told(0, askAfter, 0) }) && r.passed != 0 && r.yielded == r.passed &&
			r.ticked == r.passed && e.yields.kind.Load() == 0 && r.Policy.Contended == 3
	}, "a goroutine that is ready runs, and callers need not yield")
	hasCores(t, 1000)
	eventually(t, func() bool {
		r.Policy.Contended = 2
		return !yields(func() { told(0, askAfter, 0) }) && r.Policy.Contended == 0
	}, "while Ps are free, they run what waits")
}

// While calls come several at once, the queue keeps a record for the thread that has used it; then
// a caller has the first record again.
func TestTick_tellsOfSeveral(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	e, _ := New(Config{})
	first, second := e.q.Get(callq.Awaited, nothing, 0), e.q.Get(callq.Awaited, nothing, 0)
	now := clock.Now()
	e.tick(now)
	for _, atOnce := range []int{2, 0, 2, 1} { // with none, it is not known
		for range atOnce {
			e.q.Push(e.q.Get(callq.Posted, nothing, 0))
		}
		for e.q.Pending() {
			e.q.Take().PostRun()
		}
		e.idleState.taken, e.idleState.Window.Idles = max(atOnce-1, 0), 1
		now += tick
		e.tick(now)
		e.q.Put(second)
		e.q.Put(first)
		if c := e.q.Get(callq.Awaited, nothing, 0); (c == second) != (atOnce != 1) {
			t.Errorf("after %d at once, the record is kept: %v", atOnce, c == second)
		}
		if c := e.q.Get(callq.Awaited, nothing, 0); c != first && atOnce != 1 {
			t.Error("the first record is not free")
		}
	}
}

// Once only posts come, also after calls, posters yield seldom; after a call as often as callers.
func TestTick_yieldsToPosts(t *testing.T) {
	hasCores(t, 2)
	e, _ := New(Config{})
	now := clock.Now()
	e.tick(now) // the first says nothing
	for i, c := range []struct {
		called  bool
		yielded time.Duration // so long ago
		told    bool
	}{
		{true, yieldAfter, true}, {false, yieldPosts - 1, false}, {false, yieldPosts, true},
		{true, yieldAfter, true}, {false, yieldAfter, false},
	} {
		if c.called {
			e.Counts.Calls++
		}
		e.idleState.yielded, e.idleState.passed, e.idleState.let = now-c.yielded, now, now
		e.yields.kind.Store(0)
		if e.tick(now); (e.yields.kind.Load() != 0) != c.told {
			t.Errorf("%d: a call came: %v; posters are told: %v", i, c.called, !c.told)
		}
	}
}

// A thread that spins finds calls, or learns from a spin in vain. For a lone caller that was parked
// it does not spin.
func TestSpin_learns(t *testing.T) {
	needsSpinning(t)
	for name, c := range map[string]struct {
		woke         int
		before       func(e *Engine)
		found, learn bool
		rests        bool
	}{
		"a lone caller": {1, func(*Engine) {}, false, true, false},
		"in vain":       {0, func(e *Engine) { e.idleState.Policy.Price = 20 * µs }, false, true, true},
		"its end":       {0, func(e *Engine) { e.q.Close() }, true, false, false},
		"two calls":     {2, func(e *Engine) { e.Go(nothing) }, true, false, false},
	} {
		e, _ := New(Config{})
		r := &e.idleState
		if !maySpin(e) {
			t.Fatal("there is no slot")
		}
		r.Policy.Price, r.woke, r.passed = time.Hour, c.woke, 1
		e.Counts.Work(clock.Now())
		c.before(e)
		before := r.Policy.Gain
		found := make(chan bool, 1)
		go func() { found <- e.spin() }()
		if got := testutil.Arrives(t, found); got != c.found || r.woke != 0 || r.passed != 1 ||
			r.Policy.Gain < before != c.learn || r.Several != (c.woke > 1) ||
			e.Counts.Works() == c.rests {
			t.Errorf("%s: found %v, passed at %v, works %v: %+v", name, got, r.passed,
				e.Counts.Works(), *r)
		}
		r.Stop()
	}
}

// What a thread that begins to spin knows nothing of.
func TestSpin_begins(t *testing.T) {
	needsSpinning(t)
	e, _ := New(Config{})
	r := &e.idleState
	r.taken, r.every = 7, maxCalls
	if !maySpin(e) {
		t.Fatal("there is no slot")
	}
	defer r.Stop()
	if r.taken != 0 || r.every != 1 || r.passed != r.ticked-yieldAllAfter/2 {
		t.Errorf("it begins with %+v", *r)
	}
}

// A thread that looks at its queue ends the pass of a caller that yields for all Ps, and remembers
// when: in the first looks the time of its last one at the clock, then the present one.
func TestSpin_endsPasses(t *testing.T) {
	needsSpinning(t)
	if !sched.Reschedule(false) {
		t.Skip("callers only call Gosched here")
	}
	var stop atomic.Bool
	var caller testutil.Group
	defer caller.Wait()
	defer stop.Store(true)
	caller.Go(func() {
		for !stop.Load() {
			sched.Reschedule(true)
		}
	})
	e, _ := New(Config{})
	r := &e.idleState
	for what, c := range map[string]struct {
		gain  time.Duration
		ended func() bool
	}{
		"first":  {-time.Hour, func() bool { return r.passed == 2 }},
		"second": {time.Hour, func() bool { return r.passed > 2 }},
	} {
		eventually(t, func() bool {
			defer e.idleState.Stop()
			if !maySpin(e) {
				t.Fatal("there is no slot")
			}
			r.passed, r.ticked, r.Policy.Gain = 1, 2, c.gain
			e.spin()
			return c.ended()
		}, "its "+what+" looks end a pass")
	}
}

// The time for which a thread has spun is not the work of its calls, nor time in which it was busy.
func TestSpin_isNoWork(t *testing.T) {
	needsSpinning(t)
	eventually(t, func() bool {
		e, _ := New(Config{})
		r := &e.idleState
		if !maySpin(e) {
			t.Fatal("there is no slot")
		}
		defer e.idleState.Stop()
		r.Policy.Price = time.Hour
		start := clock.Now()
		e.Counts.Work(start)
		pushed := make(chan bool)
		go func() {
			defer close(pushed)
			for clock.Now()-start < time.Millisecond {
				runtime.Gosched()
			}
			e.Go(nothing)
		}()
		found := e.spin()
		<-pushed
		w := &r.Window
		return found && w.Idles == 1 && w.Idle > 0 && r.Found == 1 &&
			e.Counts.Busy(start+w.Idle) == 0
	}, "a spin that has found a call is counted")
}
