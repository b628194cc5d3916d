//go:build go1.25

package recorder

import (
	"io"
	"runtime/trace"
	"sync"
	"time"
)

var flight *trace.FlightRecorder

// recordFlight begins to record, if nothing has done so before.
var recordFlight = sync.OnceValue(func() error {
	flight = trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: 10 * time.Second, MaxBytes: 16 << 20})
	return flight.Start()
})

func writeFlight(w io.Writer) error {
	_, err := flight.WriteTo(w)
	return err
}
