package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/judge"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/present"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// benchSettings defines and parses the flags.
func benchSettings(c *command) (set plan.Settings, asJSON bool, err error) {
	c.StringVar(&set.Bench, "bench", ".", "`regexp` of the benchmarks to run, as for go test")
	c.IntVar(&set.Count, "count", 20, "how many rounds, `n`")
	set.Benchtime.Time = 500 * time.Millisecond
	c.Var(&set.Benchtime, "benchtime", "`time` or number (100x) that a benchmark runs in a round, as "+
		"for go test")
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
	log := &plan.Log{Screen: ui.On(c.stderr), Notes: []string{}}
	ctx, stop := interruptible(statusUsage, log.Screen)
	defer stop()
	report, err := gobench.Run(ctx, &set, log)
	log.Progress("")
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

// forOne is the limit of -for for a run of one version, which needs no verdict.
const forOne = 30 * time.Second
