//go:build !linux

package cpufreq

import (
	"errors"
	"fmt"
	"runtime"
)

type held struct{}

func maybeWatchdog() {}

func hold(int) (*Held, error) {
	return nil, fmt.Errorf("holding the CPU frequency: %w on %s, only on Linux", errors.ErrUnsupported, runtime.GOOS)
}

func (held) restore() error { return nil }
