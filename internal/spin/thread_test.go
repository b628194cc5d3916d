package spin

import (
	"cmp"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/testutil"
)

// thread returns one that knows nothing.
func thread() *Thread {
	t := new(Thread)
	t.Init(new(State), false)
	return t
}

// What a thread knows about waits when it is new.
func TestThread_Init(t *testing.T) {
	defer func(before bool) { neverSpins = before }(neverSpins)
	for i := range 4 {
		var s State
		var r Thread
		neverSpins = i&1 != 0
		r.Init(&s, i&2 != 0)
		if s.Parks != (i > 0) || s.Price.Load() != int64(firstPrice) || r.Together(0) {
			t.Errorf("%d: nothing spins: %v; parking costs %d ns; several callers: %v", i, s.Parks,
				s.Price.Load(), r.Together(0))
		}
	}
}

// When a thread begins to spin, or offers to.
func TestAffords(t *testing.T) {
	pays := Policy{Gain: 1}
	for name, c := range map[string]struct {
		cores                int32
		policy               Policy // without the price
		affords, outnumbered bool
		never, isCrowded     bool
	}{
		"spinning pays":         {cores: 16, policy: pays, affords: true},
		"it does not":           {cores: 16},
		"nothing spins":         {cores: 16, policy: pays, never: true},
		"there are no cores":    {cores: 1, policy: pays},
		"too few cores":         {cores: 2, policy: pays, outnumbered: true},
		"others want the cores": {cores: 16, policy: pays, isCrowded: true},
		"in a run of calls":     {cores: 16, policy: Policy{Gain: 1, Run: minRun - 1}, isCrowded: true},
		"in a long one": {cores: 16, policy: Policy{Gain: 1, Run: minRun}, affords: true,
			isCrowded: true},
	} {
		t.Run(name, func(t *testing.T) {
			hasCores(t, c.cores)
			r := thread()
			r.state.Parks = c.never
			now := clock.Now()
			var other Lease
			Spinners.Take(&other, now+time.Minute) // which does not end while this test is stopped
			defer other.Leave()
			r.Policy = c.policy
			r.Policy.Price = firstPrice
			if c.isCrowded {
				crowded(t)
			} else {
				r.Policy.Run = minRun
				Others.Sampled.Store(0)
			}
			affords := r.affords(now, false)
			counted := Others.Sampled.Load() != 0 // which takes 30 µs after a pause
			if want := c.policy.Gain > 0 && !c.never && c.cores > 1; !c.isCrowded && counted != want {
				t.Errorf("the threads of others were counted: %v, want %v", counted, want)
			}
			if affords != c.affords || r.outnumbered != c.outnumbered || r.skips > 0 != c.outnumbered {
				t.Errorf("affords %v, outnumbered %v, skips %d", affords, r.outnumbered, r.skips)
			}
			if starts := r.Starts(now, 0, false); starts != c.affords {
				t.Errorf("it begins to spin: %v", starts)
			}
			if parks := r.state.Spin.Load() == ParkAtOnce; parks != c.outnumbered {
				t.Errorf("its callers park at once: %v", parks)
			}
			r.Leave()
		})
	}
}

// A thread does not offer to spin when others than it and its caller have wanted the Ps for long.
func TestParks_nextToGoroutines(t *testing.T) {
	hasCores(t, 2)
	var stop atomic.Bool
	var computing testutil.Group
	defer computing.Wait()
	defer stop.Store(true)
	for range 2 {
		computing.Go(func() {
			for !stop.Load() {
			}
		})
	}
	r := thread()
	defer r.Leave()
	if _, ok := r.Load.Waiting(0); !ok {
		t.Skip("the runtime does not say how many goroutines run")
	}
	r.Policy = Policy{Gain: 1, Price: firstPrice, Run: minRun}
	for i := range believed {
		r.Parks(clock.Now(), false)
		if first := i < believed-1; r.offered != first || r.outnumbered == first {
			t.Errorf("park %d: offers %v, outnumbered %v", i, r.offered, r.outnumbered)
		}
	}
}

