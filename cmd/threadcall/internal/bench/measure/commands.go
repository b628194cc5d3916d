package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/program"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/rounds"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A round of a command lasts this long at least, unless -benchtime sets it: what is shorter consists of little but the start
// of a process.
const commandRound = 50 * time.Millisecond

// Commands prepares a measurement of the commands of the settings. The directory is for what lasts as long as it does.
func Commands(ctx context.Context, s *plan.Settings, dir string, log *plan.Log) (m *Measurement, end func(), err error) {
	runner, err := program.NewRunner(dir)
	if err != nil {
		return nil, nil, err
	}
	runner.Timeout = s.Each.Timeout
	c := &commandRunner{Commands: &s.Commands, runner: runner}
	if err := c.warmUp(ctx, s, log); err != nil {
		_ = runner.Close()
		return nil, nil, err
	}
	run := NewRun(s)
	run.Settings.Bench = ""
	var names []string
	job := &rounds.Job{Benchmark: "BenchmarkCommand"}
	for i, one := range c.List {
		run.Versions = append(run.Versions, plan.Version{Name: one.Name, What: one.Text, Runs: c.runs[i]})
		names = append(names, one.Name)
		job.Versions = append(job.Versions, &gotest.Binary{})
	}
	m = &Measurement{Set: s, Log: log, Run: run, Jobs: []*rounds.Job{job}, Data: stats.New(names...), Do: c.do, Ready: true}
	return m, func() { _ = runner.Close() }, nil
}

type commandRunner struct {
	*plan.Commands
	runner *program.Runner
	runs   []int  // in a round, of each command
	peak   []bool // it is known
}

// warmUp runs each command once, which shows whether it works, and decides how often it runs in a round.
func (c *commandRunner) warmUp(ctx context.Context, s *plan.Settings, log *plan.Log) error {
	defer log.Progress("")
	c.runs, c.peak = make([]int, len(c.List)), make([]bool, len(c.List))
	var least int64
	var without []string
	shortest := time.Duration(math.MaxInt64)
	for i, one := range c.List {
		log.Progress("warming up: " + one.Name)
		u, err := c.once(ctx, i)
		if err != nil {
			return err
		}
		shortest, c.peak[i], least = min(shortest, u.Wall), u.Peak > 0, u.Least
		c.runs[i] = repetitions(s.Each.Benchtime, u.Wall)
		if !c.peak[i] {
			without = append(without, one.Name)
		}
	}
	switch {
	case least == 0:
		log.Note("This system does not report the peak memory of a process that has ended.")
	case len(without) > 0:
		log.Note("The peak memory of %s is below %s, which the system counts at least for what this process starts, and is left out.",
			strings.Join(without, " and "), ui.Bytes(least))
	}
	return c.shell(ctx, log, shortest)
}

// repetitions returns how many runs of a command make a round.
func repetitions(benchtime string, run time.Duration) int {
	if count, ok := strings.CutSuffix(benchtime, "x"); ok {
		n, _ := strconv.Atoi(count)
		return max(1, n)
	}
	least := commandRound
	if d, err := time.ParseDuration(benchtime); err == nil {
		least = d
	}
	return int(max(1, (least+run-1)/max(1, run)))
}

// shell notes how much of the time is the shell's.
func (c *commandRunner) shell(ctx context.Context, log *plan.Log, shortest time.Duration) error {
	if !c.List[0].InShell {
		return nil
	}
	var times []time.Duration
	for range 11 {
		u, err := c.runner.Run(ctx, program.Empty())
		if err != nil {
			return err
		}
		times = append(times, u.Wall)
	}
	slices.Sort(times)
	if own := times[len(times)/2]; own > shortest/50 {
		log.Note("The shell takes about %s of each run, which is %.0f %% of the shortest, and makes changes look smaller.",
			ui.Duration(own.Seconds()*1e9), 100*float64(own)/float64(shortest))
	}
	return nil
}

// once runs a command once.
func (c *commandRunner) once(ctx context.Context, version int) (program.Use, error) {
	if n := len(c.Prepare); n > 0 {
		if _, err := c.runner.Shell(ctx, c.Prepare[min(version, n-1)]); err != nil {
			return program.Use{}, fmt.Errorf("-prepare: %w", err)
		}
	}
	return c.runner.Run(ctx, c.List[version])
}

// do runs a command as often as a round asks for. That a command fails is an error: what it measures is not what it was to
// do.
func (c *commandRunner) do(ctx context.Context, r rounds.Run) (*rounds.Outcome, error) {
	var sum program.Use
	n := c.runs[r.Version]
	for range n {
		u, err := c.once(ctx, r.Version)
		if err != nil {
			return nil, err
		}
		sum.Wall, sum.User, sum.System, sum.Peak = sum.Wall+u.Wall, sum.User+u.User, sum.System+u.System, max(sum.Peak, u.Peak)
	}
	each := func(d time.Duration) string {
		return strconv.FormatFloat(float64(d)/float64(n), 'f', 0, 64)
	}
	text := fmt.Sprintf("goos: %s\ngoarch: %s\nUnit user+sys-ns/op better=lower\nUnit peak-RSS-bytes better=lower\n%s \t%8d\t%10s ns/op\t%10s user+sys-ns/op",
		runtime.GOOS, runtime.GOARCH, r.Job.Benchmark, n, each(sum.Wall), each(sum.User+sum.System))
	if c.peak[r.Version] && sum.Peak > 0 {
		text += fmt.Sprintf("\t%10d peak-RSS-bytes", sum.Peak)
	}
	o := &rounds.Outcome{Run: r}
	var cutShort bool
	if o.Lines, o.Units, cutShort = gotest.ParseResults(text + "\n"); cutShort || len(o.Lines) != 1 {
		return nil, errors.New("internal error: the result of a command is none: " + text)
	}
	return o, nil
}
