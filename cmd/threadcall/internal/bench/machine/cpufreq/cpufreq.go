// Package cpufreq holds the frequency of the CPUs for the time of a benchmark, on Linux and as root, and restores the limits
// that it found, however the benchmark ends: a second process, the watchdog, waits on a pipe that ends when this process
// does, even by SIGKILL, and restores them. If the watchdog is killed, this process does.
package cpufreq

import (
	"errors"
	"fmt"
)

// ErrNone means that the frequency of this machine cannot be set, as on most virtual machines.
var ErrNone = errors.New("this machine does not let its CPU frequency be set (no cpufreq); benchmarks run at whatever it is")

// MaybeWatchdog does nothing, except in a process that Hold has started: there it does the work of the watchdog and ends
// the process. The program calls it first thing in main, and tests that use Hold in TestMain.
func MaybeWatchdog() { maybeWatchdog() }

// A Held is a frequency that is held.
type Held struct {
	What string // the frequency: "3.10 GHz"
	held
}

// Hold sets the lowest and the highest frequency of all CPUs to the same value: percent hundredths of the way from the
// lowest to the highest that the hardware has, or what the kernel makes of that.
//
// If Hold returns an error, nothing is changed. The error is ErrNone if there is nothing to set; it wraps fs.ErrPermission
// if that takes more rights, and errors.ErrUnsupported on systems other than Linux. Otherwise call Restore.
func Hold(percent int) (*Held, error) {
	if percent < 0 || percent > 100 {
		return nil, fmt.Errorf("the CPU frequency must be from 0 to 100 percent of its range, not %d", percent)
	}
	return hold(percent)
}

// Restore restores the limits that Hold has found. Only the first call does anything.
func (h *Held) Restore() error { return h.restore() }
