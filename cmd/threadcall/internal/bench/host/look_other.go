//go:build !linux && !darwin

package host

import (
	"context"
	"runtime"
)

func (m Machine) look(context.Context) []Finding {
	return []Finding{{"machine", "not looked at on " + runtime.GOOS,
		"Nothing is known here about other processes, power, heat and frequency. See that nothing else runs, and " +
			"that a laptop is plugged in.", Note}}
}
