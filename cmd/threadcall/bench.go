package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/host"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/lock"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// benchFlags are flags as they are typed.
type benchFlags struct {
	set        bench.Settings
	build      buildFlags
	shuffle    string
	until      string
	confidence string
	failOn     []string
	ratios     []string
	pin        string
	asJSON     bool
	html       string
	list       bool
}

func benchCommand(stdout, stderr *os.File) *cobra.Command {
	f := benchFlags{}
	cmd := &cobra.Command{
		Use:   "bench [packages | files]",
		Short: "Run Go benchmarks, compare revisions, and say what the noise hides",
		Long: `Bench runs the benchmarks of Go packages in rounds, says how fast each is and how
sure that is, and compares revisions. Given files of results in place of
packages, it compares those.

  threadcall bench                       the package in this directory
  threadcall bench -vs HEAD~1 ./...      the working tree with a revision
  threadcall bench -aa                   a binary with itself: what this machine
                                         can show at all
  threadcall bench old.txt new.txt       two or more files of results
  threadcall bench -col /size            BenchmarkX/size=1 with BenchmarkX/size=2
  threadcall bench -list                 who measures on this machine, who waits

Results are saved in the Go benchmark format as bench-TIME.txt. It ends with
status 0; 1 if a benchmark failed, -fail-on was broken, something could not be
done, or you interrupted it; and 2 if it did not understand the command.`,
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
	flags.DurationVar(&set.Budget, "budget", 0, "instead of -count: go on for this long, or until it is known well enough")
	flags.StringVar(&f.until, "until", "1%", "with -budget: the `change` that is to be seen everywhere")
	flags.StringVar(&set.Each.Benchtime, "benchtime", "", "`time` or number (100x) that a benchmark runs in a round, as for go test (default 1s)")
	flags.StringVar(&set.Each.CPU, "cpu", "", "`list` of GOMAXPROCS, as for go test")
	flags.DurationVar(&set.Each.Timeout, "timeout", 10*time.Minute, "how long a benchmark may take in a round; 0 means for ever")
	flags.BoolVar(&set.Each.Short, "short", false, "as for go test")
	flags.StringVar(&f.shuffle, "shuffle", "on", "`order` in a round: on, off, or the seed that a run before has printed")

	flags.StringVar(&set.VS, "vs", "", "compare with this `revision` of the git repository")
	flags.BoolVar(&set.Dirty, "dirty", false, "with -vs: measure changes that are in no commit, too")
	flags.BoolVar(&set.AA, "aa", false, "compare the binary with itself")
	flags.StringVar(&set.Col, "col", "", "compare by this `key` in benchmarks' names, as for benchstat")
	flags.StringVar(&set.Filter, "filter", "", "`query` for the results to use, as for benchstat")
	flags.StringVar(&f.confidence, "confidence", "95%", "of intervals and verdicts, `percent`")
	flags.StringArrayVar(&f.failOn, "fail-on", nil, "status 1 if something is visibly worse by this `limit`: '+5%', 'allocs/op:+0%'")

	flags.StringSliceVar(&f.ratios, "ratios", nil, "print one table of the ratios to these `versions`, what is visibly worse than the first at the top")
	flags.StringVarP(&set.Output, "o", "o", "", "`file` to save results in")
	flags.StringVar(&f.html, "html", "", "write a page with the distributions to this `file`")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON document instead, with all samples")

	flags.BoolVar(&set.Shared, "shared", false, "share the machine with others that do")
	flags.BoolVar(&f.list, "list", false, "list who measures on this machine and who waits for it")
	flags.StringVar(&f.pin, "pin", "", "run benchmarks on these `CPUs` only: 1, or 0,2-3 (Linux)")
	flags.IntVar(&set.CPUFreq, "cpufreq", -1, "fix the CPU frequency at this `percent` of its range (Linux, root)")
	flags.Lookup("cpufreq").DefValue = "0" // which is not shown
	f.build.define(cmd)
}

// run does what the flags say, with packages or files.
func (f *benchFlags) run(cmd *cobra.Command, args []string, stdout, stderr *os.File) error {
	out := ui.On(stdout)
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
	if cmd.Flags().Changed("budget") {
		switch {
		case cmd.Flags().Changed("count"):
			return errors.New("-count says how many rounds, -budget how long: give one of them")
		case f.set.Budget <= 0:
			return fmt.Errorf("-budget must be more than nothing, not %v", f.set.Budget)
		}
	} else if cmd.Flags().Changed("until") {
		return errors.New("-until ends a -budget early: give that, too")
	}
	if cmd.Flags().Changed("vs") && f.set.VS == "" {
		return errors.New("-vs must name a revision; it is empty")
	}
	f.set.Patterns, f.set.Flags = packages, f.build.list()
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
	switch f.shuffle {
	case "off":
	case "on":
		set.Seed = uint64(rand.Uint32()) + 1
	default:
		if set.Seed, err = strconv.ParseUint(f.shuffle, 10, 64); err != nil || set.Seed == 0 {
			return fmt.Errorf("-shuffle must be on, off, or a number above 0, not %q", f.shuffle)
		}
	}
	if set.Until, err = percentage("-until", f.until); err != nil {
		return err
	}
	if set.Confidence, err = percentage("-confidence", f.confidence); err != nil {
		return err
	}
	for _, text := range f.failOn {
		l, err := bench.ParseLimit(text)
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
	if f.pin != "" {
		if set.Pin, err = host.ParseCPUs(f.pin); err != nil {
			return fmt.Errorf("-pin: %w", err)
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
func (f *benchFlags) measure(out *ui.Screen, stdout io.Writer, stderr *os.File) error {
	progress := ui.On(stderr)
	tell := &benchTeller{out: out, progress: progress, terminal: term.IsTerminal(int(stderr.Fd())), settings: &f.set}
	if f.asJSON {
		tell.out = progress
	}
	session := bench.NewSession(f.set, tell)
	ctx, stop := interruptible(session.Cleanup, func(text string) {
		progress.Progress("")
		fmt.Fprintln(progress, text)
	})
	defer stop()
	report, err := session.Run(ctx)
	progress.Progress("")
	if report == nil {
		return failure{err}
	}
	return f.present(benchResult{report: report, comparison: report.Comparison, settings: &f.set}, err, out, stdout)
}

// compare compares files of results.
func (f *benchFlags) compare(cmd *cobra.Command, files []string, out *ui.Screen, stdout io.Writer) error {
	for _, name := range []string{
		"bench", "count", "budget", "until", "benchtime", "cpu", "timeout", "short", "shuffle", "vs", "dirty", "aa", "o", "shared", "pin", "cpufreq",
		"tags", "race", "gcflags", "ldflags", "asmflags", "mod", "pgo", "trimpath",
	} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("-%s is about running benchmarks, and %s is a file of results", name, files[0])
		}
	}
	if f.set.Confidence <= 0.5 || f.set.Confidence >= 1 {
		return fmt.Errorf("-confidence must be between 50%% and 100%%, not %s", f.confidence)
	}
	data, err := stats.Read(files...)
	if err != nil {
		return failure{err}
	}
	c, err := bench.Compare(data, &f.set)
	if err != nil {
		return failure{err}
	}
	if len(c.Versions) < 2 && len(f.set.FailOn) > 0 {
		return errors.New("-fail-on is about a comparison, and there is one file")
	}
	breaches, blind, err := bench.Check(c, f.set.FailOn)
	return f.present(benchResult{comparison: c, settings: &f.set, breaches: breaches, blind: blind}, err, out, stdout)
}

// queue lists who has the machine.
func (f *benchFlags) queue(out *ui.Screen, stdout io.Writer) error {
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
		out.Paragraph("", "Nobody measures on this machine.")
	}
	for _, e := range entries {
		state := "measures"
		if e.Waits() {
			state = "waits"
		}
		out.Paragraph(fmt.Sprintf("%-9s %-9s ", state, e.Mode), e.String())
	}
	return wrote(out)
}

// wrote is the failure to write on the screen, if there was one.
func wrote(s *ui.Screen) error {
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
		cancel(bench.ErrInterrupted)
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
