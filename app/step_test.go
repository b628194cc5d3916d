package app

import (
	"testing"
	"time"
)

func TestStep_due(t *testing.T) {
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
		{10 * ms, []time.Duration{time.Hour, 15 * ms}, []int{25, 1}, 5 * ms}, // a quarter of a second is made up for
		{time.Second, []time.Duration{600 * ms, 600 * ms}, []int{0, 1}, 200 * ms},
		{time.Second, []time.Duration{time.Hour, 100 * ms}, []int{1, 0}, 100 * ms},
	} {
		s := stepping{period: c.period}
		if n := s.due(time.Minute); n != 0 {
			t.Errorf("%d steps in the first frame", n)
		}
		for i, d := range c.deltas {
			if n := s.due(d); n != c.want[i] {
				t.Errorf("period %v, frames %v: frame %d has %d steps, want %d", c.period, c.deltas, i, n, c.want[i])
			}
		}
		if s.left != c.left {
			t.Errorf("period %v, frames %v: %v are left, want %v", c.period, c.deltas, s.left, c.left)
		}
	}
}

// Steps that take longer than their period delay each frame by a bounded time.
func TestStep_slow(t *testing.T) {
	w := &Win{}
	steps := 0
	w.OnStep(time.Millisecond, func() { steps++; time.Sleep(30 * time.Millisecond) })
	f := &Frame{Delta: time.Second}
	w.takeSteps(f)
	w.takeSteps(f)
	if steps < 1 || steps > 2 || f.Steps != steps {
		t.Errorf("a frame ran %d steps of 30 ms, and says %d; it may step for 50 ms", steps, f.Steps)
	}
	w.OnStep(0, nil)
	if w.takeSteps(f); f.Steps != 0 || f.Alpha != 0 {
		t.Errorf("without OnStep a frame has %d steps and alpha %v", f.Steps, f.Alpha)
	}
}
