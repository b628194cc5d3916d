package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/judge"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/present"
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
  threadcall bench -bisect v1..main      the commit that made a benchmark worse
  threadcall bench -aa                   a binary with itself: the minimum
                                         detectable effect on this machine
  threadcall bench old.txt new.txt       two or more files of results
                                         (name=file, and - for standard input)
  threadcall bench -col /size            BenchmarkX/size=1 with BenchmarkX/size=2
  threadcall bench -- './old -x' './new' any commands, each a single argument

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
	set    plan.Settings
	ratios []string
	json   bool
	html   string
	md     string
}

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
		return b.commands(program)
	}
	if err := b.noCommands(); err != nil {
		return err
	}
	files, packages, err := classify(args)
	if err != nil {
		return err
	}
	var paths []string
	for _, f := range files {
		_, path := stats.Label(f)
		paths = append(paths, path)
	}
	if err := distinct(paths, target{"o", b.set.Output}, target{"html", b.html}, target{"md", b.md}); err != nil {
		return err
	}
	if b.has("unit") && !b.has("bisect") {
		return errors.New("-unit is about -bisect")
	}
	if len(files) > 0 {
		return b.compare(files)
	}
	b.set.Patterns = packages
	if b.has("bisect") {
		return b.bisect()
	}
	return b.measure()
}

func (b *benchCommand) define() {
	set := &b.set
	b.StringVar(&set.Bench, "bench", ".", "`regexp` of the benchmarks to run, as for go test")
	b.IntVar(&set.Count, "count", 20, "how many rounds, `n`")
	set.Each.Benchtime = "500ms"
	b.Func("benchtime", "`time` or number (100x) that a benchmark runs in a round, as for go test (default 500ms; 50ms for commands)", func(text string) error {
		set.Each.Benchtime = text
		return checkBenchtime(text)
	})
	b.Func("cpu", "`list` of GOMAXPROCS, as for go test", func(text string) (err error) {
		set.Each.CPU = text
		set.Procs, err = cpuList(text)
		return err
	})
	b.DurationVar(&set.Each.Timeout, "timeout", 10*time.Minute, "how long a benchmark may take in a round; 0 means for ever")
	b.BoolVar(&set.Verbose, "v", false, "print all rows, what the machine did, and what the words mean")
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
	b.Func("fail-on", "status 1 if something is visibly worse by this `limit`: '+5%', 'allocs/op:+0%', 'Parse:ns/op:+5%'; may be repeated", func(text string) error {
		l, err := plan.ParseLimit(text)
		set.FailOn = append(set.FailOn, l)
		return err
	})
	b.Func("ratios", "print one table of the ratios to these `versions`, what is visibly worse than the first at the top", func(text string) error {
		b.ratios = append(b.ratios, strings.Split(text, ",")...)
		return nil
	})
	b.StringVar(&b.md, "md", "", "write Markdown for a pull request to this `file`, or - for the standard output")
	b.StringVar(&b.html, "html", "", "write a page with the distributions to this `file`")
	b.defineBisect()
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

// classify separates files of results, which may have a label, from packages.
func classify(args []string) (files, packages []string, err error) {
	isFile := func(name string) bool {
		at, err := os.Stat(name)
		return name == "-" || err == nil && !at.IsDir()
	}
	for _, a := range args {
		_, path := stats.Label(a)
		switch {
		case isFile(a) || isFile(path):
			files = append(files, a)
		case strings.HasSuffix(a, ".txt"):
			_, err := os.Stat(path)
			return nil, nil, unmeasured{err}
		default:
			packages = append(packages, a)
		}
	}
	if len(files) > 0 && len(packages) > 0 {
		return nil, nil, fmt.Errorf("%s is a file, but %s is not: give packages to run, or files of results to compare", files[0], packages[0])
	}
	return files, packages, nil
}

// measure runs benchmarks or commands and presents the results.
func (b *benchCommand) measure() error {
	log, ctx, stop, err := b.begin()
	if err != nil {
		return err
	}
	defer stop()
	report, err := bench.Run(ctx, &b.set, log)
	log.Progress("")
	if report == nil {
		return unmeasured{err}
	}
	return b.present(present.Result{Report: report, Compared: report.Compared}, err)
}

// begin checks the settings, and returns what a run needs. The user ends the context.
func (b *benchCommand) begin() (log *plan.Log, ctx context.Context, stop func(), err error) {
	if err := b.set.Validate(); err != nil {
		return nil, nil, nil, err
	}
	b.set.Command = typed(append([]string{"threadcall"}, os.Args[1:]...))
	if b.set.Dir, err = os.Getwd(); err != nil {
		return nil, nil, nil, unmeasured{err}
	}
	progress := ui.On(b.stderr)
	ctx, stop = interruptible(statusUsage, progress)
	return plan.NewLog(progress, term.IsTerminal(int(b.stderr.Fd()))), ctx, stop, nil
}

// compare compares files of results.
func (b *benchCommand) compare(files []string) error {
	if name := b.given(func(name string) bool {
		return !slices.Contains([]string{"col", "filter", "fail-on", "ratios", "html", "json", "md", "v"}, name)
	}); name != "" {
		return fmt.Errorf("-%s is about running benchmarks, and %s is a file of results", name, files[0])
	}
	data, err := stats.Read(files...)
	if err != nil {
		return unmeasured{err}
	}
	c, err := judge.Compare(data, &b.set)
	if err != nil {
		return unmeasured{err}
	}
	if len(c.Versions) < 2 && len(b.set.FailOn) > 0 {
		return errors.New("-fail-on is about a comparison, and there is one file")
	}
	breaches, undecided, err := judge.Check(c, b.set.FailOn)
	shown := judge.Compared{Comparison: c, Breaches: breaches, Undecided: undecided}
	return b.present(present.Result{Compared: shown}, err)
}

// present shows the result in each way that was asked for. The error, if any, is what is wrong with it.
func (b *benchCommand) present(r present.Result, err error) error {
	r.Settings, r.Ratios = &b.set, b.ratios
	errs := []error{err}
	switch {
	case b.json:
		errs = append(errs, writeJSON(b.stdout, r.Document()))
	case b.md != "-":
		out := ui.On(b.stdout)
		r.Print(out)
		errs = append(errs, out.Err)
	}
	if b.md != "" {
		errs = append(errs, b.write(b.md, r.Markdown().Write))
	}
	if name := os.Getenv("GITHUB_STEP_SUMMARY"); name != "" {
		errs = append(errs, appendTo(name, r.Markdown().Write))
	}
	if b.html != "" {
		if err := r.SavePage(b.html); err != nil {
			errs = append(errs, fmt.Errorf("cannot write the page: %w", err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return unmeasured{errors.Join(judge.Broken(r.Breaches), err)}
	}
	return fail(judge.Broken(r.Breaches))
}

// could returns err as one of what could not be done, or nil if it is nil.
func could(err error) error {
	if err == nil {
		return nil
	}
	return unmeasured{err}
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
