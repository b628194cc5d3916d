package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/threadcall/threadcall/internal/soak/load"
)

// What the process ends with.
const (
	statusOK    = 0
	statusWrong = 1 // something grew or went wrong, or a result could not be written
	statusUsage = 2 // the command was not understood
)

// A failure is an error of a command that was understood.
type failure struct{ error }

// command runs the command and returns the status.
func command(ctx context.Context, args []string, stdout, stderr *os.File) int {
	set := settings{duration: time.Hour, out: filepath.Join(os.TempDir(), "threadcall-soak")}
	cmd := &cobra.Command{
		Use:   "soak",
		Short: "Use threadcall for an hour, and see whether anything grows",
		Long: `Soak loads the main thread, other threads and pools with all that they can do,
takes samples of what the process holds (heap, goroutines, threads of the
operating system), and judges whether any of it grows.

It writes soak.md, soak.svg and soak.csv. An interrupt ends it early; what there
is by then is judged and written.

It ends with status 0 if nothing grew and nothing went wrong, 1 if not, and 2 if
it did not understand the command.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := set.validate(); err != nil {
				return err
			}
			return perform(ctx, set, stdout, stderr)
		},
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	cmd.Flags().DurationVar(&set.duration, "for", set.duration, "how long")
	cmd.Flags().StringVar(&set.out, "out", set.out, "the directory for the results")
	cmd.Flags().StringVar(&set.leak, "leak", "", "lose something: "+strings.Join(load.Leaks, ", "))
	_ = cmd.Flags().MarkHidden("leak") // the flag exists
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	cmd.SetArgs(args)
	err := cmd.Execute()
	if err == nil {
		return statusOK
	}
	fmt.Fprintf(stderr, "soak: %v\n", err)
	if errors.As(err, new(failure)) {
		return statusWrong
	}
	fmt.Fprintln(stderr, "Run it with --help to see what it takes.")
	return statusUsage
}

// perform soaks, prints the verdict, and writes the results.
func perform(ctx context.Context, set settings, stdout, stderr *os.File) error {
	r, err := soak(ctx, set, newProgress(stderr))
	if err != nil {
		return failure{err}
	}
	fmt.Fprint(stdout, r.text())
	if err := r.write(set.out); err != nil {
		return failure{err}
	}
	fmt.Fprintf(stdout, "\nwritten: %s with soak.md, soak.svg and soak.csv\n", set.out)
	if !r.ok() {
		return failure{errors.New("failed: " + r.reason())}
	}
	return nil
}
