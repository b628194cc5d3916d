package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/lock"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/session"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

const benchUsage = `Usage:

  threadcall bench [flags] [packages | files]
  threadcall bench [flags] -- command...

Bench runs the benchmarks of Go packages in rounds, reports how fast each is with
an interval, and compares revisions. Given files of results in place of
packages, it compares those.

  threadcall bench                       the package in this directory
  threadcall bench -vs HEAD~1 ./...      the working tree with a revision
  threadcall bench -vs v1 -vs main       the working tree with each of them
  threadcall bench -aa                   a binary with itself: the minimum
                                         detectable effect on this machine
  threadcall bench old.txt new.txt       two or more files of results
  threadcall bench -col /size            BenchmarkX/size=1 with BenchmarkX/size=2
  threadcall bench -- './old -x' './new' any commands, each a single argument
  threadcall bench -list                 the runs that measure or wait here

Build flags are those in GOFLAGS. Results are saved in the Go benchmark format as
bench-TIME.txt. The status is 0; 1 if a benchmark failed, -fail-on was broken,
something could not be done, or you interrupted it; 2 for a wrong command line.
`

// A benchCommand has the flags that are not settings of the measurement.
type benchCommand struct {
	*command
	set    session.Settings
	ratios []string
	json   bool
	html   string
	names  []string // of commands
	shell  string
}

func runBench(c *command) error {
	b := &benchCommand{command: c}
	var list bool
	c.BoolVar(&list, "list", false, "list the runs that measure on this machine or wait for it")
	b.define()
	args, program, err := c.parse()
	switch {
	case err != nil:
		return err
	case list:
		return b.queue()
	}
	if b.html != "" {
		if at, err := os.Stat(filepath.Dir(b.html)); err != nil || !at.IsDir() {
			return fmt.Errorf("-html %s: %s is no directory", b.html, filepath.Dir(b.html))
		}
	}
	if program != nil {
		return b.commands(program)
	}
	if err := b.noCommands(); err != nil {
		return err
	}
	files, packages, err := classify(args)
	switch {
	case err != nil:
		return err
	}
	if err := distinct(files, target{"o", b.set.Output}, target{"html", b.html}); err != nil {
		return err
	}
	if len(files) > 0 {
		return b.compare(files)
	}
	b.set.Patterns = packages
	return b.measure()
}

func (b *benchCommand) define() {
	set := &b.set
	b.StringVar(&set.Bench, "bench", ".", "`regexp` of the benchmarks to run, as for go test")
	b.IntVar(&set.Count, "count", 10, "how many rounds, `n`")
	b.Func("benchtime", "`time` or number (100x) that a benchmark runs in a round, as for go test (default 1s)", func(text string) error {
		set.Each.Benchtime = text
		return checkBenchtime(text)
	})
	b.Func("cpu", "`list` of GOMAXPROCS, as for go test", func(text string) (err error) {
		set.Each.CPU = text
		set.Procs, err = cpuList(text)
		return err
	})
	b.DurationVar(&set.Each.Timeout, "timeout", 10*time.Minute, "how long a benchmark may take in a round; 0 means for ever")
	set.CPUFreq = -1
	b.Func("cpufreq", "hold the CPU frequency at this `percent` of its range (Linux, root)", func(text string) (err error) {
		set.CPUFreq, err = strconv.Atoi(text)
		return err
	})
	b.StringVar(&set.Output, "o", "", "`file` to save results in")

	b.Func("vs", "compare with this `revision` of the git repository; may be repeated", func(text string) error {
		if text == "" {
			return errors.New("must name a revision")
		}
		set.VS = append(set.VS, text)
		return nil
	})
	b.StringVar(&set.Tests, "tests", "", "with 'new', compile the working tree's test files with the code of -vs: for benchmarks that it does not have")
	b.IntVar(&set.Layouts, "layouts", 0, "link each version `k` times with its functions in another order, to separate a change from the layout of the code")
	b.BoolVar(&set.AA, "aa", false, "compare the binary with itself")
	b.StringVar(&set.Col, "col", "", "compare by this `key` in benchmarks' names, as for benchstat")
	b.StringVar(&set.Filter, "filter", "", "`query` for the results to use, as for benchstat")
	b.Func("fail-on", "status 1 if something is visibly worse by this `limit`: '+5%', 'allocs/op:+0%'; may be repeated", func(text string) error {
		l, err := session.ParseLimit(text)
		set.FailOn = append(set.FailOn, l)
		return err
	})
	b.Func("ratios", "print one table of the ratios to these `versions`, what is visibly worse than the first at the top", func(text string) error {
		b.ratios = append(b.ratios, strings.Split(text, ",")...)
		return nil
	})
	b.StringVar(&b.html, "html", "", "write a page with the distributions to this `file`")
	b.defineCommands()
	b.BoolVar(&b.json, "json", false, "print one JSON document instead, with all samples")
}

