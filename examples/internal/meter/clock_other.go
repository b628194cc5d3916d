//go:build !windows

package meter

import "time"

var began = time.Now()

// Now is the time on a clock of its own.
func Now() time.Duration { return time.Since(began) }
