package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/chart"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/text"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// defineSelection defines the flags that select a part of a trace.
func (o *traceCommand) defineSelection() {
	s := &o.look
	moment := func(to *time.Duration) func(string) error {
		return func(value string) (err error) {
			if *to, err = time.ParseDuration(value); err == nil && *to < 0 {
				err = errors.New("must not be negative")
			}
			return err
		}
	}
	o.Func("from", "report only what happened from this `time` on, as 1.5s after the begin of the trace", moment(&s.From))
	o.Func("to", "report only what happened until this `time`", moment(&s.To))
	o.Func("goroutine", "report only the goroutines with these `numbers`, as 18 or 18,42", func(value string) (err error) {
		if s.Goroutines, err = lanes.ParseGoroutines(value); err == nil && len(s.Goroutines) == 0 {
			err = errors.New("must have a number")
		}
		return err
	})
	o.StringVar(&s.Place, "place", "", "report only what goroutines did at a `place`: a part of a function's name, a file, or FILE:LINE")
}

// lanes returns what keeps the intervals of the next trace, nil if nothing needs them.
func (o *traceCommand) lanes() (*lanes.Writer, error) {
	if o.html == "" && o.look.Whole() {
		return nil, nil
	}
	w, err := lanes.Create()
	if err != nil {
		return nil, fmt.Errorf("the intervals of the trace cannot be kept: %w", err)
	}
	return w, nil
}

// looked writes all that needs intervals.
func (o *traceCommand) looked(r *report.Report, w *lanes.Writer) error {
	x, err := w.Index()
	if err != nil {
		if o.html != "" { // the rest of the page does not need them
			err = errors.Join(err, o.writePage(r, nil))
		}
		return err
	}
	if !o.look.Whole() {
		if r.Look, err = x.Look(o.look); err != nil {
			return fmt.Errorf("%s: %w", r.Trace.Name, err)
		}
	}
	if o.html != "" {
		return o.writePage(r, x)
	}
	return nil
}

func (o *traceCommand) writePage(r *report.Report, x *lanes.Index) error {
	file := o.numbered(o.html)
	if err := chart.Save(r, x, o.look, file); err != nil {
		return fmt.Errorf("the page %s cannot be written: %w", file, err)
	}
	fmt.Fprintf(o.progress, "wrote %s\n", ui.Plain(file))
	return nil
}

// writeText writes the report, or what it says about the selected part.
func writeText(out *ui.Screen, r *report.Report) {
	if r.Look != nil {
		text.WriteLook(out, r, r.Look)
		return
	}
	text.Write(out, r)
}
