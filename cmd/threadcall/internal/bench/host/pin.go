package host

import (
	"fmt"
	"os/exec"
)

// Start starts cmd so that it and all that it starts run on cpus only; on any CPU if cpus is nil. It changes nothing for
// this process.
//
// It is an error if cpus has one on which this process may not run, or if the system cannot pin, and then cmd is not
// started; that error wraps errors.ErrUnsupported.
//
// The Go runtime of the new process sees no other CPUs: without -cpu, its GOMAXPROCS is the number of cpus.
func Start(cmd *exec.Cmd, cpus CPUs) error {
	if cpus == nil {
		return cmd.Start()
	}
	if err := CanPin(cpus); err != nil {
		return err
	}
	return startOn(cmd, cpus)
}

// CanPin returns the error that Start would return before it starts anything.
func CanPin(cpus CPUs) error {
	allowed, err := Available()
	if err != nil {
		return fmt.Errorf("pinning to CPU %v: %w", cpus, err)
	}
	if len(cpus) == 0 {
		return fmt.Errorf("pinning to no CPU; this process may run on %v", allowed)
	}
	if other := cpus.without(allowed); len(other) > 0 {
		return fmt.Errorf("pinning to CPU %v: CPU %v is not there for this process, which may run on %v", cpus, other, allowed)
	}
	return nil
}
