// Package clock has the time of the process, in bubbles of testing/synctest, too, and its CPU time.
package clock

import (
	"bytes"
	"runtime"
	"strconv"
	"time"
)

var epoch = time.Now()

// Now is a monotonic clock.
func Now() time.Duration { return time.Since(epoch) }

// Outside is Now, and false in a bubble of testing/synctest, whose clock begins with the year 2000,
// and can be moved by years. Such a time is negative, or more than a year: it reads one clock, not
// two like InBubble. So it is wrong in a bubble whose clock has been moved to the year from the
// start of the process on.
//
//threadcall:noalloc
func Outside() (now time.Duration, ok bool) {
	now = Now()
	return now, uint64(now) < uint64(year)
}

const year = 365 * 24 * time.Hour

// InBubble reports whether the caller is in a bubble, where the clock has no monotonic part.
//
//threadcall:noalloc
func InBubble() bool {
	t := time.Now()
	return t == t.Round(0)
}

// Bubble returns the number of the bubble that the caller is in, or zero. Only stack traces have
// it, so it takes a microsecond or more there. If Go changes those, all bubbles have one number.
//
//threadcall:noalloc
func Bubble() uint64 {
	if !InBubble() {
		return 0
	}
	var b [100]byte //threadcall:alloc in a bubble
	first, _, _ := bytes.Cut(b[:runtime.Stack(b[:], false)], []byte("]"))
	_, number, _ := bytes.Cut(first, []byte("synctest bubble "))
	id, _ := strconv.ParseUint(string(number), 10, 64) //threadcall:alloc in a bubble
	return max(id, 1)
}
