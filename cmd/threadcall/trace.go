package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/chart"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/read"
	tracereport "github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/source"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/text"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

func traceCommand(stdout, stderr *os.File) *cobra.Command {
	var from source.Request
	var show traceOutput
	cmd := &cobra.Command{
		Use: `trace [flags] FILE
  threadcall trace [flags] PACKAGES
  threadcall trace [flags] -- COMMAND [ARGUMENTS]`,
		Short: "See what the heap does, which thread runs what, and what calls cost",
		Long: `Trace reads an execution trace of the Go runtime and reports what the heap and
the collector did, how many goroutines and threads there were, how goroutines
moved from thread to thread and why, what locked threads did, and how long
threadcall's calls were queued and ran.

The trace comes from a file ("-" is the standard input), from a run of the
tests of packages, or from a command whose program records one when it is asked
to, by these lines:

  import "github.com/threadcall/threadcall/recorder"
  func main() { defer recorder.Start()(); ... }

It ends with status 0, 1 if there was no trace or what recorded it failed, and
2 if it did not understand the command.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := traceRequest(&from, cmd, args); err != nil {
				return err
			}
			from.Stdout, from.Stderr = stdout, stderr
			if show.json {
				from.Stdout = stderr // the document stands alone
			}
			return show.run(from, stdout, stderr)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&show.json, "json", false, "print one JSON document instead")
	f.StringVar(&show.html, "html", "", "also write a web page with pictures to this `file`")
	f.StringVarP(&from.Keep, "output", "o", "", "keep the trace that is recorded in this `file`")
	t := &from.Tests
	f.StringVar(&t.Run, "run", "", "run the tests that match the `pattern`; for this flag and the following see go help testflag")
	f.StringVar(&t.Bench, "bench", "", "run the benchmarks that match the `pattern`, too")
	f.StringVar(&t.Benchtime, "benchtime", "", "how long or how often to run each benchmark")
	f.IntVar(&t.Count, "count", 0, "how often to run each test")
	f.StringVar(&t.CPU, "cpu", "", "the values of GOMAXPROCS to run with")
	f.DurationVar(&t.Timeout, "timeout", 0, "how long the tests of a package may run")
	f.BoolVar(&t.Short, "short", false, "tell tests to be short")
	f.BoolVarP(&t.Verbose, "verbose", "v", false, "let tests tell more")
	f.StringVar(&t.Tags, "tags", "", "build tags")
	f.BoolVar(&t.Race, "race", false, "with the race detector")
	return cmd
}

// traceRequest sets where the trace is to come from.
func traceRequest(from *source.Request, cmd *cobra.Command, args []string) (err error) {
	dash := cmd.ArgsLenAtDash()
	switch {
	case dash > 0:
		return fmt.Errorf("%q and a command exclude each other", strings.Join(args[:dash], " "))
	case dash == 0 && len(args) == 0:
		return errors.New("the command after -- is missing")
	case dash == 0:
		from.Command = args
	case len(args) == 0:
		return errors.New("no trace is asked for; give a file, packages, or a command after --")
	default:
		if from.File, from.Packages, err = source.Classify(args); err != nil {
			return err
		}
		if i := slices.IndexFunc(from.Packages, namesTrace); i >= 0 {
			return failure{fmt.Errorf("there is no file %s", from.Packages[i])}
		}
	}
	if cmd.Flags().Changed("timeout") && from.Tests.Timeout == 0 {
		from.Tests.Timeout = -1
	}
	switch {
	case len(from.Packages) == 0 && from.Tests != (source.Tests{}):
		return errors.New("flags of tests are for packages")
	case from.File != "" && from.Keep != "":
		return errors.New("-o is for traces that are recorded now, not for a file")
	case from.Tests.Count < 0:
		return fmt.Errorf("-count must not be negative, and is %d", from.Tests.Count)
	}
	return nil
}

// namesTrace tells whether an argument that is no file must have been meant as one.
func namesTrace(arg string) bool {
	return slices.Contains([]string{".trace", ".out", ".gz"}, filepath.Ext(arg))
}

// traceOutput is where reports go.
type traceOutput struct {
	json    bool
	html    string
	reports []*tracereport.Report
}

// run reads all traces and shows what they say. It goes on when one cannot be had.
func (o *traceOutput) run(from source.Request, stdout, stderr *os.File) error {
	progress := ui.On(stderr)
	from.Doing = func(what string) {
		progress.Progress("")
		fmt.Fprintf(progress, "%s\n", progress.Faint(what))
	}
	ctx := context.Background()
	if from.File == "" {
		var stop func()
		ctx, stop = untilInterrupted()
		defer stop()
	}
	var failed []error
	for t, err := range source.Open(ctx, from) {
		if err == nil {
			err = o.read(t, stdout, progress)
		}
		if t != nil && t.Failed != nil {
			failed = append(failed, t.Failed)
		}
		if err != nil {
			failed = append(failed, err)
		}
	}
	if o.json && len(o.reports) > 0 {
		failed = append(failed, o.document(stdout))
	}
	if err := errors.Join(failed...); err != nil {
		return failure{err}
	}
	return nil
}

func (o *traceOutput) read(t *source.Trace, stdout *os.File, progress *ui.Screen) error {
	r, err := read.Trace(t.Reader, read.Options{
		Name: t.Name,
		Progress: func(n int64) {
			progress.Progress(readSoFar(t.Name, n, t.Size))
		},
	})
	progress.Progress("")
	if err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	if t.Failed != nil {
		r.Warnings = append(r.Warnings, fmt.Sprintf("What recorded the trace did not end well: %v.", t.Failed))
	}
	o.reports = append(o.reports, r)
	if !o.json {
		out := ui.On(stdout)
		if len(o.reports) > 1 {
			fmt.Fprintln(out)
		}
		if text.Write(out, r); out.Err != nil {
			return out.Err
		}
	}
	if o.html == "" {
		return nil
	}
	file := numbered(o.html, len(o.reports))
	if err := chart.Save(r, file); err != nil {
		return fmt.Errorf("the page %s cannot be written: %w", file, err)
	}
	fmt.Fprintf(progress, "wrote %s\n", file)
	return nil
}

// readSoFar ends with the name, which may be long, and may be a command of several lines.
func readSoFar(name string, n, size int64) string {
	name = strings.Join(strings.Fields(name), " ")
	if size <= 0 {
		return fmt.Sprintf("reading %s: %s", ui.Bytes(n), name)
	}
	return fmt.Sprintf("reading %s of %s, %d %%: %s", ui.Bytes(n), ui.Bytes(size), min(100, 100*n/size), name)
}

// numbered returns the name of the nth file: of several traces, each has a page.
func numbered(file string, n int) string {
	if n == 1 {
		return file
	}
	ext := filepath.Ext(file)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(file, ext), n, ext)
}

// document writes the report, or a list of several.
func (o *traceOutput) document(out io.Writer) error {
	enc := json.NewEncoder(out)
	if len(o.reports) == 1 {
		return enc.Encode(o.reports[0])
	}
	return enc.Encode(o.reports)
}
