package engine

import (
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/sched"
	"github.com/threadcall/threadcall/internal/testutil"
)

const µs = time.Microsecond

// hasCores makes the machine one on which n goroutines run at once.
func hasCores(t *testing.T, n int32) {
	cores, procs := spinners.cores.Swap(n), spinners.procs.Swap(n)
	checked := spinners.checked.Swap(int64(clock.Now() + time.Hour))
	t.Cleanup(func() {
		spinners.cores.Store(cores)
		spinners.procs.Store(procs)
		spinners.checked.Store(checked)
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

// When a thread begins to spin, or offers to.
func TestAffords(t *testing.T) {
	pays := spinPolicy{gain: 1}
	for name, c := range map[string]struct {
		cores                      int32
		policy                     spinPolicy // without the price
		affords, outnumbered       bool
		never, inBubble, isCrowded bool
	}{
		"spinning pays":         {cores: 16, policy: pays, affords: true},
		"it does not":           {cores: 16},
		"nothing spins":         {cores: 16, policy: pays, never: true},
		"in a bubble":           {cores: 16, policy: pays, inBubble: true},
		"there are no cores":    {cores: 1, policy: pays},
		"too few cores":         {cores: 2, policy: pays, outnumbered: true},
		"others want the cores": {cores: 16, policy: pays, isCrowded: true},
	} {
		t.Run(name, func(t *testing.T) {
			eventually(t, noSpinners, "threads of others spin no more, nor would")
			hasCores(t, c.cores)
			e, _ := New(Config{Parks: c.never})
			now := clock.Now()
			var other lease
			spinners.take(&other, now+time.Minute) // which does not end while this test is stopped
			defer other.leave()
			if c.inBubble {
				e.bubble = 1
			}
			r := &e.idleState
			r.policy = c.policy
			r.policy.price = firstPrice
			if c.isCrowded {
				crowded(t)
			} else {
				r.policy.run = minRun
			}
			affords := e.affords(now)
			if affords != c.affords || r.outnumbered != c.outnumbered || r.skips > 0 != c.outnumbered {
				t.Errorf("affords %v, outnumbered %v, skips %d", affords, r.outnumbered, r.skips)
			}
			if starts := e.startSpinning(); starts != c.affords {
				t.Errorf("it begins to spin: %v", starts)
			}
			if parks := e.waits.spin.Load() == parkAtOnce; parks != c.outnumbered {
				t.Errorf("its callers park at once: %v", parks)
			}
			e.stopSpinning()
		})
	}
}

// A thread does not offer to spin when others than it and its caller have wanted the Ps for long.
func TestOffers_nextToGoroutines(t *testing.T) {
	eventually(t, noSpinners, "threads of other tests spin no more")
	hasCores(t, 2)
	var stop atomic.Bool
	var computing testutil.Group
	defer computing.Wait()
	defer stop.Store(true)
	for range 2 {
		computing.Go(func() {
			for !stop.Load() {
				_ = clock.Now() // where it can be preempted, or this test might not run any more
			}
		})
	}
	e, _ := New(Config{})
	if _, ok := e.load.Waiting(); !ok {
		t.Skip("the runtime does not say how many goroutines run")
	}
	r := &e.idleState
	r.policy = spinPolicy{gain: 1, price: firstPrice, run: minRun}
	for i := range believed {
		offers := e.offers(clock.Now())
		if first := i < believed-1; offers != first || r.outnumbered == first {
			t.Errorf("park %d: offers %v, outnumbered %v", i, offers, r.outnumbered)
		}
	}
}

// What the caller that wakes the thread is told, and whether it is counted that others waited then.
func TestRest_says(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	hasCores(t, 1)
	var stop atomic.Bool
	var others testutil.Group
	defer others.Wait()
	defer stop.Store(true)
	for range 2 { // one that runs, one that waits
		others.Go(func() {
			for !stop.Load() {
				runtime.Gosched()
			}
		})
	}
	down := clock.Now()
	for name, c := range map[string]struct {
		before  idleState
		offer   int64
		awaited int32
	}{
		"several callers, others wait": {idleState{several: true, awaited: believed}, runLast,
			believed + 1},
		"some time ago": {idleState{together: down - togetherFor + 1, awaited: believed}, runLast,
			believed + 1},
		"not yet": {idleState{several: true, awaited: believed - 1}, 0, believed},
		"several callers, it offers to spin": {
			idleState{several: true, awaited: believed, offered: true}, meets, believed + 1},
		"one caller": {idleState{together: down - togetherFor, awaited: believed}, 0, believed},
		"no caller":  {idleState{several: true, uncalled: memory + 1, awaited: believed}, 0, believed},
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := New(Config{})
			if _, ok := e.load.Waiting(); !ok {
				t.Skip("the runtime does not say how many goroutines run")
			}
			r := &e.idleState
			*r = c.before
			r.policy.price = firstPrice
			e.Go(nothing)
			e.q.Take()
			e.Go(nothing) // so it does not wait
			e.rest(down)
			if offer := e.waits.offer.Load(); offer != c.offer || r.awaited != c.awaited || r.several {
				t.Errorf("offer %d, not %d; awaited %d, not %d", offer, c.offer, r.awaited, c.awaited)
			}
		})
	}
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
			if _, ok := e.load.Waiting(); !ok {
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
				return e.waits.offer.Load() == runLast
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
				if rounds < 4*believed || lasts() != c.last && rounds < 10_000 {
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

// What a thread learns from a park: what the next call had to do, what it paid, and for how long it
// has rested.
func TestPark_learns(t *testing.T) {
	needsSpinning(t)
	const second = time.Second
	type after struct {
		gained     time.Duration // of gain, or -1 if it is lower
		lost, paid bool
	}
	for name, c := range map[string]struct {
		before           func(e *Engine, r *idleState)
		up               time.Duration // for how long, if that is known
		pushed, returned time.Duration // after it was down
		want             after
	}{
		"short work": {nil, 10 * µs, 5 * µs, -1, after{gained: 10 * µs, paid: true}},
		"long work":  {nil, 10 * µs, second / 2, -1, after{gained: -1}},
		"a caller that ran late": {nil, 10 * µs, second / 2, second/2 - 5*µs,
			after{gained: 10 * µs, paid: true}},
		"a push before it was down":           {nil, 10 * µs, -5 * µs, -1, after{}},
		"a push that comes later":             {nil, 10 * µs, time.Hour, -1, after{}},
		"it was up for no time that is known": {nil, 0, 5 * µs, -1, after{}},
		"it offers to spin": {func(_ *Engine, r *idleState) { r.policy.gain = firstPrice }, 10 * µs,
			5 * µs, -1, after{gained: 10 * µs, paid: true, lost: true}},
		"it offers, and nothing was pushed": {func(_ *Engine, r *idleState) {
			r.policy.gain = firstPrice
		}, 10 * µs, -5 * µs, -1, after{}},
	} {
		t.Run(name, func(t *testing.T) {
			hasCores(t, 64)
			e, _ := New(Config{})
			r, p := &e.idleState, &e.idleState.policy
			e.Go(nothing)
			e.q.Take()
			e.Go(nothing) // so it does not wait
			down := clock.Now() - second
			p.price, p.gain, p.run = firstPrice, 0, minRun
			r.taken, r.window.calls = 7, 7
			if c.up != 0 {
				r.up = down - c.up
			}
			e.waits.pushed.Store(int64(down + c.pushed))
			e.waits.returned.Store(int64(down + c.returned))
			e.counts.work(down - second)
			if c.before != nil {
				c.before(e, r)
			}
			gain := p.gain
			e.park(down)
			now := clock.Now()
			if r.up <= down || r.up > now || r.ticked != r.up || r.taken != 0 ||
				r.window != (window{grabs: 1}) || r.sleeps != 1 {
				t.Errorf("it was down at %v: %+v", down, *r)
			}
			if !e.counts.works() || e.counts.busy(r.up) != second {
				t.Errorf("it was busy for %v, want a second", e.counts.busy(r.up))
			}
			if offers := e.waits.offer.Load() == meets; offers != r.offered {
				t.Errorf("it offers to spin: %v", offers)
			}
			if price := time.Duration(e.waits.price.Load()); price != p.price {
				t.Errorf("callers are told the price %v, want %v", price, p.price)
			}
			got := after{p.gain - gain, e.waits.lost.Load() > 0, p.price > firstPrice}
			if got.gained = max(got.gained, -1); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// A thread in a bubble, and one of posts only, note only that they rest.
func TestPark_untimed(t *testing.T) {
	for name, before := range map[string]func(e *Engine){
		"in a bubble": func(e *Engine) { e.bubble = 1 },
		"posts only":  func(e *Engine) { e.idleState.uncalled = memory + 1 },
		"never spins": func(e *Engine) { e.waits.parks = true },
		"declined":    func(e *Engine) { e.idleState.skips = 2 },
	} {
		e, _ := New(Config{})
		e.Go(nothing)
		r := &e.idleState
		down := clock.Now() - time.Second
		r.up, r.taken = down, 7
		e.counts.work(down - time.Second)
		e.waits.pushed.Store(int64(down + 1))
		e.waits.timed.Store(true)
		before(e)
		gain := r.policy.gain
		e.park(down)
		if r.policy.gain != gain || r.sleeps != 1 || !e.counts.works() ||
			e.counts.busy(time.Duration(e.counts.at.Load())) != time.Second {
			t.Errorf("%s: gain %v, slept %d times", name, r.policy.gain, r.sleeps)
		}
		if e.bubble == 0 &&
			(r.up != 0 || r.taken != 0 || r.offered || e.waits.timed.Load() || r.skips > 1) {
			t.Errorf("%s: %+v", name, *r)
		}
	}
	e, _ := New(Config{})
	e.bubble = 1
	if e.idleState.policy = (spinPolicy{gain: 1}); e.startSpinning() {
		t.Error("it spins in a bubble")
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
		alone      time.Duration // since several callers have waited, or never
		want       after
	}{
		"of late":            {timeslice - 1, 0, false, 0, togetherFor, same},
		"a timeslice ago":    {timeslice, 0, false, 0, togetherFor, isLater},
		"several, of late":   {yieldAllAfter - 1, 0, false, 0, togetherFor - 1, same},
		"several, long ago":  {yieldAllAfter, 0, false, 0, togetherFor - 1, isLater},
		"it sleeps for long": {timeslice - 1, longSleep, false, 0, togetherFor, isLater},
		"its first park":     {time.Hour, 0, true, 0, togetherFor, isDown},
		"in a bubble":        {time.Hour, 0, false, 1, togetherFor, same},
	} {
		e, _ := New(Config{})
		e.Go(nothing) // so it does not wait
		r := &e.idleState
		down := clock.Now() + time.Hour // for which it does not sleep
		if c.slept > 0 {
			down = clock.Now() - c.slept
		}
		before := down - c.ago
		r.together = down - c.alone
		if r.shared, e.bubble = before, c.bubble; !c.first {
			r.sleeps = 1
		}
		e.park(down)
		if got := r.shared; (got == before) != (c.want == same) || (got == down) != (c.want == isDown) {
			t.Errorf("%s: it has let others run %v before it was down", name, down-got)
		}
	}
	e, _ := New(Config{})
	if _, ok := e.load.Waiting(); !ok {
		return // before Go 1.26 it is not known whether one waits, and the thread yields seldom
	}
	e.Go(nothing)
	e.idleState.sleeps = 1
	if !yields(func() { e.idleState.shared = 0; e.park(time.Hour) }) {
		t.Error("a goroutine that is ready has not run")
	}
}

// A thread that parks for the first time counts the cores, which callers that take turns ask for.
func TestPark_countsCores(t *testing.T) {
	hasCores(t, 64)
	for _, first := range []bool{true, false} {
		spinners.cores.Store(0) // not known
		spinners.procs.Store(0)
		e, _ := New(Config{})
		e.Go(nothing) // so it does not wait
		if !first {
			e.idleState.sleeps = 1
		}
		e.park(clock.Now())
		if counted := spinners.procs.Load() != 0; counted != first {
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
	if e.tick(now); e.yields.kind.Load() != 0 || e.counts.at.Load() != int64(now) {
		t.Errorf("after a wait that is not timed, callers are told %d", e.yields.kind.Load())
	}
	for name, c := range map[string]struct {
		yielded, passed time.Duration // so long ago
		unheard         bool
		kind            uint32
		itself          bool
	}{
		"of late":                  {yieldAfter - 1, time.Hour, false, 0, false},
		"posts alone":              {yieldPosts - 1, time.Hour, false, 0, false},
		"its callers' P":           {yieldAfter, yieldAllAfter - 1, false, yieldOwn, false},
		"all Ps":                   {yieldAfter, yieldAllAfter, false, yieldAll, false},
		"heard of late":            {yieldAfter, time.Hour, false, yieldAll, false},
		"unheard":                  {yieldAfter, unheardFor, true, yieldOwn, true},
		"unheard for a short time": {yieldAfter, unheardFor - 1, true, yieldAll, false},
	} {
		e, _ := New(Config{})
		r := &e.idleState
		yielded := yields(func() {
			r.ticked, r.yielded, r.passed, r.let = now, now-c.yielded, now-c.passed, now
			if name != "posts alone" {
				e.counts.calls++
			}
			if e.yields.kind.Store(0); c.unheard {
				e.yields.kind.Store(yieldOwn)
			}
			e.tick(now)
		})
		if kind := e.yields.kind.Load(); kind != c.kind {
			t.Errorf("%s: callers are told %d, want %d", name, kind, c.kind)
		}
		if c.itself && !yielded || (r.passed == now-c.passed) == c.itself {
			t.Errorf("%s: it yields: %v, and has passed at %v, now %v", name, yielded, r.passed, now)
		}
		if (r.yielded == now) != (c.kind != 0) || e.counts.at.Load() != int64(now) {
			t.Errorf("%s: yielded at %v, seen at %v, now %v", name, r.yielded, e.counts.at.Load(), now)
		}
	}
}

// A thread that has had calls for long yields if goroutines wait for a P, and so lets its callers
// run. It asks the later, the longer that took.
func TestLetRun(t *testing.T) {
	e, _ := New(Config{})
	r := &e.idleState
	start := clock.Now()
	if e.tick(start); r.let != start {
		t.Errorf("it asks %v after its first call", r.let-start+askAfter)
	}
	told := func(spin, since, ago time.Duration) (now time.Duration) {
		now = clock.Now() - ago
		r.ticked, r.yielded, r.passed, r.let, r.woke = now, 0, 0, now-since, 2
		e.counts.calls++
		e.yields.kind.Store(0)
		e.waits.spin.Store(int64(spin))
		e.tick(now)
		return now
	}
	for took, times := range map[time.Duration]time.Duration{
		longSleep / 2: 2, longSleep: memory, time.Second: memory,
	} {
		now := told(0, askAfter, took)
		if next := r.let + askAfter - now; next < (1+times)*took {
			t.Errorf("after %v it asks %v later", took, next)
		}
	}
	if told(0, askAfter, 0); !r.several || r.woke != 0 {
		t.Error("it does not know that it has several callers")
	}
	eventually(t, func() bool {
		now := told(0, askAfter, 0)
		return r.let >= now && r.passed == 0 && r.yielded == now &&
			e.yields.kind.Load() == yieldAll && r.policy.contended == 0
	}, "nothing waits, and callers are told to yield")
	for _, c := range []struct {
		spin, since time.Duration
		asks        bool
	}{{0, askAfter - 1, false}, {0, askAfter, true}, {parkAtOnce, time.Hour, false}} {
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
		r.policy.contended = 1
		now := e.sleep(down)
		return r.policy.contended == 1 && now-down < longSleep
	}, "a short sleep changes nothing")
	if e.sleep(clock.Now() - longSleep); r.policy.contended != 0 {
		t.Error("after a long sleep it counts on goroutines that wait for a P")
	}
	if _, ok := e.load.Waiting(); !ok {
		return // before Go 1.26 it is not known whether one waits, and the thread yields seldom
	}
	eventually(t, func() bool { // or the runtime has let it run
		r.policy.contended = 2
		return yields(func() { told(0, askAfter, 0) }) && r.passed != 0 && r.yielded == r.passed &&
			r.ticked == r.passed && e.yields.kind.Load() == 0 && r.policy.contended == 3
	}, "a goroutine that is ready runs, and callers need not yield")
}

// Once only posts come, also after calls, posters yield seldom; after a call as often as callers.
func TestTick_yieldsToPosts(t *testing.T) {
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
			e.counts.calls++
		}
		e.idleState.yielded, e.idleState.passed, e.idleState.let = now-c.yielded, now, now
		e.yields.kind.Store(0)
		if e.tick(now); (e.yields.kind.Load() != 0) != c.told {
			t.Errorf("%d: a call came: %v; posters are told: %v", i, c.called, !c.told)
		}
	}
}

// How a caller waits that finds the thread up: it looks, takes turns, or neither.
func TestWait_ways(t *testing.T) {
	const forEver = time.Hour
	for name, c := range map[string]struct {
		procs        int32
		spin, price  time.Duration
		thread       bool // the caller is on one
		behind       bool
		settled, ran bool
	}{
		"many Ps, nothing spins":      {16, 0, forEver, false, false, false, false},
		"a caller on a thread":        {2, 0, forEver, true, false, false, false},
		"it looks for so long":        {2, µs, forEver, false, false, false, false},
		"behind others, many Ps":      {16, forEver, 0, false, true, true, true},
		"behind others, two Ps":       {2, forEver, forEver, false, true, true, true},
		"behind others, it runs last": {2, forEver, forEver, false, true, false, false},
		"it takes turns":              {2, 0, forEver, false, false, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			hasCores(t, c.procs)
			e, _ := New(Config{})
			e.waits.spin.Store(int64(c.spin))
			e.waits.price.Store(int64(c.price))
			if strings.HasSuffix(name, "runs last") {
				e.waits.offer.Store(runLast)
			}
			var self *Engine
			if c.thread {
				self = e
			}
			record := e.q.Get(callq.Awaited, nothing, 0)
			o := make(chan callq.Outcome, 1)
			begins := make(chan bool)
			go func() { close(begins); o <- e.waits.wait(record, self, false, c.behind) }()
			if testutil.Arrives(t, begins); c.settled {
				record.Settle(callq.Ran)
			}
			if got := testutil.Arrives(t, o); (got == callq.Ran) != c.ran {
				t.Errorf("the outcome is %d", got)
			}
		})
	}
}

// What a thread that begins to spin knows nothing of, and what it leaves.
func TestSpin_beginsAndEnds(t *testing.T) {
	needsSpinning(t)
	e, _ := New(Config{})
	r := &e.idleState
	r.taken, r.up, r.every, r.found, r.window.calls = 7, 1, maxCalls, 5, 3
	if !maySpin(e) {
		t.Fatal("there is no slot")
	}
	lookFor := r.policy.lookFor()
	if r.taken != 0 || r.up != 0 || r.every != 1 || r.before != 5 || r.window != (window{}) ||
		r.passed != r.ticked-yieldAllAfter/2 || time.Duration(e.waits.spin.Load()) != lookFor {
		t.Errorf("it begins with %+v, and callers look for %v", *r, time.Duration(e.waits.spin.Load()))
	}
	slot := r.slot
	r.found, r.policy.credit = 7, 0
	e.waits.offer.Store(1)
	e.waits.lost.Store(1)
	now := e.stopSpinning()
	if now < r.ticked || r.spins || slot.seen.Load() != 0 || e.waits.spin.Load() != 0 ||
		e.waits.offer.Load() != 0 || r.policy.credit != 2*r.policy.price-1 {
		t.Errorf("it ends at %v with %+v", now, *r)
	}
	e.waits.offer.Store(1)
	if e.stopSpinning() != 0 || e.waits.offer.Load() != 0 {
		t.Error("a thread that does not spin has stopped, or still offers to")
	}
}

// What a thread learns from a spin, and from a lone caller that was parked.
func TestSpin_learns(t *testing.T) {
	needsSpinning(t)
	const gain, lost = 10 * µs, time.Millisecond
	for name, c := range map[string]struct {
		before       func(e *Engine, r *idleState)
		found        bool
		gain, credit time.Duration // are changed by so much
		lost         time.Duration // is left
		rests        bool
	}{
		"a lone caller": {func(_ *Engine, r *idleState) { r.woke = 1 }, false, -miss, 0, lost, false},
		"a lone caller after an offer": {func(e *Engine, r *idleState) {
			e.stopSpinning()
			e.waits.lost.Store(int64(lost))
			r.woke, r.offered, r.policy.credit = 1, true, 0
		}, false, 0, -lost, 0, false},
		"a lone caller, and nothing spins": {func(e *Engine, r *idleState) {
			e.stopSpinning()
			e.waits.lost.Store(int64(lost))
			r.woke, r.policy.credit = 1, 0
		}, false, 0, 0, lost, false},
		"in vain": {func(_ *Engine, r *idleState) { r.policy.price = firstPrice }, false,
			-miss, 0, lost, true},
		"its end": {func(e *Engine, _ *idleState) { e.q.Close() }, true, 0, 0, lost, false},
		"two calls": {func(e *Engine, r *idleState) { r.woke = 2; e.Go(nothing) }, true,
			0, 0, lost, false},
	} {
		e, _ := New(Config{})
		r, p := &e.idleState, &e.idleState.policy
		if !maySpin(e) {
			t.Fatal("there is no slot")
		}
		p.price, p.gain, p.credit = time.Hour, gain, 0
		e.counts.work(clock.Now())
		e.waits.lost.Store(int64(lost))
		c.before(e, r)
		p.gain, r.passed = gain, 1
		found := make(chan bool, 1)
		go func() { found <- e.spin() }()
		if got := testutil.Arrives(t, found); got != c.found || r.woke != 0 || p.gain != gain+c.gain ||
			p.credit != c.credit || r.passed != 1 || e.counts.works() == c.rests {
			t.Errorf("%s: found %v, gain %v, credit %v, passed at %v, works %v", name, got, p.gain,
				p.credit, r.passed, e.counts.works())
		}
		if got := time.Duration(e.waits.lost.Load()); got < c.lost || c.lost == 0 && got != 0 {
			t.Errorf("%s: %v are lost", name, got)
		}
		e.stopSpinning()
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
			defer e.stopSpinning()
			if !maySpin(e) {
				t.Fatal("there is no slot")
			}
			r.passed, r.ticked, r.policy.gain = 1, 2, c.gain
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
		defer e.stopSpinning()
		r.policy.price = time.Hour
		start := clock.Now()
		e.counts.work(start)
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
		w := &r.window
		return found && w.idles == 1 && w.idle > 0 && r.found == 1 &&
			e.counts.busy(start+w.idle) == 0
	}, "a spin that has found a call is counted")
}

// Only time for which a caller has not run, or looked in vain, is lost.
func TestLook_losesNothing(t *testing.T) {
	needsSpinning(t)
	e, _ := New(Config{})
	c := e.q.Get(callq.Awaited, nil, 0)
	c.Settle(callq.Ran)
	eventually(t, func() bool {
		e.waits.lost.Store(0)
		return e.waits.look(c, clock.Now()-time.Second, time.Hour, false) == callq.Ran &&
			e.waits.meet(c, meets) == callq.Ran && e.waits.lost.Load() == 0
	}, "what is found at once costs nothing")
}

// How many slots there are is looked up now and then.
func TestSpinSlots_count_now(t *testing.T) {
	needsSpinning(t)
	n := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(n)
	var s spinSlots
	at := func(now time.Duration, ps int) int32 {
		runtime.GOMAXPROCS(ps)
		s.atOnce(now)
		return s.procs.Load()
	}
	for i, c := range []struct {
		after    time.Duration
		ps, want int
	}{{0, n, n}, {coresAreOf, n + 1, n}, {coresAreOf + 1, n + 1, n + 1}, {coresAreOf + 2, n, n + 1}} {
		if got := at(time.Hour+c.after, c.ps); int(got) != c.want {
			t.Errorf("%d: %d Ps, want %d", i, got, c.want)
		}
	}
	if s.cores.Store(0); at(time.Hour+coresAreOf+3, n) != int32(n) || s.cores.Load() == 0 {
		t.Error("what is not known is not looked up")
	}
}
