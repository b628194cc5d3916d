package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/demo"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

func demoCommand(stdout, stderr *os.File) *cobra.Command {
	set := demo.Settings{Rounds: 9, Duration: 100 * time.Millisecond}
	asJSON := false
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Try the main thread, and measure what calling it costs",
		Long: `Demo tries the main thread with what is known to go wrong, says what was
expected and what was seen, and measures what a call costs: by threadcall, and
by the usual designs with a channel.

It ends with status 0 if all is as expected, 1 if not, and 2 if it did not
understand the command.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("demo takes flags only, not %q", args[0])
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error {
			if err := set.Validate(); err != nil {
				return err
			}
			out := ui.On(stdout)
			if asJSON {
				out = ui.Discard()
			}
			r := perform(set, out, ui.On(stderr))
			err := out.Err
			if asJSON {
				err = writeJSON(stdout, r)
			}
			return verdict(r, err)
		},
	}
	cmd.Flags().IntVar(&set.Rounds, "rounds", set.Rounds, "how many samples to take of each row of the table")
	cmd.Flags().DurationVar(&set.Duration, "duration", set.Duration, "how long to time calls for a sample")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document instead, with all samples")
	return cmd
}

// perform tells on out what it finds out, when it does.
func perform(set demo.Settings, out, progress *ui.Screen) *demo.Report {
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

// verdict is nil if all was found as expected, and told without err.
func verdict(r *demo.Report, err error) error {
	switch {
	case err != nil:
		return failure{err}
	case !r.OK:
		return failure{errors.New("not all is as expected")}
	}
	return nil
}
