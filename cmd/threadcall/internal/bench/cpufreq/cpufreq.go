// Package cpufreq fixes the frequency of the CPUs for the time of a benchmark, on Linux and as root, and puts the old
// settings back, however the benchmark ends.
//
// Two things see to that. A second process, the guardian, waits on a pipe that ends when this process does, even by
// SIGKILL, and restores. And as long as anything is changed, a file says what it was before, for Recover, should the
// guardian be killed as well. Both are there before the first change. What a restart of the machine forgets needs neither.
package cpufreq

import (
	"errors"
	"fmt"
)

// RootVariable names the environment variable that says where to look for the directories sys and run, instead of /. It is
// there for tests, which make directories of their own.
const RootVariable = "THREADCALL_CPUFREQ_ROOT"

// ErrNone says that the machine has no CPU frequency that can be set, as most virtual machines. It is no reason not to
// measure.
var ErrNone = errors.New("this machine does not let its CPU frequency be set (no cpufreq); benchmarks run at whatever it is")

// MaybeGuard does nothing in most processes. In one that Fix has started as its guardian, it does the guardian's work and
// ends the process. The program calls it first thing in main, and tests that use Fix in TestMain.
func MaybeGuard() { maybeGuard() }

// A Fixed is a frequency that has been fixed.
type Fixed struct {
	// What says what was set, and for which CPUs: "3.10 GHz on CPU 0-7".
	What string
	// Notes are sentences about it for the user, such as what a run that was killed had left behind.
	Notes []string

	guarded *guarded
}

// Fix sets the lowest and the highest frequency of all CPUs to the same value: percent hundredths of the way from the
// lowest to the highest that the hardware has, or the nearest to it that it can run at.
//
// If Fix returns an error, nothing is changed. The error is ErrNone if there is nothing to set; it wraps fs.ErrPermission
// if that takes more rights, and errors.ErrUnsupported on systems other than Linux. Otherwise call Restore.
func Fix(percent int) (*Fixed, error) {
	if percent < 0 || percent > 100 {
		return nil, fmt.Errorf("the CPU frequency must be from 0 to 100 percent of the range, not %d", percent)
	}
	return fix(percent)
}

// Restore puts back what Fix has found. Only the first call does anything.
//
// What another program has set meanwhile stays as it is, and the notes say so; they are to be shown.
func (f *Fixed) Restore() (notes []string, err error) { return f.restore() }

// Recover restores what a run has left behind that was killed together with its guardian. The notes say what it did; there
// are none if there was nothing to do, as nearly always. It is an error, with the command that helps, if there is something
// to do but this user may not.
func Recover() (notes []string, err error) { return recoverState() }
