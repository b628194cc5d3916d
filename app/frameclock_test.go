package app

import (
	"testing"
	"time"
)

func TestFrameClock_ticksAtTheLowerRate(t *testing.T) {
	for _, test := range []struct {
		name    string
		vsync   bool
		limit   float64 // FrameRate
		refresh int64
		waits   bool
		want    float64
	}{
		{"without vsync", false, 0, 60, false, 0},
		{"without vsync, FrameRate", false, 75, 60, false, 75},
		{"a rate that no clock has", false, 1e300, 60, false, 1e6},
		{"the driver waits", true, 0, 60, true, 0},
		{"the driver does not wait", true, 0, 144, false, 144},
		{"an unknown monitor", true, 0, 0, false, 60},
		{"an unknown monitor, FrameRate", true, 75, 0, false, 75},
		{"FrameRate below the monitor's", true, 30, 60, true, 30},
		{"FrameRate above the monitor's", true, 75, 60, false, 60},
		{"FrameRate above the monitor's, the driver waits", true, 75, 60, true, 0},
	} {
		c := frameClock{waits: test.waits}
		c.refresh.Store(test.refresh)
		if got := c.tickRate(test.vsync, test.limit); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
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

func TestStep_runsOncePerPeriod(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		period time.Duration
		deltas []time.Duration // after the first frame
		want   []int
		left   time.Duration
	}{
		{10 * ms, []time.Duration{10 * ms, 10 * ms, 10 * ms}, []int{1, 1, 1}, 0},
		{10 * ms, []time.Duration{4 * ms, 4 * ms, 4 * ms, 4 * ms}, []int{0, 0, 1, 0}, 6 * ms},
		{10 * ms, []time.Duration{25 * ms, 25 * ms}, []int{2, 3}, 0},
		// a quarter of a second is made up for
		{10 * ms, []time.Duration{time.Hour, 15 * ms}, []int{25, 1}, 5 * ms},
		{time.Second, []time.Duration{600 * ms, 600 * ms}, []int{0, 1}, 200 * ms},
		{time.Second, []time.Duration{time.Hour, 100 * ms}, []int{1, 0}, 100 * ms},
	} {
		s := stepping{period: c.period}
		if n := s.due(time.Minute); n != 0 {
			t.Errorf("%d steps in the first frame", n)
		}
		for i, d := range c.deltas {
			if n := s.due(d); n != c.want[i] {
				t.Errorf("period %v, frames %v: frame %d has %d steps, want %d", c.period, c.deltas,
					i, n, c.want[i])
			}
		}
		if s.left != c.left {
			t.Errorf("period %v, frames %v: %v are left, want %v", c.period, c.deltas, s.left,
				c.left)
		}
	}
}

// Steps that take longer than their period delay each frame by a bounded time.
func TestStep_delaysAFrameByABoundedTime(t *testing.T) {
	w := &Window{}
	steps := 0
	w.OnStep(time.Millisecond, func() { steps++; time.Sleep(30 * time.Millisecond) })
	f := &Frame{Delta: time.Second}
	w.takeSteps(f)
	w.takeSteps(f)
	if steps < 1 || steps > 2 || f.Steps != steps {
		t.Errorf("a frame ran %d steps of 30 ms, and says %d; it may step for 50 ms", steps,
			f.Steps)
	}
	w.OnStep(0, nil)
	if w.takeSteps(f); f.Steps != 0 || f.Alpha != 0 {
		t.Errorf("without OnStep a frame has %d steps and alpha %v", f.Steps, f.Alpha)
	}
}
