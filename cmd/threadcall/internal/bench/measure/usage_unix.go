//go:build unix

package measure

import (
	"os"
	"runtime"
	"syscall"
)

func literally([]string) *syscall.SysProcAttr { return nil }

// peak returns the largest resident set of the process and of those that it has waited for, or 0 if
// that is not known: until the new program replaces this one in it, Linux counts the memory of this
// process as that of the new one.
func peak(state *os.ProcessState) int64 {
	u, ok := state.SysUsage().(*syscall.Rusage)
	var own syscall.Rusage
	switch err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); {
	case !ok || err != nil || u.Maxrss <= own.Maxrss:
		return 0
	case runtime.GOOS == "darwin" || runtime.GOOS == "ios":
		return int64(u.Maxrss)
	}
	return int64(u.Maxrss) * 1024
}
