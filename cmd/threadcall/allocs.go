package main

import (
	"errors"
	"os"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/report"
)

func runAllocs(c *command) error {
	var set allocs.Settings
	c.StringVar(&set.Bench, "bench", ".", "run the benchmarks that match the `regexp`, as for go test")
	c.TextVar(&set.Benchtime, "benchtime", report.Benchtime{Time: 200 * time.Millisecond},
		"the `time` that the shorter run of a benchmark may take, or its operations: 500x")
	c.BoolVar(&set.Budget, "budget", false, "check that functions marked //threadcall:noalloc do "+
		"not allocate")
	asJSON := c.Bool("json", false, "print one JSON document instead, with all rows and stacks")
	stacks := c.Bool("stacks", false, "print the stacks of each row")
	args, err := c.parse("allocs takes packages, not a command")
	if err != nil {
		return err
	}
	if set.Packages = args; len(args) == 0 {
		set.Packages = []string{"."}
	}
	if set.Benchtime.N == 1 {
		return errors.New("-benchtime 1x: give at least 2x, because the first operation is left out")
	}
	if err := gotest.CheckPattern(set.Bench); err != nil {
		return err
	}
	progress := ui.On(c.stderr)
	ctx, stop := interruptible(statusWrong, progress)
	defer stop()
	set.Progress = progress.Progress
	r, err := set.Run(ctx)
	progress.Progress("")
	if r == nil {
		return fail(statusWrong, err)
	}
	err = errors.Join(err, c.print(*asJSON, r, func(out *ui.Screen) {
		dir, _ := os.Getwd()
		allocs.Text{Screen: out, Stacks: *stacks, Dir: dir}.Report(r)
	}))
	switch {
	case err != nil:
	case r.Budget != nil && !r.Budget.OK():
		err = errors.New("not all functions that promise not to allocate keep it")
	case len(r.Failures) > 0:
		err = errors.New("some benchmarks failed")
	}
	return fail(statusWrong, err)
}
