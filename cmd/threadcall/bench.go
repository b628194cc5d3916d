package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/lock"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/session"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/screen"
)

// benchFlags are flags as they are typed.
type benchFlags struct {
	set    session.Settings
	failOn []string
	ratios []string
	asJSON bool
	html   string
	list   bool
}

func benchCommand(stdout, stderr *os.File) *cobra.Command {
	f := benchFlags{}
	cmd := &cobra.Command{
		Use:   "bench [packages | files]",
		Short: "Run Go benchmarks, compare revisions, and report the minimum detectable effect",
		Long: `Bench runs the benchmarks of Go packages in rounds, reports how fast each is with
an interval, and compares revisions. Given files of results in place of
packages, it compares those.

  threadcall bench                       the package in this directory
  threadcall bench -vs HEAD~1 ./...      the working tree with a revision
  threadcall bench -aa                   a binary with itself: the minimum
                                         detectable effect on this machine
  threadcall bench old.txt new.txt       two or more files of results
  threadcall bench -col /size            BenchmarkX/size=1 with BenchmarkX/size=2
  threadcall bench -list                 the runs that measure or wait here

Build flags are those in GOFLAGS. Results are saved in the Go benchmark format as
bench-TIME.txt. The status is 0; 1 if a benchmark failed, -fail-on was broken,
something could not be done, or you interrupted it; 2 for a wrong command line.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, args, stdout, stderr)
		},
	}
	f.define(cmd)
	return cmd
}

func (f *benchFlags) define(cmd *cobra.Command) {
	flags, set := cmd.Flags(), &f.set
	flags.SortFlags = false
	flags.StringVar(&set.Bench, "bench", ".", "`regexp` of the benchmarks to run, as for go test")
	flags.IntVar(&set.Count, "count", 10, "how many rounds, `n`")
	flags.StringVar(&set.Each.Benchtime, "benchtime", "", "`time` or number (100x) that a benchmark runs in a round, as for go test (default 1s)")
	flags.StringVar(&set.Each.CPU, "cpu", "", "`list` of GOMAXPROCS, as for go test")
	flags.DurationVar(&set.Each.Timeout, "timeout", 10*time.Minute, "how long a benchmark may take in a round; 0 means for ever")

	flags.StringVar(&set.VS, "vs", "", "compare with this `revision` of the git repository")
	flags.BoolVar(&set.AA, "aa", false, "compare the binary with itself")
	flags.StringVar(&set.Col, "col", "", "compare by this `key` in benchmarks' names, as for benchstat")
	flags.StringVar(&set.Filter, "filter", "", "`query` for the results to use, as for benchstat")
	flags.StringArrayVar(&f.failOn, "fail-on", nil, "status 1 if something is visibly worse by this `limit`: '+5%', 'allocs/op:+0%'")

	flags.StringSliceVar(&f.ratios, "ratios", nil, "print one table of the ratios to these `versions`, what is visibly worse than the first at the top")
	flags.StringVarP(&set.Output, "o", "o", "", "`file` to save results in")
	flags.StringVar(&f.html, "html", "", "write a page with the distributions to this `file`")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON document instead, with all samples")

	flags.BoolVar(&f.list, "list", false, "list the runs that measure on this machine or wait for it")
	flags.IntVar(&set.CPUFreq, "cpufreq", -1, "hold the CPU frequency at this `percent` of its range (Linux, root)")
	flags.Lookup("cpufreq").DefValue = "0" // which is not shown
}

// run does what the flags say, with packages or files.
func (f *benchFlags) run(cmd *cobra.Command, args []string, stdout, stderr *os.File) error {
	out := screen.On(stdout)
	if f.list {
		return f.queue(out, stdout)
	}
	if err := f.complete(); err != nil {
		return err
	}
	files, packages, err := f.sort(args)
	if err != nil {
		return err
	}
	if len(files) > 0 {
		return f.compare(cmd, files, out, stdout)
	}
	if cmd.Flags().Changed("vs") && f.set.VS == "" {
		return errors.New("-vs must name a revision; it is empty")
	}
	f.set.Patterns = packages
	if err := f.set.Validate(); err != nil {
		return err
	}
	return f.measure(out, stdout, stderr)
}

// complete reads what flags say in text.
func (f *benchFlags) complete() (err error) {
	set := &f.set
	if set.Dir, err = os.Getwd(); err != nil {
		return failure{err}
	}
	set.Command = typed(append([]string{"threadcall"}, os.Args[1:]...))
	for _, text := range f.failOn {
		l, err := session.ParseLimit(text)
		if err != nil {
			return err
		}
		set.FailOn = append(set.FailOn, l)
	}
	if set.Procs, err = cpuList(set.Each.CPU); err != nil {
		return err
	}
	if err := benchtime(set.Each.Benchtime); err != nil {
		return err
	}
	if f.html != "" {
		if at, err := os.Stat(filepath.Dir(f.html)); err != nil || !at.IsDir() {
			return fmt.Errorf("-html %s: %s is no directory", f.html, filepath.Dir(f.html))
		}
	}
	return nil
}

// sort tells files of results from packages.
func (f *benchFlags) sort(args []string) (files, packages []string, err error) {
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

// measure runs benchmarks and prints what came out.
func (f *benchFlags) measure(out *screen.Screen, stdout io.Writer, stderr *os.File) error {
	progress := screen.On(stderr)
	tell := &benchTeller{out: out, progress: progress, terminal: term.IsTerminal(int(stderr.Fd())), settings: &f.set}
	if f.asJSON {
		tell.out = progress
	}
	run := session.New(f.set, tell)
	ctx, stop := interruptible(run.Cleanup, func(text string) {
		progress.Progress("")
		fmt.Fprintln(progress, text)
	})
	defer stop()
	report, err := run.Run(ctx)
	progress.Progress("")
	if report == nil {
		return failure{err}
	}
	return f.present(benchResult{report: report, comparison: report.Comparison, settings: &f.set}, err, out, stdout)
}

// compare compares files of results.
func (f *benchFlags) compare(cmd *cobra.Command, files []string, out *screen.Screen, stdout io.Writer) error {
	for _, name := range []string{
		"bench", "count", "benchtime", "cpu", "timeout", "vs", "aa", "o", "cpufreq",
	} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("-%s is about running benchmarks, and %s is a file of results", name, files[0])
		}
	}
	data, err := stats.Read(files...)
	if err != nil {
		return failure{err}
	}
	c, err := session.Compare(data, &f.set)
	if err != nil {
		return failure{err}
	}
	if len(c.Versions) < 2 && len(f.set.FailOn) > 0 {
		return errors.New("-fail-on is about a comparison, and there is one file")
	}
	breaches, undecided, err := session.Check(c, f.set.FailOn)
	return f.present(benchResult{comparison: c, settings: &f.set, breaches: breaches, undecided: undecided}, err, out, stdout)
}

// queue lists the runs that hold the machine or wait for it.
func (f *benchFlags) queue(out *screen.Screen, stdout io.Writer) error {
	entries, err := lock.List()
	if err != nil {
		return failure{err}
	}
	if f.asJSON {
		if entries == nil {
			entries = []lock.Entry{}
		}
		if err := writeJSON(stdout, entries); err != nil {
			return failure{err}
		}
		return nil
	}
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
	return wrote(out)
}

// wrote is the failure to write on the screen, if there was one.
func wrote(s *screen.Screen) error {
	if s.Err != nil {
		return failure{s.Err}
	}
	return nil
}

// interruptible returns a context that ends when the user wants an end, or does not read any more what is written. If he
// wants an end again, the program exits, after cleanup.
func interruptible(cleanup func(), say func(string)) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, ends()...)
	unheard := make(chan os.Signal, 1)
	if unread != nil { // it would end the process at once, and what that has made would stay
		signal.Notify(unheard, unread)
	}
	go func() {
		select {
		case _, ok := <-signals:
			if !ok {
				return
			}
			say("Stopping. What was measured is kept; again ends at once.")
		case <-unheard:
		}
		cancel(session.ErrInterrupted)
		if _, ok := <-signals; !ok {
			return
		}
		cleanup()
		os.Exit(statusWrong)
	}()
	return ctx, func() {
		signal.Stop(signals)
		signal.Stop(unheard)
		close(signals)
		cancel(nil)
	}
}
