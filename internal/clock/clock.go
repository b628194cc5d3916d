// Package clock has the time of the process, inside and outside of the bubbles of testing/synctest,
// and its CPU time.
package clock

import "time"

var epoch = time.Now()

// Now is a monotonic clock.
func Now() time.Duration { return time.Since(epoch) }

// Outside is Now, and false in a bubble of testing/synctest, where that is no time of the process:
// the clock of a bubble can be moved by years.
//
//threadcall:noalloc
func Outside() (now time.Duration, ok bool) {
	t := time.Now()
	return t.Sub(epoch), t != t.Round(0)
}

// InBubble reports whether the caller is in a bubble of testing/synctest, where the clock has no
// monotonic part.
//
//threadcall:noalloc
func InBubble() bool {
	_, outside := Outside()
	return !outside
}

// InYoungBubble is InBubble for a caller whose clock shows now, and costs nothing. But it is false
// when the bubble's clock, which begins in the year 2000, has come to the time at which this
// process began.
func InYoungBubble(now time.Duration) bool { return now < 0 }
