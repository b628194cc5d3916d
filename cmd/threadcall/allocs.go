package main

import (
	"errors"
	"os"
	"runtime"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/report/alloc"
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
	a.StringVar(&set.Bench, "bench", ".", "run the benchmarks that match the `regexp`, as for go test")
	set.Procs = runtime.GOMAXPROCS(0)
	set.Benchtime.Time = 200 * time.Millisecond
	a.Var(&set.Benchtime, "benchtime", "the `time` that the shorter run of a benchmark may take, or "+
		"its operations: 500x")
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
	if set.Benchtime.N == 1 {
		return errors.New("-benchtime 1x: give at least 2x, because the first operation is left out")
	}
	return gotest.CheckPattern(set.Bench)
}

// report prints the report.
func (a *allocsCommand) report(r *alloc.Report) (err error) {
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
