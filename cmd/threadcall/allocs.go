package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

const allocsUsage = `Usage:

  threadcall allocs [flags] [PACKAGES] [-args ARGUMENTS]

Allocs runs the benchmarks of packages with a profile of every allocation, and
prints for each place that allocates how much an operation costs there, and why
the compiler put the value on the heap. What an operation allocates is the
difference of two runs, without what is allocated only once.

With -run it runs tests instead, and reports what they allocate altogether.

With -vs it does the same in a revision of the git repository, and prints for
each place what the change did; with -md as markdown, for a pull request.

With -budget it checks the functions whose doc comment has the line
//threadcall:noalloc: their compiled code must not allocate, whatever the sizes,
no benchmark may see them allocate, and some benchmark must run them. A line
with the comment "//threadcall:alloc reason" is excused.

What follows -args goes to the test binaries.

It ends with status 0, 1 if a benchmark or test failed or a promise is broken,
and 2 if it did not understand the command.
`

// An allocsCommand has where the report goes.
type allocsCommand struct {
	*command
	set      allocs.Settings
	json, md bool
	vs       string
	text     allocs.Text
}

func runAllocs(c *command) error {
	a := &allocsCommand{command: c}
	a.define()
	// As for go test: all that follows -args is for the test binary.
	i := slices.IndexFunc(c.args, func(arg string) bool {
		return arg == "-args" || arg == "--args" || arg == "--"
	})
	if i >= 0 && c.args[i] != "--" {
		c.args, a.set.Args = c.args[:i], c.args[i+1:]
	}
	args, program, err := c.parse()
	if err != nil {
		return err
	}
	if program != nil {
		return errors.New("allocs takes packages, not a command")
	}
	if err := a.validate(args); err != nil {
		return err
	}
	progress := ui.On(c.stderr)
	ctx, stop := interruptible(statusWrong, progress)
	defer stop()
	a.set.Progress = progress.Progress
	var report *allocs.Report
	var comparison *allocs.Comparison
	if a.vs != "" {
		comparison, err = a.set.Versus(ctx, a.vs)
	} else {
		report, err = a.set.Run(ctx)
	}
	progress.Progress("")
	if err != nil {
		return fail(statusWrong, err)
	}
	return fail(statusWrong, a.report(report, comparison))
}

func (a *allocsCommand) define() {
	set := &a.set
	set.Procs = runtime.GOMAXPROCS(0)
	a.StringVar(&set.Bench, "bench", ".", "run the benchmarks that match the `regexp`, as for go test")
	a.StringVar(&set.Tests, "run", "", "run the tests that match the `regexp` instead of "+
		"benchmarks, or with -bench as well")
	set.Duration = 200 * time.Millisecond
	a.Func("benchtime", "the `time` that the shorter run of a benchmark may take, or its "+
		"operations: 500x (default 200ms)", func(text string) error {
		if n, ok := strings.CutSuffix(text, "x"); ok {
			var err error
			if set.Operations, err = strconv.Atoi(n); err != nil || set.Operations < 2 ||
				set.Operations > 1e9 {
				return errors.New("give at least 2x, because the first operation is left out")
			}
			return nil
		}
		var err error
		if set.Duration, err = time.ParseDuration(text); err != nil || set.Duration <= 0 {
			return errors.New("give a time, such as 200ms, or operations, such as 500x")
		}
		return nil
	})
	a.StringVar(&set.Tags, "tags", "", "the `list` of build tags")
	a.BoolVar(&set.Budget, "budget", false, "check that functions marked //threadcall:noalloc do "+
		"not allocate")
	a.StringVar(&a.vs, "vs", "", "compare with the benchmarks of this `revision` of the repository")
	a.BoolVar(&a.md, "md", false, "with -vs, print markdown instead")

	a.BoolVar(&a.json, "json", false, "print one JSON document instead, with all rows and stacks")
	a.IntVar(&a.text.Top, "top", 20, "print the first `n` rows of each run; 0 for all")
	a.BoolVar(&a.text.Once, "once", false, "print also what a benchmark allocates only once")
	a.BoolVar(&a.text.Stacks, "stacks", false, "print the stacks of each row")
}

// validate completes the settings of a run of packages.
func (a *allocsCommand) validate(packages []string) error {
	set := &a.set
	if set.Packages = packages; len(packages) == 0 {
		set.Packages = []string{"."}
	}
	if a.has("run") && !a.has("bench") {
		set.Bench = ""
	}
	for name, pattern := range map[string]string{"bench": set.Bench, "run": set.Tests} {
		if _, err := gotest.ParsePattern(pattern); err != nil {
			return fmt.Errorf("-%s %q: %w", name, pattern, err)
		}
	}
	switch {
	case a.text.Top < 0:
		return fmt.Errorf("-top must not be negative, and is %d", a.text.Top)
	case set.Budget && set.Tests != "":
		return errors.New("-budget is for benchmarks, not for the tests of -run")
	case a.md && a.vs == "":
		return errors.New("-md is for -vs")
	case a.md && a.json:
		return errors.New("-md and -json exclude each other")
	case a.vs != "" && (set.Tests != "" || set.Budget):
		return errors.New("-vs compares benchmarks, without -run and -budget")
	case set.Bench == "" && set.Tests == "":
		return errors.New("nothing to run: give -bench or -run a pattern")
	}
	return nil
}

// report prints the report, or a comparison if that is not nil.
func (a *allocsCommand) report(r *allocs.Report, c *allocs.Comparison) (err error) {
	a.text.Dir, _ = os.Getwd()
	a.text.Screen = ui.On(a.stdout)
	switch {
	case a.json && c != nil:
		err = writeJSON(a.stdout, c)
	case a.json:
		err = writeJSON(a.stdout, r)
	case a.md:
		a.text.Markdown(c)
	case c != nil:
		a.text.Comparison(c)
	case r.Budget != nil:
		a.text.Failures("FAILED", r.Notes, r.Failures)
		a.text.Budget(r.Budget)
	default:
		a.text.Report(r)
	}
	switch err = errors.Join(err, a.text.Err); {
	case err != nil:
		return err
	case c == nil && r.Budget != nil && !r.Budget.OK():
		return errors.New("not all functions that promise not to allocate keep it")
	case c != nil && len(c.Failures) > 0, c == nil && len(r.Failures) > 0:
		return errors.New("some benchmarks or tests failed")
	}
	return nil
}
