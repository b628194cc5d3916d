package engine

import (
	"math"
	"testing"
	"time"
)

// last is the latest tick that is not later, and the next one is later.
func TestClock_ticks(t *testing.T) {
	for _, times := range []times{
		{period: 1}, {period: time.Second}, {period: 333_333_333}, {period: math.MaxInt64 / 8},
	} {
		first := times.at(1)
		if first < 0 || first > farAway {
			t.Fatalf("%+v: the first tick is at %v", times, first)
		}
		const year = 24 * 365 * time.Hour
		for _, after := range []time.Duration{0, 1, 2, time.Millisecond, time.Hour, year} {
			if first == farAway {
				continue
			}
			d := first + after
			n := times.last(1, d)
			if at := times.at(n); n < 1 || at > d {
				t.Errorf("%+v: tick %d, at %v, is the last until %v", times, n, at, d)
			}
			if next := times.at(n + 1); next <= d {
				t.Errorf("%+v: tick %d, at %v, is not the last until %v", times, n, next, d)
			}
			if m := times.last(n, times.at(n)); m != n && times.at(m) != times.at(n) {
				t.Errorf("%+v: tick %d is at the time of tick %d", times, m, n)
			}
		}
	}
}
