//go:build !unix

package compare

import "time"

// CPUTime returns zero: this system does not report it.
func CPUTime() time.Duration { return 0 }
