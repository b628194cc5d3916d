package engine

import (
	"runtime"
	"testing"
	"time"
	"weak"
)

// The next tick is the first after now, at a whole number of periods from the last; those between
// are missed.
func TestAfter(t *testing.T) {
	const year = 24 * 365 * time.Hour
	for _, period := range []time.Duration{1, 333_333_333, time.Second, farAway} {
		for _, late := range []time.Duration{-1, 0, 1, 2, time.Millisecond, time.Hour, year} {
			const due = 7
			next, missed := after(due, period, due+late)
			if next <= due+late || next-period > due+max(late, 0) ||
				next != due+time.Duration(missed+1)*period {
				t.Errorf("due each %v, %v late: due next at %v, missed %d", period, late, next, missed)
			}
		}
	}
}

// A stopped Clock that is not due is freed, and with it what would have called it: a timer, and for
// periods a file and a goroutine on Linux.
func TestClock_isCollectedOnceStopped(t *testing.T) {
	e := start(t)
	for what, newClock := range map[string]func() *Clock{
		"After": func() *Clock { return e.After(time.Hour, nothing, nil) },
		"Every": func() *Clock { return e.Every(time.Hour, nothing, nil) },
	} {
		c := newClock()
		c.Stop()
		p := weak.Make(c)
		c = nil
		eventually(t, func() bool { runtime.GC(); return p.Value() == nil }, "the Clock of "+what)
	}
}
