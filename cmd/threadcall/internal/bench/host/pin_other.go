//go:build !linux

package host

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
)

// Available returns the CPUs on which this process may run. On systems that do not tell, the error wraps
// errors.ErrUnsupported.
func Available() (CPUs, error) {
	return nil, fmt.Errorf("%w on %s, only on Linux", errors.ErrUnsupported, runtime.GOOS)
}

func startOn(*exec.Cmd, CPUs) error { return errors.ErrUnsupported }
