package app

import (
	"math"
	"testing"
	"time"
)

func TestFrameClock_ticksAtThePace(t *testing.T) {
	for _, test := range []struct {
		name    string
		pace    Pace
		refresh int64
		waits   bool
		want    float64
	}{
		{"Unlimited", Unlimited, 60, false, 0},
		{"the driver waits", VSync, 60, true, 0},
		{"the driver does not wait", VSync, 144, false, 144},
		{"an unknown monitor", VSync, 0, false, 60},
		{"OnDemand", OnDemand, 0, false, 60},
		{"a pace below the monitor's", 30, 60, true, 30},
		{"the monitor's, and the driver waits", 60, 60, true, 0},
		{"a pace above the monitor's", 75, 60, true, 75},
	} {
		c := frameClock{waits: test.waits}
		c.refresh.Store(test.refresh)
		if got := c.tickRate(test.pace); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestPace_hasBounds(t *testing.T) {
	for set, want := range map[Pace]Pace{-3: OnDemand, Pace(math.NaN()): OnDemand, 0: VSync,
		1e-9: 1e-3, 30: 30, 1e300: Unlimited,
		Pace(math.Inf(1)): Unlimited, Pace(math.Inf(-1)): OnDemand} {
		var p pacing
		p.set(set)
		if got := p.pace(); got != want {
			t.Errorf("%v: %v, want %v", set, got, want)
		}
	}
}

// Whether the driver waits is judged by the time in SwapBuffers, and by several frames.
func TestFrameClock_noticesThatTheDriverWaits(t *testing.T) {
	const ms = time.Millisecond
	for _, test := range []struct {
		name        string
		draw, swap  time.Duration
		waited, now bool
	}{
		{"fast drawing, no wait", 1 * ms, 1 * ms, false, false},
		{"slow drawing, no wait", 15 * ms, 1 * ms, false, false},
		{"very slow drawing, no wait", 100 * ms, 1 * ms, false, false},
		{"slow SwapBuffers, no wait", 1 * ms, 9 * ms, false, false},
		{"a driver that waits", 1 * ms, 15 * ms, false, true},
		{"a driver that waits, after slow drawing", 12 * ms, 4 * ms, true, true},
		{"a driver that waits, and drawing that is too slow", 30 * ms, 0, true, true},
		{"a driver that waits no longer", 1 * ms, 1 * ms, true, false},
	} {
		c := frameClock{waits: test.waited}
		for range enough - 1 {
			c.swapped(test.swap, test.draw+test.swap)
		}
		if c.waits != test.waited {
			t.Errorf("%s: judged by %d frames", test.name, enough-1)
		}
		for range 10 {
			c.swapped(test.swap, test.draw+test.swap)
		}
		if c.waits != test.now {
			t.Errorf("%s: waits is %v", test.name, c.waits)
		}
	}
}
