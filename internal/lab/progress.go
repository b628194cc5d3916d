package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// progress tells what goes on: on a terminal in one line that changes, elsewhere in a line for each stage.
type progress struct {
	out   io.Writer
	live  bool
	width int
	began time.Time
	stage string
	from  time.Time // when the stage began
}

func newProgress(f *os.File) *progress {
	p := &progress{out: f, width: 80, began: time.Now()}
	if p.live = term.IsTerminal(int(f.Fd())); p.live {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			p.width = w
		}
	}
	return p
}

// enter begins a stage.
func (p *progress) enter(stage string) {
	p.stage, p.from = stage, time.Now()
	text := fmt.Sprintf("%4.0f s  %s", time.Since(p.began).Seconds(), stage)
	if p.live {
		p.line(text)
	} else {
		fmt.Fprintln(p.out, text)
	}
}

// step says how much of the stage is done.
func (p *progress) step(done, all int) {
	if !p.live || done == 0 {
		return
	}
	left := time.Since(p.from) * time.Duration(all-done) / time.Duration(done)
	p.line(fmt.Sprintf("%4.0f s  %s: %d %%, %.0f s left", time.Since(p.began).Seconds(), p.stage, 100*done/all, left.Seconds()))
}

func (p *progress) line(text string) { fmt.Fprintf(p.out, "\r\x1b[K%.*s", p.width-1, text) }

func (p *progress) clear() {
	if p.live {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
