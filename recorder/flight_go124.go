//go:build !go1.25

package recorder

import (
	"errors"
	"io"
	"time"
)

var errOld = errors.New("runtime/trace.FlightRecorder needs Go 1.25")

func recordFlight(time.Duration, uint64) error { return errOld }

func writeFlight(io.Writer) error { return errOld }
