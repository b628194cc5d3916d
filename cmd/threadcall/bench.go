package main

// A run of benchmarks goes one way, and so do the imports:
//
//	plan     settings, limits, versions with their trees, and the benchmarks in test binaries
//	measure  the lock, calibration, rounds of processes, and files of results
//	judge    tests of what was measured, verdicts, and limits that are broken
//	present  text
//
// A sample is a figure that a process prints: gotest parses it, measure.Data keeps it with its
// round in the row of its benchmark, judge.Judge completes the row, and present puts it in words.
// Package revision has the trees.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/judge"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/present"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/report"
	"github.com/threadcall/threadcall/cmd/threadcall/report/bench"
)

// benchSettings defines and parses the flags.
func benchSettings(c *command) (set plan.Settings, asJSON bool, err error) {
	c.StringVar(&set.Bench, "bench", ".", "`regexp` of the benchmarks to run, as for go test")
	c.IntVar(&set.Count, "count", 20, "how many rounds, `n`")
	c.TextVar(&set.Benchtime, "benchtime", report.Benchtime{Time: 500 * time.Millisecond},
		"`time` or number (100x) that a benchmark runs in a round, as for go test")
	c.Var(&set.CPU, "cpu", "`list` of GOMAXPROCS, as for go test")
	c.DurationVar(&set.For, "for", 0, fmt.Sprintf("begin no round that would end after this "+
		"`time`, but for the first %d; 0 means no limit (default %v without -vs)", plan.LeastRounds(),
		forOne))
	c.DurationVar(&set.Timeout, "timeout", 10*time.Minute,
		"how long a benchmark may take in a round; 0 means for ever")
	c.StringVar(&set.Output, "o", "", "`file` to save results in; with -vs two, x-old.txt and "+
		"x-new.txt for x.txt")
	c.Func("vs", "compare with this `revision` of the git repository", func(text string) error {
		if text == "" || set.VS != "" {
			return errors.New("must name one revision")
		}
		set.VS = text
		return nil
	})
	c.Func("fail-on", "status 1 if something is visibly worse by this `limit`: '+5%', "+
		"'allocs/op:+0%'; may be repeated", func(text string) error {
		l, err := plan.ParseLimit(text)
		set.FailOn = append(set.FailOn, l)
		return err
	})
	c.BoolVar(&asJSON, "json", false, "print one JSON document instead, with all samples")
	set.Patterns, err = c.parse("bench runs Go benchmarks, so no command follows --; hyperfine " +
		"measures commands")
	if set.VS == "" && !c.given("for") {
		set.For = forOne
	}
	return set, asJSON, cmp.Or(err, set.Validate())
}

func runBench(c *command) error {
	set, asJSON, err := benchSettings(c)
	if err != nil {
		return err
	}
	set.Command = strings.Join(append([]string{"threadcall"}, os.Args[1:]...), " ")
	if set.Dir, err = os.Getwd(); err != nil {
		return fail(statusUsage, err)
	}
	p := plan.New(&set, ui.On(c.stderr))
	ctx, stop := interruptible(statusUsage, p.Screen)
	defer stop()
	report, err := runPlan(ctx, p)
	p.Progress("")
	if report == nil {
		return fail(statusUsage, err)
	}
	text := func(out *ui.Screen) { present.Print(out, report) }
	err = errors.Join(err, c.print(asJSON, report, text))
	broken := judge.Broken(report.Breaches)
	if err != nil {
		return fail(statusUsage, errors.Join(broken, err))
	}
	return fail(statusWrong, broken)
}

// runPlan measures. It returns a report if there are results, even if it also returns an error,
// which says why they are not all that was asked for: the context has ended, results could not be
// saved, or benchmarks failed. That a limit is broken is in the report.
func runPlan(ctx context.Context, p *plan.Plan) (report *bench.Report, err error) {
	defer func() {
		if report == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
	}()
	release, err := measure.Lock(ctx, p) // one run at a time
	if err != nil {
		return nil, err
	}
	defer release()
	scratch, err := gotest.NewScratch()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err := scratch.Remove(); err != nil {
			p.Trouble(fmt.Sprintf("cannot remove what was built: %v", err))
		}
	}()
	p.Dir = scratch.Dir
	if err := p.Make(ctx); err != nil {
		return nil, err
	}
	data, err := measure.Run(ctx, p)
	if len(data.Tables) == 0 && len(p.Benchmarks) > 0 {
		return nil, errors.Join(data.Err(), err, errors.New("there are no results"))
	}
	return judge.Judge(&p.Record, data, p.Set.FailOn), errors.Join(err, data.Err())
}

// forOne is the limit of -for for a run of one version, which needs no verdict.
const forOne = 30 * time.Second