// What the caller that wakes the thread is told, and whether it is counted that others waited then.
func TestParks_says(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	hasCores(t, 2)
	var stop atomic.Bool
	var others testutil.Group
	defer others.Wait()
	defer stop.Store(true)
	for range 3 { // of these and the test, two more than have cores
		others.Go(func() {
			for !stop.Load() {
				runtime.Gosched()
			}
		})
	}
	down := clock.Now()
	for name, c := range map[string]struct {
		before  Thread
		offer   int64
		awaited int32
	}{
		"several callers, others wait": {Thread{Several: true, awaited: believed}, RunLast,
			believed + 1},
		"some time ago": {Thread{together: down - togetherFor + 1, awaited: believed}, RunLast,
			believed + 1},
		"not yet": {Thread{Several: true, awaited: believed - 1}, 0, believed},
		"several callers, it offers to spin": {
			Thread{Several: true, awaited: believed, Policy: Policy{Gain: 1, Run: minRun}}, Meets,
			believed + 1},
		"one caller": {Thread{together: down - togetherFor, awaited: believed}, 0, believed},
		"no caller":  {Thread{Several: true, Uncalled: Memory + 1, awaited: believed}, 0, believed},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.before
			if _, ok := r.Load.Waiting(0); !ok {
				t.Skip("the runtime does not say how many goroutines run")
			}
			r.Policy.Price, r.state = firstPrice, new(State)
			defer r.Leave()
			r.Parks(down, false)
			r.Woken(down, clock.Now())
			if offer := r.state.Offer.Load(); offer != c.offer || r.awaited != c.awaited || r.Several {
				t.Errorf("offer %d, not %d; awaited %d, not %d", offer, c.offer, r.awaited, c.awaited)
			}
		})
	}
}

// What a thread advises callers that find it up: to look, if a call costs less CPU time when all of
// them look than when they park and are woken.
func TestAdvise(t *testing.T) {
	const looks = 1
	hasCores(t, 64)
	for name, c := range map[string]struct {
		calls, grabs, idles int
		each                time.Duration // of a call
		slots               int           // free beside the thread's
		want                int64
	}{
		"one caller":                              {10, 10, 10, µs, 0, looks},
		"one caller, functions of 9 µs":           {10, 10, 10, 9 * µs, 7, looks},
		"one caller, functions of 10 µs":          {10, 10, 10, 10 * µs, 7, 0},
		"one caller, most of its calls withdrawn": {1, 10, 10, µs, 7, looks},
		"one caller as a rule":                    {14, 10, 10, 8 * µs, 7, looks},
		"two callers as a rule":                   {16, 10, 10, 8 * µs, 7, ParkAtOnce},
		"two callers, two cores":                  {10, 10, 0, µs, 0, 0},
		"two callers, four cores":                 {10, 10, 0, µs, 1, looks},
		"two callers, functions of 20 µs":         {10, 10, 0, 20 * µs, 7, ParkAtOnce},
		"sixteen callers, sixteen cores":          {150, 10, 0, µs, 7, 0},
		"sixteen callers, functions of 3 µs":      {150, 10, 0, 3 * µs, 32, 0},
		"two callers, functions of 2 µs":          {10, 10, 0, 2 * µs, 7, looks},
		"two callers, functions of 3 µs":          {10, 10, 0, 3 * µs, 7, 0},
		"sixteen callers, functions of 50 ns":     {150, 10, 0, 50, 32, looks},
		"sixteen callers, functions of 150 ns":    {150, 10, 0, 150, 32, 0},
	} {
		r := thread()
		r.Policy.Price = 20 * µs
		r.Spins = true
		r.Window.Idles = c.idles
		Spinners.Cores.Store(int32(max(1, 2*c.slots)))
		r.Advise(time.Hour, time.Duration(c.calls)*c.each, c.calls, uint64(c.grabs))
		if spin := r.state.Spin.Load(); min(spin, looks) != c.want {
			t.Errorf("%s: callers look for %v", name, spin)
		}
	}
}

