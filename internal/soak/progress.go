package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/threadcall/threadcall/internal/soak/record"
)

// progress tells what goes on: on a terminal in one line that changes, elsewhere in a line each minute.
type progress struct {
	out   io.Writer
	live  bool
	width int
	next  time.Duration
}

func newProgress(f *os.File) *progress {
	p := &progress{out: f, width: 80}
	if p.live = term.IsTerminal(int(f.Fd())); p.live {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			p.width = w
		}
	}
	return p
}

func (p *progress) show(s record.Sample, end time.Duration) {
	text := fmt.Sprintf("%v of %v: %s calls, heap %.0f KiB, %.0f goroutines, %.0f threads, %s calls/s, %.2f cores",
		s.At.Truncate(time.Second), end, thousands(float64(s.Calls)), s.Live/kib, s.Goroutines, s.Threads,
		thousands(s.CallsRate), s.CPURate)
	switch {
	case p.live:
		fmt.Fprintf(p.out, "\r\x1b[K%.*s", p.width-1, text)
	case s.At >= p.next:
		fmt.Fprintln(p.out, text)
		p.next = s.At.Truncate(time.Minute) + time.Minute
	}
}

func (p *progress) clear() {
	if p.live {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
