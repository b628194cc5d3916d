//go:build unix && !linux

package program

import (
	"os"
	"runtime"
	"syscall"
)

// peak returns the largest resident set of the process and of those that it has waited for.
func peak(state *os.ProcessState) int64 {
	u, ok := state.SysUsage().(*syscall.Rusage)
	switch {
	case !ok:
		return 0
	case runtime.GOOS == "darwin" || runtime.GOOS == "ios":
		return int64(u.Maxrss)
	}
	return int64(u.Maxrss) * 1024
}

func leastPeak() func() int64 { return func() int64 { return 0 } }
