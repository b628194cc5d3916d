package park

import (
	"time"

	"github.com/threadcall/threadcall/internal/clock"
)

// Relax waits for about as long as a cache line takes from one core to another, 80 ns. To look more
// often at a line that another core is about to write slows that core down.
func Relax() {
	for range pauses {
		Pause()
	}
}

// pauses is how many calls of Pause take that long. It differs twentyfold between processors.
var pauses = pausesIn(80 * time.Nanosecond)

func pausesIn(d time.Duration) int {
	const n = 64
	shortest := time.Second
	for range 3 { // something else may run in between
		start := clock.Now()
		for range n {
			Pause()
		}
		shortest = min(shortest, clock.Now()-start)
	}
	// one in a nanosecond, if the clock is too coarse
	return max(1, int((n*d+shortest/2)/max(shortest, n)))
}
