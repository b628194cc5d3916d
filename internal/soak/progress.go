package main

import (
	"fmt"
	"os"
	"time"

	"github.com/threadcall/threadcall/internal/soak/record"
	"github.com/threadcall/threadcall/internal/soak/statusline"
)

// progress tells what goes on: on a terminal in one line that changes, elsewhere in a line each minute.
type progress struct {
	*statusline.Line
	next time.Duration
}

func newProgress(f *os.File) *progress { return &progress{Line: statusline.New(f)} }

func (p *progress) show(s record.Sample, end time.Duration) {
	text := fmt.Sprintf("%v of %v: %s calls, heap %.0f KiB, %.0f goroutines, %.0f threads, %s calls/s, %.2f cores",
		s.At.Truncate(time.Second), end, thousands(float64(s.Calls)), s.Live/kib, s.Goroutines, s.Threads,
		thousands(s.CallsRate), s.CPURate)
	switch {
	case p.Live():
		p.Show(text)
	case s.At >= p.next:
		p.Print(text)
		p.next = s.At.Truncate(time.Minute) + time.Minute
	}
}
