package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/demo"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/screen"
)

func demoCommand(stdout, stderr *os.File) *cobra.Command {
	set := demo.Settings{Rounds: 9, Duration: 100 * time.Millisecond}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Try the main thread, and measure what calling it costs",
		Long: `Demo tries the main thread with what is known to go wrong, prints what was
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
			switch {
			case set.Rounds < 1 || set.Rounds > 1000:
				return fmt.Errorf("rounds must be from 1 to 1000, not %d", set.Rounds)
			case set.Duration < time.Millisecond || set.Duration > time.Minute:
				return fmt.Errorf("the duration of a sample must be from 1ms to 1m0s, not %v", set.Duration)
			}
			out := screen.On(stdout)
			ok := demo.Run(set, out, screen.On(stderr))
			switch {
			case out.Err != nil:
				return failure{out.Err}
			case !ok:
				return failure{errors.New("not all is as expected")}
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&set.Rounds, "rounds", set.Rounds, "how many samples to take of each row of the table")
	cmd.Flags().DurationVar(&set.Duration, "duration", set.Duration, "how long to time calls for a sample")
	return cmd
}