// While goroutines wait for a P, and more can run at once than a thread and a caller, callers look
// for brief functions alone.
func TestAdvise_contended(t *testing.T) {
	for _, c := range []struct {
		cores     int32
		contended int32
		price     time.Duration
		each      time.Duration
		looks     bool
	}{
		{64, believed - 1, 20 * µs, 3 * µs, true}, {64, believed, 20 * µs, 3 * µs, false},
		{64, believed, 20 * µs, µs, true}, {2, believed, 20 * µs, 3 * µs, true},
		{64, believed, 2 * µs, µs, false},
	} {
		hasCores(t, c.cores)
		r := thread()
		r.Policy.Price, r.Spins, r.Policy.Contended, r.Window.Idles = c.price, true, c.contended, 10
		r.Advise(time.Hour, 10*c.each, 10, 10)
		if looks := r.state.Spin.Load() > 0; looks != c.looks {
			t.Errorf("%+v: callers look: %v", c, looks)
		}
	}
}

// Callers that look go on, unless that has been dear at several looks. Then they do not look for a
// while.
func TestAdvise_looksOn(t *testing.T) {
	hasCores(t, 64)
	r := thread()
	r.Policy.Price, r.Spins = 20*µs, true
	grabs, now := uint64(0), time.Hour
	advise := func(each time.Duration, callers int) (looks bool) {
		grabs += 10
		if r.Window.Idles = 0; callers == 1 {
			r.Window.Idles = 10
			callers = 2
		}
		if n := r.Advise(now, time.Duration(10*(callers-1))*each, 10*(callers-1), grabs); n == 0 {
			t.Fatal("it is not known how many callers are about")
		}
		return r.state.Spin.Load() > 0
	}
	r.state.Core.Store(Shares)
	if advise(4*µs, 1); r.state.Core.Load() != Shares {
		t.Error("a lone caller may not share a core any more")
	}
	for i := range 3 * believed {
		r.state.Spin.Store(1)
		if !advise(4*µs, 2) {
			t.Fatalf("look %d: two callers of 4 µs do not go on", i)
		}
	}
	if r.state.Core.Load() != Own {
		t.Error("several callers may share a core with the thread")
	}
	if r.state.Spin.Store(0); advise(4*µs, 2) {
		t.Error("two callers of 4 µs begin to look")
	}
	if r.state.Spin.Store(1); advise(10*µs, 1) {
		t.Error("a caller of 10 µs goes on")
	}
	r.state.Spin.Store(1)
	if r.dear = believed - 1; advise(30*µs, 1) || !advise(µs, 1) {
		t.Error("after a call of 30 µs, a caller alone looks, or may not look again")
	}
	r.dear = believed - 1
	for i := range believed {
		callers := 4
		if i == 0 {
			callers = 1
		}
		if r.state.Spin.Store(1); advise(3*µs, callers) != (i < believed-1) {
			t.Fatalf("look %d: what was dear before one called alone counts", i)
		}
	}
	r.retry = 0
	r.state.Spin.Store(1)
	for i := range believed {
		if looks := advise(3*µs, 4); looks != (i < believed-1) {
			t.Fatalf("look %d: four callers of 3 µs go on: %v", i, looks)
		}
	}
	if now += togetherFor - 1; advise(µs, 1) {
		t.Error("they look again too early")
	}
	before := *r
	if now++; !advise(µs, 1) {
		t.Error("they do not look again")
	}
	*r, now = before, now-1
	if advise(µs, 2) {
		t.Error("two of 1 µs look again too early")
	}
	for i := range believed {
		if looks := advise(µs, 1); looks != (i == believed-1) {
			t.Errorf("look %d: one that has been alone looks again: %v", i, looks)
		}
	}
	if !advise(3*µs, 4) {
		t.Error("it remembers the looks before")
	}
	hasCores(t, 2)
	if advise(3*µs, 2) {
		t.Error("with two Ps, they go on")
	}
	if Spinners.Cores.Store(1); !advise(µs, 2) {
		t.Error("with two Ps, they take turns, and each does not need a core")
	}
}

