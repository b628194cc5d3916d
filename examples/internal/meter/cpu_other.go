//go:build !unix && !windows

package meter

import "time"

// CPUTime returns zero: it is not known here.
func CPUTime() time.Duration { return 0 }
