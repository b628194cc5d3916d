package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/analysis"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/present"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/source"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

func runTrace(c *command) error {
	asJSON := c.Bool("json", false, "print one JSON document instead")
	keep := c.String("o", "", "keep the trace that is recorded in this `file`")
	args, program, err := c.parseAll()
	switch {
	case err != nil:
		return err
	case program != nil:
		return fail(statusWrong, recordTrace(c, program, *keep, *asJSON))
	case len(args) != 1:
		return errors.New("give one file with a trace, or a command after --; go test -trace FILE " +
			"writes one")
	case *keep != "":
		return errors.New("-o is for traces that are recorded now, not for a file")
	case args[0] == "-":
		return fail(statusWrong, printTrace(c, os.Stdin, "standard input", nil, *asJSON))
	}
	f, err := os.Open(args[0])
	if err != nil {
		return fail(statusWrong, err)
	}
	defer f.Close()
	return fail(statusWrong, printTrace(c, f, args[0], nil, *asJSON))
}

// recordTrace prints a report on what a program records, which it keeps in a file, if that is
// named.
func recordTrace(c *command, program []string, keep string, asJSON bool) (err error) {
	ctx, stop := interruptible(statusWrong, ui.On(c.stderr))
	defer stop()
	if keep == "" {
		scratch, err := gotest.NewScratch()
		if err != nil {
			return err
		}
		defer scratch.Remove()
		keep = filepath.Join(scratch.Dir, "trace")
	} else if keep, err = filepath.Abs(keep); err != nil {
		return err
	}
	stdout := c.stdout
	if asJSON {
		stdout = c.stderr // the report stands alone
	}
	failed, err := source.Record(ctx, program, keep, stdout, c.stderr)
	if err != nil {
		return err
	}
	f, err := os.Open(keep)
	if err != nil {
		return err
	}
	defer f.Close()
	return errors.Join(failed, printTrace(c, f, strings.Join(program, " "), failed, asJSON))
}

// printTrace prints a report on a trace, which is of what has failed if failed is not nil.
func printTrace(c *command, in *os.File, name string, failed error, asJSON bool) error {
	r, err := analysis.Trace(in, name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if failed != nil {
		r.Warnings = append(r.Warnings,
			fmt.Sprintf("What recorded the trace did not end well: %v.", failed))
	}
	return c.print(asJSON, r, func(out *ui.Screen) { present.Text(out, r) })
}
