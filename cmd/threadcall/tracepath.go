package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/read"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/source"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// addPath reads the trace for the second time and adds the path in the window to the report.
func (o *traceCommand) addPath(t *source.Trace, w *read.Window, r *report.Report) error {
	if slow := r.Calls.Slow; o.pathOf == "slow" && len(slow) > 0 {
		s := slow[len(slow)-1]
		w = &read.Window{What: "the slow call at " + ui.Duration(s.Begin()), Goroutine: s.Runner, From: s.Begin(), To: s.At}
	}
	if w == nil {
		return fmt.Errorf("the trace has no task or goroutine %q", o.pathOf)
	}
	again, ok := t.Reader.(io.ReadSeeker)
	if ok {
		_, err := again.Seek(0, io.SeekStart)
		ok = err == nil
	}
	if !ok {
		return errors.New("-path reads the trace twice, so it must be in a file")
	}
	path, err := read.Path(again, *w)
	r.Path = path
	return err
}
