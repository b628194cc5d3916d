//go:build !unix

package bench

import "time"

// CPUTime returns zero: this system does not report it.
func CPUTime() time.Duration { return 0 }

func resetNice() {}
