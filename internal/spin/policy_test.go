package spin

import (
	"slices"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/cores"
	"github.com/threadcall/threadcall/internal/sched"
	"github.com/threadcall/threadcall/internal/testutil"
)

const µs = time.Microsecond

var eventually = testutil.Eventually

func TestPolicy(t *testing.T) {
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
		var p Policy
		p.Init()
		p.Price = 25 * time.Microsecond
		for _, d := range append(c.before, times(c.load, c.n)...) {
			p.Periods(d, 1)
		}
		if p.Pays(false) != c.pays {
			t.Errorf("%s: pays is %t; gain %v, price %v", name, !c.pays, p.Gain, p.Price)
		}
	}
	var p Policy
	p.Init()
	for range 40 {
		p.paid(30 * time.Microsecond)
	}
	if p.Price < 28*time.Microsecond || p.Price > 30*time.Microsecond {
		t.Errorf("calls cost 30 µs each, and the price is %v", p.Price)
	}
	p.paid(time.Second)
	if p.Price > maxPrice {
		t.Errorf("one call that others delayed has made the price %v", p.Price)
	}
	p.Run = time.Millisecond
	if p.Periods(time.Second, 1); p.Run != time.Millisecond/2 {
		t.Errorf("a pause makes the run %v", p.Run)
	}
}

// While goroutines wait for a P, a call that is parked costs its CPU time, and not all its time.
func TestPolicy_Contend(t *testing.T) {
	for _, c := range []struct {
		looks       int
		price, call time.Duration
		pays        bool
	}{
		{believed - 1, maxPrice, 24 * time.Microsecond, true},
		{believed, maxPrice, 24 * time.Microsecond, false},
		{believed, maxPrice, cpuPrice, true},
		{believed, minPrice, minPrice, true},
		{believed, minPrice, 2 * minPrice, false},
	} {
		p := Policy{Price: c.price}
		p.Contend(false)
		for range c.looks {
			p.Contend(true)
		}
		for range Memory * Memory {
			p.Periods(c.call, 1)
		}
		if p.Pays(false) != c.pays {
			t.Errorf("calls come each %v, parking takes %v, goroutines waited at %d looks: pays is %v",
				c.call, c.price, c.looks, !c.pays)
		}
	}
}

// A timeslice that is lost costs as much as many calls save.
func TestPolicy_credit(t *testing.T) {
	const slice = 4 * time.Millisecond
	p := Policy{Price: 20 * time.Microsecond, Gain: time.Hour}
	parked := func(n int) bool {
		for range n {
			p.Periods(0, 1)
		}
		return p.Pays(false)
	}
	p.earn(-slice)
	for range 6 {
		if parked(50) {
			t.Fatal("six frames of 50 calls pay for a timeslice")
		}
		p.Periods(time.Second, 1)
	}
	if p.Gain = time.Hour; !parked(50) {
		t.Error("seven do not")
	}
	p.Credit = 0
	if p.earn(-slice); p.Pays(false) {
		t.Error("another timeslice costs nothing")
	}
	if p.earn(3 * slice); !p.Pays(false) {
		t.Error("what a spin saves does not count")
	}
	if p.earn(-slice); !p.Pays(false) {
		t.Error("what a spin has saved pays for nothing afterwards")
	}
	if p.earn(time.Hour); p.Credit > maxCredit {
		t.Errorf("what spins have saved pays for %v", p.Credit)
	}
	if p.earn(-time.Hour); !parked(5000) {
		t.Error("one attempt keeps the thread from others for long")
	}
}

// crowded makes the machine one on which others want the cores.
func crowded(t *testing.T) {
	Others.Over.Store(believed)
	Others.Sampled.Store(int64(clock.Now() + time.Hour))
	t.Cleanup(func() { Others.Over.Store(0); Others.Sampled.Store(0) })
}

func TestCrowd(t *testing.T) {
	var c Crowd
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
		c.Sampled.Store(int64(time.Hour))
		c.Over.Store(believed)
		c.sample(now, &l)
		return c.Sampled.Load() != int64(time.Hour), c.Over.Load() != believed
	}
	if at, counted := sampled(time.Hour + sampleAfter - 1); at || counted {
		t.Error("it samples again at once")
	}
	if at, counted := sampled(time.Hour + sampleAfter); !at || counted != counts {
		t.Error("it does not sample again")
	}
}
