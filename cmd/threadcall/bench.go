package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/judge"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/present"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

const benchUsage = `Usage:

  threadcall bench [flags] [packages | files]

Bench runs the benchmarks of Go packages in rounds, reports how fast each is with
an interval, and compares revisions. Given files of results in place of
packages, it compares those.

  threadcall bench                       the package in this directory
  threadcall bench -vs HEAD~1 ./...      the working tree with a revision
  threadcall bench -for 5m -vs v1 ./...  the same, in so many rounds as fit
  threadcall bench old.txt new.txt       two or more files of results
  threadcall bench -col /size            BenchmarkX/size=1 with BenchmarkX/size=2

Build flags are those in GOFLAGS. Results are saved in .threadcall-bench at the
root of the repository. If GITHUB_STEP_SUMMARY is set, Markdown is appended to
that file.

The status is 0; 1 if a limit of -fail-on is broken and nothing else is wrong; 2
if something could not be measured or written, or you interrupted it, or for a
wrong command line.
`

// A benchCommand has the flags that are not settings of the measurement.
type benchCommand struct {
	*command
	set  plan.Settings
	json bool
	md   string
}

// onlyForFiles are the flags that go with files of results.
var onlyForFiles = []string{"col", "filter", "fail-on", "ratios", "json", "md", "v"}

func runBench(c *command) error {
	b := &benchCommand{command: c}
	b.define()
	args, program, err := c.parse()
	if err != nil {
		return err
	}
	if err := b.outputs(); err != nil {
		return err
	}
	if program != nil {
		return errors.New("bench runs Go benchmarks, so no command follows --; hyperfine measures " +
			"commands")
	}
	files, packages, err := classify(args)
	if err != nil {
		return err
	}
	switch err := distinct(files, b.targets()...); {
	case err != nil:
		return err
	case len(files) > 0:
		return b.compare(files)
	}
	b.set.Patterns = packages
	return b.measure()
}

func (b *benchCommand) define() {
	set := &b.set
	b.StringVar(&set.Bench, "bench", ".", "`regexp` of the benchmarks to run, as for go test")
	b.IntVar(&set.Count, "count", 20, "how many rounds, `n`")
	set.Benchtime = "500ms"
	b.Func("benchtime", "`time` or number (100x) that a benchmark runs in a round, as for go "+
		"test (default 500ms)", func(text string) error {
		set.Benchtime = text
		return checkBenchtime(text)
	})
	b.Func("cpu", "`list` of GOMAXPROCS, as for go test", func(text string) error {
		if set.CPU = text; !isCPUs.MatchString(text) {
			return errors.New("must be a list of numbers such as 1,2,4")
		}
		return nil
	})
	b.DurationVar(&set.For, "for", 0, fmt.Sprintf("begin no round that would end after this "+
		"`time`, but for the first %d; 0 means no limit", plan.LeastRounds()))
	b.DurationVar(&set.Timeout, "timeout", 10*time.Minute,
		"how long a benchmark may take in a round; 0 means for ever")
	b.BoolVar(&set.Verbose, "v", false, "print all rows, what the machine did, and what the "+
		"words mean")
	b.StringVar(&set.Output, "o", "", "`file` to save results in")
	b.Func("vs", "compare with this `revision` of the git repository", func(text string) error {
		if text == "" || set.VS != "" {
			return errors.New("must name one revision")
		}
		set.VS = text
		return nil
	})
	b.StringVar(&set.Col, "col", "", "compare by this `key` in benchmarks' names, as for benchstat")
	b.StringVar(&set.Filter, "filter", "", "`query` for the results to use, as for benchstat")
	b.Func("fail-on", "status 1 if something is visibly worse by this `limit`: '+5%', "+
		"'allocs/op:+0%'; may be repeated", func(text string) error {
		l, err := plan.ParseLimit(text)
		set.FailOn = append(set.FailOn, l)
		return err
	})
	b.Func("ratios", "print one table of the ratios to these `versions`, what is visibly worse "+
		"than the first at the top", func(text string) error {
		set.Ratios = append(set.Ratios, strings.Split(text, ",")...)
		return nil
	})
	b.StringVar(&b.md, "md", "",
		"write Markdown for a pull request to this `file`, or - for the standard output")
	b.BoolVar(&b.json, "json", false, "print one JSON document instead, with all samples")
}

var isCPUs = regexp.MustCompile(`^ *0*[1-9]\d* *(, *0*[1-9]\d* *)*$`)

// checkBenchtime refuses what testing would refuse only in each process.
func checkBenchtime(text string) error {
	if count, ok := strings.CutSuffix(text, "x"); ok {
		if n, err := strconv.ParseInt(count, 10, 0); err == nil && n > 0 {
			return nil
		}
	} else if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return nil
	}
	return errors.New("must be a time such as 100ms or a number such as 1000x")
}

