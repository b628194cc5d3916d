package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"

	"github.com/spf13/cobra"
)

// What the process ends with.
const (
	statusOK    = 0
	statusWrong = 1 // something was not as expected, or could not be written
	statusUsage = 2 // the command was not understood
)

// A failure is an error of a command that was understood.
type failure struct{ error }

// run runs the command and returns the status.
func run(args []string, stdout, stderr *os.File) int {
	root := &cobra.Command{
		Use:               "threadcall",
		Short:             "Show what threadcall does here, measure Go programs, and look into them",
		Args:              cobra.NoArgs,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.AddCommand(demoCommand(stdout, stderr), benchCommand(stdout, stderr))
	root.AddCommand(allocsCommand(stdout, stderr))
	root.AddCommand(traceCommand(stdout, stderr))
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetArgs(twoDashes(args))
	cmd, err := root.ExecuteC()
	status := statusOf(err)
	if status != statusOK {
		fmt.Fprintf(stderr, "threadcall: %v\n", err)
	}
	if status == statusUsage {
		fmt.Fprintf(stderr, "Run '%s --help' to see what it takes.\n", cmd.CommandPath())
	}
	return status
}

func statusOf(err error) int {
	switch {
	case err == nil:
		return statusOK
	case errors.As(err, new(failure)):
		return statusWrong
	}
	return statusUsage
}

// oneDash is a flag of ours with one dash, and perhaps a value. -ldflags "-s -w" has a value that is none.
var oneDash = regexp.MustCompile(`^-[a-z][a-z0-9-]+(=|$)`)

// twoDashes lets flags have one dash or two, as those of the go command. What follows -- is not ours.
func twoDashes(args []string) []string {
	var out []string
	for i, a := range args {
		if a == "--" {
			return append(out, args[i:]...)
		}
		if oneDash.MatchString(a) {
			a = "-" + a
		}
		out = append(out, a)
	}
	return out
}

// untilInterrupted returns a context that ends when the program is asked to end. The second time it does.
func untilInterrupted() (ctx context.Context, stop context.CancelFunc) {
	ctx, stop = signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// writeJSON writes one document.
func writeJSON(out io.Writer, document any) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(document)
}
