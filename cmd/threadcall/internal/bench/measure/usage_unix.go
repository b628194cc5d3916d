//go:build unix

package measure

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
)

func literally(*exec.Cmd, []string) {}

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

// leastPeak makes what peak returns smaller where that is possible. It returns a function which,
// after the process has ended, returns what peak returns at least: the kernel of Linux counts the
// memory of this process, until the new program replaces it, as that of the new one.
func leastPeak() func() int64 {
	if runtime.GOOS != "linux" {
		return func() int64 { return 0 }
	}
	// With this, this process's own peak is what it has now.
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
	return func() int64 {
		status, _ := os.ReadFile("/proc/self/status")
		_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
		fields := bytes.Fields(rest)
		if len(fields) == 0 {
			return 0
		}
		n, _ := strconv.ParseInt(string(fields[0]), 10, 64)
		return n * 1024
	}
}
