// Package park has what a thread needs in order to wait: the clock, tokens to park on, and how to
// spin.
package park

import "time"

var epoch = time.Now()

// Now is a monotonic clock.
func Now() time.Duration { return time.Since(epoch) }
