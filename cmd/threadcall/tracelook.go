package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/chart"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/perfetto"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/serve"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/text"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A closer is what the flags request that need the intervals of a trace.
type closer struct {
	lanes.Selection
	perfetto string // file
	serve    string // address
	served   []serve.Trace
	writers  []*lanes.Writer // of served
}

// define defines the flags.
func (c *closer) define(o *traceCommand) {
	moment := func(to *time.Duration) func(string) error {
		return func(value string) (err error) {
			if *to, err = time.ParseDuration(value); err == nil && *to < 0 {
				err = errors.New("must not be negative")
			}
			return err
		}
	}
	o.Func("from", "report only what happened from this `time` on, as 1.5s after the begin of the trace", moment(&c.From))
	o.Func("to", "report only what happened until this `time`", moment(&c.To))
	o.Func("goroutine", "report only the goroutines with these `numbers`, as 18 or 18,42", func(value string) (err error) {
		if c.Goroutines, err = lanes.ParseGoroutines(value); err == nil && len(c.Goroutines) == 0 {
			err = errors.New("must have a number")
		}
		return err
	})
	o.StringVar(&c.Place, "place", "", "report only what goroutines did at a `place`: a part of a function's name, a file, or FILE:LINE")
	o.StringVar(&c.perfetto, "perfetto", "", "also write the trace, or the selected part, for ui.perfetto.dev to this `file`")
	o.Func("serve", "also serve the page, which then zooms to every event, on this loopback `address`, as localhost:8080", func(value string) error {
		c.serve = value
		return serve.Check(value)
	})
}

// check returns an error if the flags contradict each other.
func (c *closer) check() error {
	if c.To > 0 && c.To <= c.From {
		return fmt.Errorf("-to %v is not after -from %v", c.To, c.From)
	}
	return nil
}

// lanes returns what keeps the intervals of the next trace, nil if nothing needs them.
func (o *traceCommand) lanes() (*lanes.Writer, error) {
	if o.html == "" && o.look.perfetto == "" && o.look.serve == "" && o.look.Whole() {
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
		if r.Look, err = x.Look(o.look.Selection); err != nil {
			return fmt.Errorf("%s: %w", r.Trace.Name, err)
		}
	}
	if o.look.perfetto != "" {
		file := o.numbered(o.look.perfetto)
		if err := writePerfetto(file, x, o.look.Selection, r); err != nil {
			return fmt.Errorf("%s cannot be written: %w", file, err)
		}
		fmt.Fprintf(o.progress, "wrote %s; open it at ui.perfetto.dev, which reads it in the browser\n", ui.Plain(file))
	}
	if o.html != "" {
		if err := o.writePage(r, x); err != nil {
			return err
		}
	}
	if o.look.serve != "" {
		o.look.served = append(o.look.served, serve.Trace{Report: r, Index: x, Selection: o.look.Selection})
	}
	return nil
}

func (o *traceCommand) writePage(r *report.Report, x *lanes.Index) error {
	file := o.numbered(o.html)
	if err := chart.Save(r, x, o.look.Selection, file); err != nil {
		return fmt.Errorf("the page %s cannot be written: %w", file, err)
	}
	fmt.Fprintf(o.progress, "wrote %s\n", ui.Plain(file))
	return nil
}

func writePerfetto(file string, x *lanes.Index, s lanes.Selection, r *report.Report) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	err = perfetto.Write(f, x, s, r.Trace.Name, r.Trace.Begin)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// writeText writes the report, or what it says about the selected part.
func writeText(out *ui.Screen, r *report.Report) {
	if r.Look != nil {
		text.WriteLook(out, r, r.Look)
		return
	}
	text.Write(out, r)
}

// serveUntilInterrupt serves the pages, if that is requested.
func (c *closer) serveUntilInterrupt(progress *ui.Screen) error {
	if len(c.served) == 0 {
		return nil
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	l, err := serve.Listen(c.serve)
	if err != nil {
		return err
	}
	for i, t := range c.served {
		path := "/"
		if i > 0 {
			path = fmt.Sprintf("/%d/", i+1)
		}
		fmt.Fprintf(progress, "serving %s at http://%s%s until an interrupt (Ctrl-C)\n", ui.Plain(t.Report.Trace.Name), l.Addr(), path)
	}
	server := &http.Server{Handler: serve.Handler(c.served), ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

// close removes the temporary files.
func (c *closer) close() {
	for _, w := range c.writers {
		_ = w.Close()
	}
}
