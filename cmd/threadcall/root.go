package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"github.com/threadcall/threadcall/internal/dashes"
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
	root.SetArgs(dashes.Two(args))
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

// untilInterrupted returns a context that ends when the program is asked to end. The second time it does.
func untilInterrupted() (ctx context.Context, stop context.CancelFunc) {
	ctx, stop = signal.NotifyContext(context.Background(), ends()...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// writeJSON writes one document.
func writeJSON(out io.Writer, document any) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(document)
}
