package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/threadcall/threadcall/internal/dashes"
	"github.com/threadcall/threadcall/internal/lab/measure"
)

// What the process ends with.
const (
	statusOK    = 0
	statusWrong = 1 // an experiment failed, or a result could not be written
	statusUsage = 2 // the command was not understood
)

// A failure is an error of a command that was understood.
type failure struct{ error }

// settings are how much is measured.
type settings struct {
	run    string // which experiments
	out    string // where lab.md and the directory lab are written
	quick  bool
	rounds int
	turn   time.Duration // of each contender in each round
	limit  time.Duration // for all rounds of an experiment, if the machine is slow

	sieve     int // its limit where it is timed
	sieveIn   int // its limit where it is traced
	creations int // of the nine-field struct, timed and traced
	calls     int // of functions that are traced
	pingpongs int // that are traced
	profile   int // calls whose allocations are counted
}

func full() settings {
	return settings{
		rounds: 30, turn: 200 * time.Millisecond, limit: time.Minute,
		sieve: 20_000, sieveIn: 4_000, creations: 20_000_000, calls: 20_000_000, pingpongs: 20_000, profile: 100_000,
	}
}

// quick makes all experiments in seconds. Its times mean nothing, but what it allocates is the same.
func quick() settings {
	return settings{
		quick: true, rounds: measure.MinRounds, turn: 2 * time.Millisecond,
		sieve: 500, sieveIn: 300, creations: 100_000, calls: 100_000, pingpongs: 200, profile: 5_000,
	}
}

// command runs the command and returns the status.
func command(ctx context.Context, args []string, stdout, stderr *os.File) int {
	var run, out string
	var inHaste bool
	rounds := full().rounds
	cmd := &cobra.Command{
		Use:   "lab",
		Short: "Make the experiments of three articles again",
		Long: `Lab makes the experiments of three articles about Go again, on this machine:
how functions are called on a thread, how goroutines move between threads, and
what the heap costs. It writes lab.md and, in the directory lab, its pictures.

The experiments are
` + names("  ") + `
Times mean something only if the machine has nothing else to do. It takes four
minutes then, and six if it is slow.

It ends with status 0, 1 if something failed, and 2 if it did not understand the
command.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			set := full()
			if inHaste {
				set = quick()
			}
			if cmd.Flags().Changed("rounds") {
				set.rounds = rounds
			}
			set.run, set.out = run, out
			chosen, err := set.validate()
			if err != nil {
				return err
			}
			if err := perform(ctx, set, chosen, stdout, newProgress(stderr)); err != nil {
				return failure{err}
			}
			return nil
		},
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	cmd.Flags().StringVar(&run, "run", "", "only the experiments whose names match this regular `expression`")
	cmd.Flags().StringVar(&out, "out", "", "the `directory` for the results; docs by default, a temporary one with -run or -quick")
	cmd.Flags().IntVar(&rounds, "rounds", rounds, "how often everything is measured, in turns; less often where that takes more than "+full().limit.String())
	cmd.Flags().BoolVar(&inHaste, "quick", false, "a few seconds in all, to see that it works; the times mean nothing")
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	cmd.SetArgs(dashes.Two(args))
	err := cmd.Execute()
	if err == nil {
		return statusOK
	}
	fmt.Fprintf(stderr, "lab: %v\n", err)
	if errors.As(err, new(failure)) {
		return statusWrong
	}
	fmt.Fprintln(stderr, "Run it with --help to see what it takes.")
	return statusUsage
}

// names lists the experiments.
func names(indent string) string {
	var b strings.Builder
	for _, e := range experiments {
		fmt.Fprintf(&b, "%s%-12s %s\n", indent, e.name, e.title)
	}
	return b.String()
}

// validate returns the experiments that are to be made.
func (s settings) validate() (chosen []experiment, err error) {
	expression, err := regexp.Compile(s.run)
	if err != nil {
		return nil, fmt.Errorf("-run %q is not a regular expression: %v", s.run, err)
	}
	for _, e := range experiments {
		if expression.MatchString(e.name) {
			chosen = append(chosen, e)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("-run %q matches none of the experiments:\n%s", s.run, names("  "))
	}
	if s.rounds < measure.MinRounds {
		return nil, fmt.Errorf("-rounds %d: a median needs at least %d to have an interval", s.rounds, measure.MinRounds)
	}
	return chosen, nil
}

// where returns the directory for the results. A part of the experiments does not replace the page that has all.
func (s settings) where(root string) string {
	switch {
	case s.out != "":
		return s.out
	case s.run != "" || s.quick:
		return filepath.Join(os.TempDir(), "threadcall-lab")
	default:
		return filepath.Join(root, "docs")
	}
}
