package spin

import (
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/testutil"
)

// call returns what the callers of a thread know that has told them nothing, and the record of a
// call that waits for it.
func call() (*State, *callq.Call) {
	s := new(State)
	new(Thread).Init(s, false)
	return s, callq.New().Get(callq.Awaited, nil, 0)
}

// A caller says when it has woken the thread; it sees an outcome at once.
func TestLook(t *testing.T) {
	hasCores(t, 2)
	s, c := call()
	for _, timed := range []bool{false, true} {
		s.Timed.Store(timed)
		if s.Note(&s.Pushed); s.Pushed.Load() != 0 != timed {
			t.Errorf("timed: %v; it says when it has woken the thread: %v", timed, !timed)
		}
	}
	s.look(c, clock.Now(), time.Millisecond, false)
	if s.look(c, clock.Now()-time.Second, time.Second, false); s.Lost.Load() == 0 {
		t.Error("it does not say for how long it has not run")
	}
	s.look(c, clock.Now()-time.Second, time.Second, true)
	s.Lost.Store(0)
	inVain := func() bool { s.meet(c, Meets); return s.Lost.Load() != 0 }
	eventually(t, inVain, "it says for how long it has looked in vain")
	crowded(t)
	s.Lost.Store(0)
	eventually(t, func() bool {
		before := time.Duration(s.Lost.Load())
		s.meet(c, Meets)
		d := time.Duration(s.Lost.Load()) - before
		return d >= 3*firstPrice && d < meetFor
	}, "it looks for a short time on a crowded machine")
	Others.Over.Store(0)
	c.Settle(callq.Ran)
	met := func() bool { return s.meet(c, Meets) == callq.Ran }
	eventually(t, met, "it meets the thread")
	takesTurns := make(chan bool)
	go func() { takeTurns(c, time.Hour); close(takesTurns) }()
	testutil.Arrives(t, takesTurns)
}

// A caller looks for its outcome for a while, whatever it knows of the thread, and then goes to the
// Go scheduler.
func TestLook_vain(t *testing.T) {
	limits := []time.Duration{0, time.Microsecond, time.Millisecond}
	for i := range 8 * len(limits) {
		limit, woke, behind, locked := int64(limits[i/8]), i&1 != 0, i&2 != 0, i&4 != 0
		s, c := call()
		s.Spin.Store(limit)
		s.Offer.Store(Meets)
		s.Price.Store(limit)
		looked := make(chan callq.Outcome, 1)
		go func() { looked <- s.Wait(c, locked, woke, behind) }()
		if o := testutil.Arrives(t, looked); o != 0 {
			t.Errorf("the outcome is %d", o)
		}
	}
}

// Only time for which a caller has not run, or looked in vain, is lost.
func TestLook_losesNothing(t *testing.T) {
	hasCores(t, 2)
	s, c := call()
	c.Settle(callq.Ran)
	eventually(t, func() bool {
		s.Lost.Store(0)
		return s.look(c, clock.Now()-time.Second, time.Hour, false) == callq.Ran &&
			s.meet(c, Meets) == callq.Ran && s.Lost.Load() == 0
	}, "what is found at once costs nothing")
}

// A caller that looks for the thread that it has woken has an empty goroutine run next on its P.
func TestMeet_startsAnEmptyGoroutine(t *testing.T) {
	hasCores(t, 2)
	s, c := call()
	last := func() uint64 { // the number of a goroutine that begins now; each P has some in store
		number := make(chan uint64)
		go func() { number <- ident.Goroutine() }()
		return <-number
	}
	eventually(t, func() bool {
		before := last()
		for range 1000 {
			s.meet(c, Meets)
		}
		return int64(last()-before) > 900
	}, "each of them starts one")
}

// A caller looks first only for a thread that spins, and has a core of its own.
func TestFirst(t *testing.T) {
	s, c := call()
	s.Spin.Store(int64(time.Hour))
	if o := s.First(c); o != 0 {
		t.Errorf("the outcome of a call that waits is %d", o)
	}
	c.Settle(callq.Ran)
	for _, w := range []struct {
		spin time.Duration
		core int32
		want callq.Outcome
	}{{1, Own, callq.Ran}, {1, MayShare, callq.Ran}, {1, Shares, 0}, {0, Own, 0},
		{ParkAtOnce, Own, 0}} {
		s.Spin.Store(int64(w.spin))
		s.Core.Store(w.core)
		if o := s.First(c); o != w.want {
			t.Errorf("spin %d, core %d: %d, want %d", w.spin, w.core, o, w.want)
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
		"it looks, on one core":       {16, forEver, 0, false, false, true, true},
		"in vain, on one core":        {16, µs, forEver, false, false, false, false},
		"behind others, two Ps":       {2, forEver, forEver, false, true, true, true},
		"behind others, it runs last": {2, forEver, forEver, false, true, false, false},
		"it takes turns":              {2, 0, forEver, false, false, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			hasCores(t, c.procs)
			s, record := call()
			s.Spin.Store(int64(c.spin))
			s.Price.Store(int64(c.price))
			if strings.HasSuffix(name, "runs last") {
				s.Offer.Store(RunLast)
			}
			if strings.HasSuffix(name, "on one core") {
				s.Core.Store(Shares)
			}
			o := make(chan callq.Outcome, 1)
			begins := make(chan bool)
			go func() { close(begins); o <- s.Wait(record, c.thread, false, c.behind) }()
			if testutil.Arrives(t, begins); c.settled {
				record.Settle(callq.Ran)
			}
			if got := testutil.Arrives(t, o); (got == callq.Ran) != c.ran {
				t.Errorf("the outcome is %d", got)
			}
		})
	}
}