// What a thread learns from a park: what the next call had to do, and what it paid.
func TestWoken_learns(t *testing.T) {
	const second = time.Second
	type after struct {
		gained     time.Duration // of gain, or -1 if it is lower
		lost, paid bool
	}
	for name, c := range map[string]struct {
		gain             time.Duration // before, for which it offers to spin
		up               time.Duration // for how long, if that is known
		pushed, returned time.Duration // after it was down
		want             after
		slept            time.Duration // a second if zero
	}{
		"short work": {0, 10 * µs, 5 * µs, -1, after{gained: 10 * µs, paid: true}, 0},
		"long work":  {0, 10 * µs, second / 2, -1, after{gained: -1}, 0},
		"a caller that ran late": {0, 10 * µs, second / 2, second/2 - 5*µs,
			after{gained: 10 * µs, paid: true}, 0},
		"a post": {0, 10 * µs, -5 * µs, -1, after{gained: -1}, 0},
		"a post, and a slow wake-up": {0, 10 * µs, -5 * µs, -1,
			after{gained: 15 * µs}, CoreLost},
		"a post after a pause": {0, 10 * µs, -5 * µs, -1,
			after{gained: 10 * µs}, CoreLost + 5*µs},
		"a push that comes later":             {0, 10 * µs, time.Hour, -1, after{}, 0},
		"it was up for no time that is known": {0, 0, 5 * µs, -1, after{}, 0},
		"it offers to spin": {firstPrice, 10 * µs, 5 * µs, -1,
			after{gained: 10 * µs, paid: true, lost: true}, 0},
		"it offers, and a post comes": {firstPrice, 10 * µs, -5 * µs, -1, after{gained: -1}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			hasCores(t, 64)
			r := thread()
			p, s := &r.Policy, r.state
			now := clock.Now()
			down := now - cmp.Or(c.slept, second)
			*p = Policy{Price: firstPrice, Gain: c.gain, Run: minRun}
			if c.up != 0 {
				r.up = down - c.up
			}
			s.Pushed.Store(int64(down + c.pushed))
			s.Returned.Store(int64(down + c.returned))
			r.Parks(down, false)
			r.Woken(down, now)
			if offers := s.Offer.Load() == Meets; offers != (c.gain > 0) || r.up != now {
				t.Errorf("it offers to spin: %v; it is up since %v", offers, r.up)
			}
			if price := time.Duration(s.Price.Load()); price != p.Price {
				t.Errorf("callers are told the price %v, want %v", price, p.Price)
			}
			got := after{p.Gain - c.gain, s.Lost.Load() > 0, p.Price > firstPrice}
			if got.gained = max(got.gained, -1); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			r.Leave()
		})
	}
}

// A poster says when it wakes the thread, if that could soon spin.
func TestThread_AsksWhen(t *testing.T) {
	for _, c := range []struct {
		gain  time.Duration
		timed bool
		asks  bool
	}{
		{0, true, true}, {-Memory/2*firstPrice + 1, true, true}, {-Memory / 2 * firstPrice, true, false},
		{0, false, false},
	} {
		r := thread()
		r.Policy.Gain = c.gain
		if r.state.Timed.Store(c.timed); r.AsksWhen() != c.asks {
			t.Errorf("%+v: asks: %v", c, !c.asks)
		}
	}
}

// A thread that gets posts only, or for which nothing spins, measures nothing.
func TestParks_untimed(t *testing.T) {
	for name, before := range map[string]func(r *Thread){
		"posts only":  func(r *Thread) { r.Uncalled = Memory + 1 },
		"never spins": func(r *Thread) { r.state.Parks = true },
		"declined":    func(r *Thread) { r.skips = 2 },
	} {
		r := thread()
		r.up = 1
		r.state.Pushed.Store(3)
		r.state.Timed.Store(true)
		before(r)
		gain := r.Policy.Gain
		r.Parks(2, false)
		r.Woken(2, 4)
		if r.Policy.Gain != gain || r.up != 0 || r.offered || r.state.Timed.Load() || r.skips > 1 {
			t.Errorf("%s: %+v", name, *r)
		}
	}
}

