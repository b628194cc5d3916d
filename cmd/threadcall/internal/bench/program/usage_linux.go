package program

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// peak returns the largest resident set of the process and of those that it has waited for.
func peak(state *os.ProcessState) int64 {
	if u, ok := state.SysUsage().(*syscall.Rusage); ok {
		return int64(u.Maxrss) * 1024
	}
	return 0
}

// leastPeak makes what peak returns smaller where that is possible. It returns a function which, after the process has ended,
// returns what peak returns at least: the kernel counts the memory of this process, until the new program replaces it,
// as that of the new one.
func leastPeak() func() int64 {
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // this process's own peak is what it has now
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
