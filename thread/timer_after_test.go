package thread

import (
	"testing"
	"time"
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