// outputs refuses files that cannot be written, before anything is measured.
func (b *benchCommand) outputs() error {
	for _, o := range b.targets() {
		dir, err := os.Stat(filepath.Dir(o.file))
		at, missing := os.Stat(o.file)
		switch {
		case o.file == "" || o.file == "-" && o.flag == "md":
		case missing == nil && at.IsDir():
			return fmt.Errorf("-%s %s is a directory; give a file", o.flag, o.file)
		case err != nil || !dir.IsDir():
			return fmt.Errorf("-%s %s: %s is not a directory", o.flag, o.file, filepath.Dir(o.file))
		}
	}
	if b.json && b.md == "-" {
		return errors.New("-json and -md - both write to the standard output: give one of them")
	}
	return nil
}

// targets are the files that the command writes.
func (b *benchCommand) targets() []target {
	return []target{{"o", b.set.Output}, {"md", b.md}}
}

// classify separates files of results from packages.
func classify(args []string) (files, packages []string, err error) {
	for _, a := range args {
		at, err := os.Stat(a)
		switch {
		case err == nil && !at.IsDir():
			files = append(files, a)
		case strings.HasSuffix(a, ".txt"):
			return nil, nil, fail(statusUsage, err)
		default:
			packages = append(packages, a)
		}
	}
	if len(files) > 0 && len(packages) > 0 {
		return nil, nil, fmt.Errorf("%s is a file, but %s is not: give packages to run, or files "+
			"of results to compare", files[0], packages[0])
	}
	return files, packages, nil
}

// measure runs benchmarks and presents the results.
func (b *benchCommand) measure() error {
	log, ctx, stop, err := b.begin()
	if err != nil {
		return err
	}
	defer stop()
	report, err := bench.Run(ctx, &b.set, log)
	log.Progress("")
	if report == nil {
		return fail(statusUsage, err)
	}
	return b.present(present.Result{Report: report, Compared: report.Compared}, err)
}

// begin checks the settings, and returns what a run needs. The user ends the context.
func (b *benchCommand) begin() (log *plan.Log, ctx context.Context, stop func(), err error) {
	if err := b.set.Validate(); err != nil {
		return nil, nil, nil, err
	}
	b.set.Command = strings.Join(append([]string{"threadcall"}, os.Args[1:]...), " ")
	if b.set.Dir, err = os.Getwd(); err != nil {
		return nil, nil, nil, fail(statusUsage, err)
	}
	log = &plan.Log{Screen: ui.On(b.stderr), Terminal: term.IsTerminal(int(b.stderr.Fd())),
		Notes: []string{}}
	ctx, stop = interruptible(statusUsage, log.Screen)
	return log, ctx, stop, nil
}

// compare compares files of results.
func (b *benchCommand) compare(files []string) error {
	name := b.given(func(name string) bool { return !slices.Contains(onlyForFiles, name) })
	if name != "" {
		return fmt.Errorf("-%s is about running benchmarks, and %s is a file of results", name,
			files[0])
	}
	data, err := measure.Read(files...)
	if err != nil {
		return fail(statusUsage, err)
	}
	c, err := judge.Analyse(data, &b.set)
	if err != nil {
		return fail(statusUsage, err)
	}
	if len(c.Versions) < 2 && len(b.set.FailOn) > 0 {
		return errors.New("-fail-on is about a comparison, and there is one file")
	}
	breaches, undecided, err := judge.Check(c, b.set.FailOn)
	shown := judge.Compared{Comparison: c, Breaches: breaches, Undecided: undecided}
	return b.present(present.Result{Compared: shown}, err)
}

// present shows the result in each way that was asked for. The error, if any, is what is wrong with
// it.
func (b *benchCommand) present(r present.Result, err error) error {
	r.Settings = &b.set
	errs := []error{err}
	switch {
	case b.json:
		errs = append(errs, writeJSON(b.stdout, r.Document()))
	case b.md == "-":
		errs = append(errs, r.Markdown(b.stdout))
	default:
		out := ui.On(b.stdout)
		r.Print(out)
		errs = append(errs, out.Err)
	}
	if b.md != "" && b.md != "-" {
		errs = append(errs, writeFile(b.md, os.O_TRUNC, r.Markdown))
	}
	if name := os.Getenv("GITHUB_STEP_SUMMARY"); name != "" {
		errs = append(errs, writeFile(name, os.O_APPEND, r.Markdown))
	}
	if err := errors.Join(errs...); err != nil {
		return fail(statusUsage, errors.Join(judge.Broken(r.Breaches), err))
	}
	return fail(statusWrong, judge.Broken(r.Breaches))
}

// writeFile writes to a file, which the flag opens in one more way.
func writeFile(name string, flag int, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|flag, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
