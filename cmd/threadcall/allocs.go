package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// An allocsCommand has where the report goes.
type allocsCommand struct {
	*command
	set  allocs.Settings
	json bool
	text allocs.Text
}

func runAllocs(c *command) error {
	a := &allocsCommand{command: c}
	a.define()
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
	report, err := a.set.Run(ctx)
	progress.Progress("")
	if report != nil {
		err = errors.Join(err, a.report(report))
	}
	return fail(statusWrong, err)
}

func (a *allocsCommand) define() {
	set := &a.set
	set.Procs = runtime.GOMAXPROCS(0)
	a.StringVar(&set.Bench, "bench", ".", "run the benchmarks that match the `regexp`, as for go test")
	set.Duration = 200 * time.Millisecond
	a.Func("benchtime", "the `time` that the shorter run of a benchmark may take, or its "+
		"operations: 500x (default 200ms)", func(text string) (err error) {
		if set.Duration, set.Operations, err = benchtime(text); err == nil && set.Operations == 1 {
			err = errors.New("give at least 2x, because the first operation is left out")
		}
		return err
	})
	a.BoolVar(&set.Budget, "budget", false, "check that functions marked //threadcall:noalloc do "+
		"not allocate")
	a.BoolVar(&a.json, "json", false, "print one JSON document instead, with all rows and stacks")
	a.BoolVar(&a.text.Stacks, "stacks", false, "print the stacks of each row")
}

// validate completes the settings of a run of packages.
func (a *allocsCommand) validate(packages []string) error {
	set := &a.set
	if set.Packages = packages; len(packages) == 0 {
		set.Packages = []string{"."}
	}
	if _, err := gotest.ParsePattern(set.Bench); err != nil {
		return fmt.Errorf("-bench %q: %w", set.Bench, err)
	}
	if set.Bench == "" {
		return errors.New("-bench must not be empty; a point means all benchmarks")
	}
	return nil
}

// report prints the report.
func (a *allocsCommand) report(r *allocs.Report) (err error) {
	a.text.Dir, _ = os.Getwd()
	a.text.Screen = ui.On(a.stdout)
	switch {
	case a.json:
		err = writeJSON(a.stdout, r)
	case r.Budget != nil:
		a.text.Failures(r.Failures)
		a.text.Budget(r.Budget)
	default:
		a.text.Report(r)
	}
	switch err = errors.Join(err, a.text.Err); {
	case err != nil:
		return err
	case r.Budget != nil && !r.Budget.OK():
		return errors.New("not all functions that promise not to allocate keep it")
	case len(r.Failures) > 0:
		return errors.New("some benchmarks failed")
	}
	return nil
}
