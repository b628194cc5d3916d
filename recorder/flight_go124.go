//go:build !go1.25

package recorder

import (
	"errors"
	"io"
	"time"
)

func recordFlight(time.Duration, uint64) error {
	return errors.New("runtime/trace.FlightRecorder needs Go 1.25")
}

func writeFlight(io.Writer) error { return nil }
