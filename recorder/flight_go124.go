//go:build !go1.25

package recorder

import (
	"errors"
	"io"
)

var errOld = errors.New("runtime/trace.FlightRecorder needs Go 1.25")

func recordFlight() error { return errOld }

func writeFlight(io.Writer) error { return errOld }
