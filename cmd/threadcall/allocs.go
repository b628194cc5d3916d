package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/chart"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/pattern"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

func allocsCommand(stdout, stderr *os.File) *cobra.Command {
	var set allocs.Settings
	var benchtime string
	var show allocsOutput
	cmd := &cobra.Command{
		Use: `allocs [flags] [PACKAGES]
  threadcall allocs [flags] -- COMMAND [ARGUMENTS]`,
		Short: "Find out who allocates, how much, and why by the compiler's word",
		Long: `Allocs runs the benchmarks of packages with a profile of every allocation, and
prints for each place that allocates how much an operation costs there, and why
the compiler put the thing on the heap. What an operation allocates is the
difference of two runs, so that what is allocated once is told apart.

With -run it runs tests instead, and reports what they allocate altogether. So it
does with a command, whose program must contain these lines:

  import "github.com/threadcall/threadcall/recorder"
  func main() { defer recorder.Start()(); ... }

With -budget it checks the functions whose doc comment has the line
//threadcall:noalloc: the compiler must put nothing on the heap in them, no
benchmark may see them allocate, and some benchmark must run them. A line with
the comment "//threadcall:alloc reason" is excused.

It ends with status 0, 1 if a benchmark or test failed or a promise is broken,
and 2 if it did not understand the command.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			command, err := allocsSettings(&set, cmd, benchtime, args)
			if err != nil {
				return err
			}
			if show.top < 0 {
				return fmt.Errorf("-top must not be negative, and is %d", show.top)
			}
			ctx, stop := untilInterrupted()
			defer stop()
			progress := ui.On(stderr)
			set.Progress = progress.Progress
			var r *allocs.Report
			if command == nil {
				r, err = set.Run(ctx)
			} else {
				out := stdout
				if show.json {
					out = stderr // the document stands alone
				}
				r, err = set.Command(ctx, command, out, stderr)
			}
			progress.Progress("")
			switch {
			case errors.Is(err, context.Canceled):
				return failure{errors.New("interrupted")}
			case err != nil:
				return failure{err}
			}
			return show.report(r, stdout)
		},
	}
	f := cmd.Flags()
	f.StringVar(&set.Bench, "bench", ".", "run the benchmarks that match, as go test has it")
	f.StringVar(&set.Tests, "run", "", "run the tests that match instead of benchmarks, or besides with -bench")
	f.StringVar(&benchtime, "benchtime", "200ms", "what the shorter run of a benchmark may take, or its operations: 500x")
	f.IntVar(&set.Count, "count", 1, "how often to run the tests of -run")
	f.IntVar(&set.Procs, "cpu", runtime.GOMAXPROCS(0), "GOMAXPROCS of the tests")
	f.DurationVar(&set.Timeout, "timeout", 10*time.Minute, "how long a test binary may run")
	f.StringVar(&set.Tags, "tags", "", "build tags")
	f.BoolVar(&set.Budget, "budget", false, "check that functions marked //threadcall:noalloc do not allocate")
	f.BoolVar(&set.Deps, "deps", false, "ask the compiler also about packages of other modules (compiles them)")
	f.BoolVar(&set.Std, "std", false, "ask the compiler also about the standard library (compiles it)")
	show.flags(cmd)
	return cmd
}

// allocsOutput is where the report goes.
type allocsOutput struct {
	json   bool
	html   string
	pprof  string
	top    int
	stacks bool
	once   bool
}

func (o *allocsOutput) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "print one JSON document instead, with all rows and stacks")
	f.StringVar(&o.html, "html", "", "also write a web page to this `file`")
	f.StringVar(&o.pprof, "pprof", "", "also write a profile for go tool pprof to this `file`")
	f.IntVar(&o.top, "top", 20, "how many rows to print of each run; 0 for all")
	f.BoolVar(&o.once, "once", false, "print also what a benchmark allocates only once")
	f.BoolVar(&o.stacks, "stacks", false, "print the stacks of each row")
}

func (o *allocsOutput) report(r *allocs.Report, stdout *os.File) error {
	dir, _ := os.Getwd()
	var err error
	if o.json {
		err = writeJSON(stdout, r)
	} else {
		text := allocs.Text{Screen: ui.On(stdout), Top: o.top, Stacks: o.stacks, Once: o.once, Dir: dir}
		if r.Budget != nil {
			text.Failures(r)
			text.Budget(r.Budget)
		} else {
			text.Report(r)
		}
		err = text.Err
	}
	if err == nil && o.html != "" {
		err = chart.Save(r, o.html, dir)
	}
	if err == nil && o.pprof != "" {
		err = o.profile(r)
	}
	switch {
	case err != nil:
		return failure{err}
	case r.Budget != nil && !r.Budget.OK():
		return failure{errors.New("not all functions that promise not to allocate keep it")}
	case len(r.Failures) > 0:
		return failure{errors.New("not all that was to run ended well")}
	}
	return nil
}

func (o *allocsOutput) profile(r *allocs.Report) error {
	if len(r.Runs) != 1 {
		return fmt.Errorf("-pprof is for one benchmark, or the tests of one package, and %d ran", len(r.Runs))
	}
	f, err := os.Create(o.pprof)
	if err != nil {
		return err
	}
	err = r.Runs[0].WriteProfile(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// allocsSettings completes the settings, and returns the command if there is one to run.
func allocsSettings(set *allocs.Settings, cmd *cobra.Command, benchtime string, args []string) (command []string, err error) {
	if set.Packages = args; len(args) == 0 {
		set.Packages = []string{"."}
	}
	switch dash := cmd.ArgsLenAtDash(); {
	case dash > 0:
		return nil, fmt.Errorf("%q and a command exclude each other", strings.Join(args[:dash], " "))
	case dash == 0 && len(args) == 0:
		return nil, errors.New("the command after -- is missing")
	case dash == 0:
		for _, name := range []string{"bench", "run", "benchtime", "count", "cpu", "timeout", "budget"} {
			if cmd.Flags().Changed(name) {
				return nil, fmt.Errorf("-%s is for benchmarks and tests, not for a command", name)
			}
		}
		set.Packages = nil
		return args, nil
	}
	if cmd.Flags().Changed("run") && !cmd.Flags().Changed("bench") {
		set.Bench = ""
	}
	if _, err := pattern.Parse(set.Bench); err != nil {
		return nil, fmt.Errorf("-bench %q: %w", set.Bench, err)
	}
	if _, err := pattern.Parse(set.Tests); err != nil {
		return nil, fmt.Errorf("-run %q: %w", set.Tests, err)
	}
	if n, operations := strings.CutSuffix(benchtime, "x"); operations {
		ops, err := strconv.Atoi(n)
		if err != nil || ops < 2 || ops > 1e9 {
			return nil, fmt.Errorf("-benchtime %s: give at least 2x, because the first operation is left out", benchtime)
		}
		set.Operations = ops
	} else {
		d, err := time.ParseDuration(benchtime)
		if err != nil || d <= 0 {
			return nil, fmt.Errorf("-benchtime %s: give a time, such as 200ms, or operations, such as 500x", benchtime)
		}
		set.Duration = d
	}
	switch {
	case set.Count < 1:
		return nil, fmt.Errorf("-count must be at least 1, not %d", set.Count)
	case set.Procs < 1:
		return nil, fmt.Errorf("-cpu must be at least 1, not %d", set.Procs)
	case cmd.Flags().Changed("count") && set.Tests == "":
		return nil, errors.New("-count is for the tests of -run; benchmarks run as often as they must")
	case set.Budget && set.Tests != "":
		return nil, errors.New("-budget is for benchmarks, not for the tests of -run")
	case set.Bench == "" && set.Tests == "":
		return nil, errors.New("nothing to run: give -bench or -run a pattern")
	}
	return nil, nil
}
