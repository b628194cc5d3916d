package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/judge"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/present"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A benchCommand has the flags that are not settings of the measurement.
type benchCommand struct {
	*command
	set  plan.Settings
	json bool
}

func runBench(c *command) error {
	b := &benchCommand{command: c}
	b.define()
	args, program, err := c.parse()
	switch {
	case err != nil:
		return err
	case program != nil:
		return errors.New("bench runs Go benchmarks, so no command follows --; hyperfine measures " +
			"commands")
	}
	if err := b.validate(args); err != nil {
		return err
	}
	return b.measure()
}

func (b *benchCommand) define() {
	set := &b.set
	b.StringVar(&set.Bench, "bench", ".", "`regexp` of the benchmarks to run, as for go test")
	b.IntVar(&set.Count, "count", 20, "how many rounds, `n`")
	set.Benchtime.Time = 500 * time.Millisecond
	b.Var(&set.Benchtime, "benchtime", "`time` or number (100x) that a benchmark runs in a round, as "+
		"for go test")
	b.Var(&set.CPU, "cpu", "`list` of GOMAXPROCS, as for go test")
	b.DurationVar(&set.For, "for", 0, fmt.Sprintf("begin no round that would end after this "+
		"`time`, but for the first %d; 0 means no limit (default %v without -vs)", plan.LeastRounds(),
		forOne))
	b.DurationVar(&set.Timeout, "timeout", 10*time.Minute,
		"how long a benchmark may take in a round; 0 means for ever")
	b.StringVar(&set.Output, "o", "", "`file` to save results in; with -vs two, x-old.txt and "+
		"x-new.txt for x.txt")
	b.Func("vs", "compare with this `revision` of the git repository", func(text string) error {
		if text == "" || set.VS != "" {
			return errors.New("must name one revision")
		}
		set.VS = text
		return nil
	})
	b.Func("fail-on", "status 1 if something is visibly worse by this `limit`: '+5%', "+
		"'allocs/op:+0%'; may be repeated", func(text string) error {
		l, err := plan.ParseLimit(text)
		set.FailOn = append(set.FailOn, l)
		return err
	})
	b.BoolVar(&b.json, "json", false, "print one JSON document instead, with all samples")
}

// forOne is the limit of -for for a run of one version, which needs no verdict.
const forOne = 30 * time.Second

// validate refuses what cannot be, before anything is measured.
func (b *benchCommand) validate(args []string) error {
	b.set.Patterns = args
	if b.set.VS == "" && !b.given("for") {
		b.set.For = forOne
	}
	if name := b.set.Output; name != "" {
		dir := filepath.Dir(name)
		if at, err := os.Stat(name); err == nil && at.IsDir() {
			return fmt.Errorf("-o %s is a directory; give a file", name)
		}
		if at, err := os.Stat(dir); err != nil || !at.IsDir() {
			return fmt.Errorf("-o %s: %s is not a directory", name, dir)
		}
	}
	return b.set.Validate()
}

// measure runs benchmarks and prints the results.
func (b *benchCommand) measure() (err error) {
	b.set.Command = strings.Join(append([]string{"threadcall"}, os.Args[1:]...), " ")
	if b.set.Dir, err = os.Getwd(); err != nil {
		return fail(statusUsage, err)
	}
	log := &plan.Log{Screen: ui.On(b.stderr), Terminal: term.IsTerminal(int(b.stderr.Fd())),
		Notes: []string{}}
	ctx, stop := interruptible(statusUsage, log.Screen)
	defer stop()
	report, err := gobench.Run(ctx, &b.set, log)
	log.Progress("")
	if report == nil {
		return fail(statusUsage, err)
	}
	if b.json {
		err = errors.Join(err, writeJSON(b.stdout, report))
	} else {
		out := ui.On(b.stdout)
		present.Print(out, report)
		err = errors.Join(err, out.Err)
	}
	broken := judge.Broken(report.Breaches)
	if err != nil {
		return fail(statusUsage, errors.Join(broken, err))
	}
	return fail(statusWrong, broken)
}
