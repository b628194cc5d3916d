package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/analysis"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/present"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/source"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A traceCommand has where reports go.
type traceCommand struct {
	*command
	progress *ui.Screen
	json     bool
}

func runTrace(c *command) error {
	o := &traceCommand{command: c, progress: ui.On(c.stderr)}
	from := source.Request{Stdout: c.stdout, Stderr: c.stderr}
	c.BoolVar(&o.json, "json", false, "print one JSON document instead")
	c.StringVar(&from.Keep, "o", "", "keep the trace that is recorded in this `file`")
	args, program, err := c.parse()
	if err != nil {
		return err
	}
	switch from.Command = program; {
	case program == nil && len(args) != 1:
		return errors.New("give one file with a trace, or a command after --; go test -trace FILE " +
			"writes one")
	case program == nil && from.Keep != "":
		return errors.New("-o is for traces that are recorded now, not for a file")
	case program == nil:
		from.File = args[0]
	case o.json:
		from.Stdout = c.stderr // the report stands alone
	}
	return o.run(from)
}

// run gets the trace and shows its report.
func (o *traceCommand) run(from source.Request) error {
	ctx := context.Background()
	if from.File == "" {
		var stop func()
		ctx, stop = interruptible(statusWrong, o.progress)
		defer stop()
	}
	t, err := source.Open(ctx, from)
	if err == nil {
		err = errors.Join(t.Failed, o.read(t), t.Close())
	}
	return fail(statusWrong, err)
}

// read reads a trace and shows its report.
func (o *traceCommand) read(t *source.Trace) error {
	r, err := analysis.Trace(&reading{o, t, 0}, t.Name)
	o.progress.Progress("")
	if err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	if t.Failed != nil {
		r.Warnings = append(r.Warnings,
			fmt.Sprintf("What recorded the trace did not end well: %v.", t.Failed))
	}
	if o.json {
		return writeJSON(o.stdout, r)
	}
	out := ui.On(o.stdout)
	present.Text(out, r)
	return out.Err
}

// A reading shows how much of a trace is read, and its name, which may be a command of several
// lines.
type reading struct {
	*traceCommand
	*source.Trace
	read int
}

func (r *reading) Read(p []byte) (int, error) {
	n, err := r.Trace.Read(p)
	r.read += n
	r.progress.Progress(fmt.Sprintf("reading %s: %s", ui.Bytes(r.read),
		ui.Plain(strings.Join(strings.Fields(r.Name), " "))))
	return n, err
}
