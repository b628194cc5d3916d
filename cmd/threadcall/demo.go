package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/demo"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/screen"
)

const demoUsage = `Usage:

  threadcall demo [flags]

Demo tries the main thread with what is known to go wrong, prints what was
expected and what was seen, and measures what a call costs: by threadcall, and
by the usual designs with a channel.

It ends with status 0 if all is as expected, 1 if not, and 2 if it did not
understand the command.
`

func runDemo(c *command) error {
	var set demo.Settings
	c.IntVar(&set.Rounds, "rounds", 9, "take `n` samples of each row of the table")
	c.DurationVar(&set.Duration, "duration", 100*time.Millisecond, "how long to time calls for a sample")
	asJSON := c.Bool("json", false, "print one JSON document instead, with all samples")
	args, program, err := c.parse()
	switch {
	case err != nil:
		return err
	case len(args)+len(program) > 0:
		return fmt.Errorf("demo takes flags only, not %q", append(args, program...)[0])
	}
	if err := set.Validate(); err != nil {
		return err
	}
	out := screen.On(c.stdout)
	if *asJSON {
		out = screen.Discard()
	}
	r := perform(set, out, screen.On(c.stderr))
	err = out.Err
	if *asJSON {
		err = writeJSON(c.stdout, r)
	}
	return verdict(r, err)
}

// perform prints on out what it finds, when it does.
func perform(set demo.Settings, out, progress *screen.Screen) *demo.Report {
	r, text := demo.NewReport(set), demo.Text{Screen: out}
	add := func(f demo.Fact) {
		r.Add(f)
		text.Fact(f)
	}
	text.Opening(r)
	hung := false
	for f := range demo.Facts() {
		add(f)
		hung = f.Hung
	}
	if !hung { // or measuring would hang, too
		text.Measuring(set)
		rows, facts := demo.Measure(set, func(taken, all int) {
			progress.Progress(fmt.Sprintf("%d of %d samples taken", taken, all))
		})
		progress.Progress("")
		if rows != nil {
			r.Conclude(rows)
			text.Results(r)
		}
		for _, f := range facts {
			add(f)
		}
	}
	text.Closing(r)
	return r
}

// verdict is nil if all was found as expected, and written without err.
func verdict(r *demo.Report, err error) error {
	switch {
	case err != nil:
		return failure{err}
	case !r.OK:
		return failure{errors.New("not all is as expected")}
	}
	return nil
}
