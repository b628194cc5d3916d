package main

import (
	"fmt"
	"os"
	"time"

	"github.com/threadcall/threadcall/internal/soak/statusline"
)

// progress tells what goes on: on a terminal in one line that changes, elsewhere in a line for each stage.
type progress struct {
	*statusline.Line
	began time.Time
	stage string
	from  time.Time // when the stage began
}

func newProgress(f *os.File) *progress { return &progress{Line: statusline.New(f), began: time.Now()} }

// enter begins a stage.
func (p *progress) enter(stage string) {
	p.stage, p.from = stage, time.Now()
	if text := p.text(); p.Live() {
		p.Show(text)
	} else {
		p.Print(text)
	}
}

// step says how much of the stage is done.
func (p *progress) step(done, all int) {
	if done == 0 {
		return
	}
	left := time.Since(p.from) * time.Duration(all-done) / time.Duration(done)
	p.Show(fmt.Sprintf("%s: %d %%, %.0f s left", p.text(), 100*done/all, left.Seconds()))
}

func (p *progress) text() string {
	return fmt.Sprintf("%4.0f s  %s", time.Since(p.began).Seconds(), p.stage)
}
