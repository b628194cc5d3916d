package measure

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// A round of a command lasts this long at least, unless -benchtime sets it: what is shorter
// consists of little but the start of a process.
const commandRound = 50 * time.Millisecond

// Commands returns a measurement of the commands of the settings, and runs each once, which shows
// whether it works.
func Commands(ctx context.Context, set *plan.Settings, log *plan.Log) (*Measurement, error) {
	defer log.Progress("")
	c := &commands{Settings: set}
	job := &Job{Benchmark: "BenchmarkCommand"}
	var versions []plan.Version
	for i, one := range set.Commands {
		log.Progress("warming up: " + one.Name)
		job.Versions = append(job.Versions, &gotest.Binary{Path: one.Args[0], Quiet: true,
			Attr: literally(one.Args)})
		u, err := c.once(ctx, Process{job, i})
		if err != nil {
			return nil, err
		}
		c.runs = append(c.runs, repetitions(set.Benchtime, u.wall))
		versions = append(versions, plan.Version{Name: one.Name, What: one.Text, Runs: c.runs[i]})
	}
	m := newMeasurement(set, log, versions)
	m.Record.Settings.Bench = ""
	m.Jobs, m.run = []*Job{job}, c.run
	m.calibrate = func(context.Context) error { return nil }
	return m, nil
}

// commands runs the commands of the settings.
type commands struct {
	*plan.Settings
	runs []int // in a round, of each command
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

// run runs a command as often as a round asks for. That a command fails is an error: what it
// measures is not what it was to do.
func (c *commands) run(ctx context.Context, _ *plan.Settings, process Process) (*Outcome, error) {
	var sum usage
	n := c.runs[process.Version]
	for range n {
		u, err := c.once(ctx, process)
		if err != nil {
			return nil, err
		}
		sum.wall, sum.cpu, sum.peak = sum.wall+u.wall, sum.cpu+u.cpu, max(sum.peak, u.peak)
	}
	each := func(d time.Duration) string { return fmt.Sprint(math.Round(float64(d) / float64(n))) }
	text := fmt.Sprintf("goos: %s\ngoarch: %s\n", runtime.GOOS, runtime.GOARCH) +
		"Unit user+sys-ns/op better=lower\nUnit peak-RSS-bytes better=lower\n" +
		fmt.Sprintf("%s \t%8d\t%10s ns/op\t%10s user+sys-ns/op", process.Job.Benchmark, n,
			each(sum.wall), each(sum.cpu))
	if sum.peak > 0 {
		text += fmt.Sprintf("\t%10d peak-RSS-bytes", sum.peak)
	}
	o := &Outcome{Process: process}
	o.Lines, o.Units, _ = gotest.ParseResults(text + "\n")
	return o, nil
}

// A usage is what a run of a command has used, with all processes that it has started and waited
// for.
type usage struct {
	wall, cpu time.Duration
	peak      int64 // bytes of the process with most memory; 0: not known
}

// once runs a command once, with no input.
func (c *commands) once(ctx context.Context, process Process) (usage, error) {
	one := c.Commands[process.Version]
	r, err := process.Job.Versions[process.Version].Run(ctx, c.Timeout, one.Args[1:]...)
	if err != nil {
		return usage{}, err
	}
	if r.Failure != "" {
		complaint := strings.TrimSpace(r.Output[max(0, len(r.Output)-2000):])
		return usage{}, fmt.Errorf("%s: %s\n%s", one.Text, r.Failure,
			cmp.Or(complaint, "it wrote nothing to its standard error"))
	}
	return usage{r.Time, r.State.UserTime() + r.State.SystemTime(), peak(r.State)}, nil
}