// cpuList reads the flag -cpu.
func cpuList(text string) (procs []int, err error) {
	for field := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil || n < 1 {
			return nil, errors.New("must be a list of numbers such as 1,2,4")
		}
		procs = append(procs, n)
	}
	return procs, nil
}

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

// classify separates files of results from packages.
func classify(args []string) (files, packages []string, err error) {
	for _, a := range args {
		switch at, err := os.Stat(a); {
		case err == nil && !at.IsDir():
			files = append(files, a)
		case err != nil && strings.HasSuffix(a, ".txt"):
			return nil, nil, failure{err}
		default:
			packages = append(packages, a)
		}
	}
	if len(files) > 0 && len(packages) > 0 {
		return nil, nil, fmt.Errorf("%s is a file, but %s is not: give packages to run, or files of results to compare", files[0], packages[0])
	}
	return files, packages, nil
}

// measure runs benchmarks and presents the results.
func (b *benchCommand) measure() (err error) {
	if err := b.set.Validate(); err != nil {
		return err
	}
	return b.run(session.Run)
}

// run measures and presents the results.
func (b *benchCommand) run(measure func(context.Context, session.Settings, session.Progress) (*session.Report, error)) (err error) {
	b.set.Command = typed(append([]string{"threadcall"}, os.Args[1:]...))
	if b.set.Dir, err = os.Getwd(); err != nil {
		return failure{err}
	}
	out, progress := ui.On(b.stdout), ui.On(b.stderr)
	show := session.Progress{Out: out, Progress: progress, Terminal: term.IsTerminal(int(b.stderr.Fd()))}
	if b.json {
		show.Out = progress
	}
	ctx, stop := interruptible(statusWrong, progress)
	defer stop()
	report, err := measure(ctx, b.set, show)
	progress.Progress("")
	if report == nil {
		return fail(err)
	}
	return b.present(session.Result{Report: report, Comparison: report.Comparison}, err, out)
}

// compare compares files of results.
func (b *benchCommand) compare(files []string) error {
	if name := b.given(func(name string) bool {
		return !slices.Contains([]string{"col", "filter", "fail-on", "ratios", "html", "json"}, name)
	}); name != "" {
		return fmt.Errorf("-%s is about running benchmarks, and %s is a file of results", name, files[0])
	}
	data, err := stats.Read(files...)
	if err != nil {
		return failure{err}
	}
	c, err := session.Compare(data, &b.set)
	if err != nil {
		return failure{err}
	}
	if len(c.Versions) < 2 && len(b.set.FailOn) > 0 {
		return errors.New("-fail-on is about a comparison, and there is one file")
	}
	breaches, undecided, err := session.Check(c, b.set.FailOn)
	return b.present(session.Result{Comparison: c, Breaches: breaches, Undecided: undecided}, err, ui.On(b.stdout))
}

// present shows the result in each way that was asked for. The error, if any, is what is wrong with it.
func (b *benchCommand) present(r session.Result, err error, out *ui.Screen) error {
	r.Settings, r.Ratios = &b.set, b.ratios
	errs := []error{err}
	if b.json {
		errs = append(errs, writeJSON(b.stdout, r.Document()))
	} else {
		r.Print(out)
		errs = append(errs, out.Err)
	}
	if b.html != "" {
		if err := r.SavePage(b.html); err != nil {
			errs = append(errs, fmt.Errorf("cannot write the page: %w", err))
		}
	}
	return fail(errors.Join(errs...))
}

// queue lists the runs that hold the lock or wait for it.
func (b *benchCommand) queue() error {
	entries, err := lock.List()
	switch {
	case err != nil:
		return failure{err}
	case b.json:
		return fail(writeJSON(b.stdout, append([]lock.Entry{}, entries...)))
	}
	out := ui.On(b.stdout)
	if len(entries) == 0 {
		out.Paragraph("", "No benchmark runs on this machine.")
	}
	for _, e := range entries {
		state := "measures"
		if e.Waits() {
			state = "waits"
		}
		out.Paragraph(fmt.Sprintf("%-9s ", state), e.String())
	}
	return fail(out.Err)
}

// typed returns the arguments as one can type them in a shell.
func typed(args []string) string {
	var words []string
	for _, a := range args {
		if a == "" || strings.ContainsAny(a, " \t\n|&;<>()$`\\\"'*?[]#~!{}") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}
