//go:build go1.25

package clock

import (
	"testing"
	"testing/synctest"
	"time"
)

// A bubble is told from the time alone, which begins with the year 2000, also when it is later
// there than outside.
func TestOutside(t *testing.T) {
	if now, ok := Outside(); !ok || now < 0 || InBubble() {
		t.Errorf("outside, at %v: %v", now, ok)
	}
	synctest.Test(t, func(t *testing.T) {
		for _, sleep := range []time.Duration{0, 1, time.Hour, 20 * year, 80 * year} {
			time.Sleep(sleep)
			if now, ok := Outside(); ok || !InBubble() {
				t.Errorf("in a bubble, at %v: %v", now, ok)
			}
		}
	})
}
