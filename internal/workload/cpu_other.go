//go:build !unix

package workload

import "time"

// CPUTime returns zero: for how long this process has computed cannot be told.
func CPUTime() time.Duration { return 0 }

func unNice() {}
