package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/analysis"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/present"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/source"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

func runTrace(c *command) error {
	from := source.Request{Stdout: c.stdout, Stderr: c.stderr}
	asJSON := c.Bool("json", false, "print one JSON document instead")
	c.StringVar(&from.Keep, "o", "", "keep the trace that is recorded in this `file`")
	args, program, err := c.parseAll()
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
	case *asJSON:
		from.Stdout = c.stderr // the report stands alone
	}
	ctx := context.Background()
	if from.File == "" {
		var stop func()
		ctx, stop = interruptible(statusWrong, ui.On(c.stderr))
		defer stop()
	}
	t, err := source.Open(ctx, from)
	if err != nil {
		return fail(statusWrong, err)
	}
	r, err := analysis.Trace(t, t.Name)
	if err != nil {
		err = fmt.Errorf("%s: %w", t.Name, err)
	} else {
		if t.Failed != nil {
			r.Warnings = append(r.Warnings,
				fmt.Sprintf("What recorded the trace did not end well: %v.", t.Failed))
		}
		err = c.print(*asJSON, r, func(out *ui.Screen) { present.Text(out, r) })
	}
	return fail(statusWrong, errors.Join(t.Failed, err, t.Close()))
}
