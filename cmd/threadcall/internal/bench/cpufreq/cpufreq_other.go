//go:build !linux

package cpufreq

import (
	"errors"
	"fmt"
	"runtime"
)

type guarded struct{}

func maybeGuard() {}

func fix(int) (*Fixed, error) {
	return nil, fmt.Errorf("fixing the CPU frequency: %w on %s, only on Linux", errors.ErrUnsupported, runtime.GOOS)
}

func (f *Fixed) restore() ([]string, error) { return nil, nil }

func recoverState() ([]string, error) { return nil, nil }
