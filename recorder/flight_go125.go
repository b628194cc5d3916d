//go:build go1.25

package recorder

import (
	"io"
	"runtime/trace"
	"time"
)

var flight *trace.FlightRecorder

// recordFlight must be called once.
func recordFlight(d time.Duration, bytes uint64) error {
	flight = trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: d, MaxBytes: bytes})
	return flight.Start()
}

func writeFlight(w io.Writer) error {
	_, err := flight.WriteTo(w)
	return err
}