// What a thread that begins to spin knows nothing of, and what it leaves.
func TestStarts_andStops(t *testing.T) {
	hasCores(t, 64)
	r := thread()
	r.Policy.Gain, r.Policy.Run = 1, minRun
	r.up, r.Found, r.Window.calls = 1, 5, 3
	now := clock.Now()
	if !r.Starts(now, 7, false) || !r.Renew(now) {
		t.Fatal("there is no slot")
	}
	s, lookFor := r.state, r.Policy.LookFor()
	if r.up != 0 || r.before != 5 || r.Window != (Window{Grabs: 7}) ||
		time.Duration(s.Spin.Load()) != lookFor {
		t.Errorf("it begins with %+v, and callers look for %v", *r, time.Duration(s.Spin.Load()))
	}
	slot := r.Slot
	r.Found, r.Policy.Credit = 7, 0
	s.Offer.Store(1)
	s.Lost.Store(1)
	if end := r.Stop(); end < now || r.Spins || slot.Seen.Load() != 0 || s.Spin.Load() != 0 ||
		s.Offer.Load() != 0 || r.Policy.Credit != 2*r.Policy.Price-1 {
		t.Errorf("it ends at %v with %+v", end, *r)
	}
	s.Offer.Store(1)
	if r.Stop() != 0 || s.Offer.Load() != 0 {
		t.Error("a thread that does not spin has stopped, or still offers to")
	}
}

// After an offer the two sides may share a core; the times of yields say whether they do.
func TestStarts_mayShareACore(t *testing.T) {
	hasCores(t, 4)
	now := clock.Now()
	for _, c := range []struct {
		offers, crowded, several bool
		core                     int32
	}{
		{true, false, false, MayShare}, {false, false, false, Own},
		{true, true, false, Own}, {true, false, true, Own},
	} {
		r := thread()
		r.Policy.Gain, r.Policy.Credit, r.Policy.Run = 1, 0, maxCredit
		r.offered = c.offers
		r.state.Core.Store(Shares) // in the run before
		Others.Sampled.Store(0)
		if Others.Over.Store(0); c.crowded {
			crowded(t)
		}
		if r.Several = c.several; c.several {
			r.together = now
		}
		if !r.Starts(now, 0, false) || r.state.Core.Load() != c.core {
			t.Errorf("%+v: Core is %d", c, r.state.Core.Load())
		}
		if r.Several = false; c.several {
			r.Leave()
			if !r.Starts(now, 0, false) || r.state.Core.Load() != Own {
				t.Errorf("%+v: after several callers, Core is %d", c, r.state.Core.Load())
			}
		}
		if sampled := Others.Sampled.Load() != 0; sampled != (!c.offers || c.crowded) {
			t.Errorf("%+v: it has looked for other processes, or not", c)
		}
		if c.core == MayShare {
			for _, y := range []struct {
				took  time.Duration
				found bool
				core  int32
			}{
				{µs, false, MayShare}, {longYield, false, Shares}, {µs, false, Shares},
				{µs, true, MayShare}, {longYield, true, Shares},
			} {
				if r.Yielded(y.took, y.found); r.state.Core.Load() != y.core {
					t.Errorf("after %+v: Core is %d", y, r.state.Core.Load())
				}
			}
		}
		r.Stop()
	}
}

// What a thread learns from a lone caller that was parked.
func TestLone(t *testing.T) {
	const lost = time.Millisecond
	for name, c := range map[string]struct {
		spins, offered     bool
		gain, credit, lost time.Duration // the first two are changed by so much, the last is left
	}{
		"it spins":           {true, false, -miss, 0, lost},
		"it offered to spin": {false, true, 0, -lost, 0},
		"nothing spins":      {false, false, 0, 0, lost},
	} {
		r := thread()
		r.Spins, r.offered, r.Policy.Gain, r.Policy.Credit = c.spins, c.offered, 0, 0
		r.state.Lost.Store(int64(lost))
		if r.Lone(0) || r.Lone(2) || !r.Several || !r.Lone(1) {
			t.Errorf("%s: a lone caller is several, or the other way round", name)
		}
		if got := time.Duration(r.state.Lost.Load()); got != c.lost || r.Policy.Gain != c.gain ||
			r.Policy.Credit != c.credit {
			t.Errorf("%s: %v are lost, %+v", name, got, r.Policy)
		}
	}
}

// Whether other threads want the cores while a benchmark runs is chance.
func BenchmarkThread(b *testing.B) {
	var t Thread
	t.Init(new(State), false)
	for b.Loop() {
		t.declines(false)
	}
}
