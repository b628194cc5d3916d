package park

import (
	"sync/atomic"
	"time"
)

// The Go scheduler does not know what other processes do. A thread that yields its core to one of them loses it for a
// whole time slice, and one that spins may have been waiting all along for a partner that is not running. Both show
// as a gap between two looks at the clock that nothing else explains. Two gaps within gapMemory mean a crowd: then
// nobody in this process yields for a while, which doubles as long as the crowd is found again.
var crowd struct {
	until, length, lastGap atomic.Int64 // time.Duration since epoch; length is a time.Duration
}

const (
	gap        = time.Millisecond // shorter than the slices of the kernels we know, longer than their interrupts
	gapMemory  = 10 * time.Millisecond
	firstCrowd = 20 * time.Millisecond
	maxCrowd   = time.Second
)

// Crowded tells whether other processes seem to want the cores.
func Crowded(now time.Duration) bool { return int64(now) < crowd.until.Load() }

// Gap reports that a spinner, or a yield, which should have taken microseconds took from before to after.
func Gap(before, after time.Duration) {
	if after-before < gap {
		return
	}
	last := time.Duration(crowd.lastGap.Swap(int64(after)))
	until := time.Duration(crowd.until.Load())
	if last == 0 || after-last > gapMemory || after < until {
		return
	}
	length := firstCrowd
	if after-until < 5*firstCrowd {
		length = min(max(2*time.Duration(crowd.length.Load()), firstCrowd), maxCrowd)
	}
	crowd.length.Store(int64(length))
	crowd.until.Store(int64(after + length))
}
