package measure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
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
// whether it works. The directory is for what lasts as long as the measurement.
func Commands(ctx context.Context, set *plan.Settings, log *plan.Log, dir string) (*Measurement,
	error) {
	c := &commands{Settings: set}
	var err error
	if c.stderr, err = os.CreateTemp(dir, "stderr-"); err != nil {
		return nil, err
	}
	defer log.Progress("")
	job := &Job{Benchmark: "BenchmarkCommand"}
	var versions []plan.Version
	for i, one := range set.Commands {
		log.Progress("warming up: " + one.Name)
		u, err := c.once(ctx, i)
		if err != nil {
			return nil, errors.Join(err, c.stderr.Close())
		}
		c.runs = append(c.runs, repetitions(set.Benchtime, u.wall))
		versions = append(versions, plan.Version{Name: one.Name, What: one.Text, Runs: c.runs[i]})
		job.Versions = append(job.Versions, &gotest.Binary{})
	}
	m := newMeasurement(set, log, versions)
	m.Record.Settings.Bench = ""
	m.Jobs, m.run, m.end = []*Job{job}, c.run, c.stderr.Close
	m.calibrate = func(context.Context) error { return nil }
	return m, nil
}

// commands runs the commands of the settings.
type commands struct {
	*plan.Settings
	runs   []int    // in a round, of each command
	stderr *os.File // of the command, of which a failure shows the end
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
		u, err := c.once(ctx, process.Version)
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
func (c *commands) once(ctx context.Context, version int) (usage, error) {
	text, args := c.Settings.Commands[version].Text, c.Settings.Commands[version].Args
	limited, cancel := ctx, context.CancelFunc(func() {})
	if c.Timeout > 0 {
		limited, cancel = context.WithTimeout(ctx, c.Timeout)
	}
	defer cancel()
	cmd := exec.Command(args[0], args[1:]...)
	literally(cmd, args)
	// A file, for which this process does nothing while the command runs, as it would for a pipe.
	cmd.Stderr = c.stderr
	if err := c.stderr.Truncate(0); err != nil {
		return usage{}, err
	}
	if _, err := c.stderr.Seek(0, io.SeekStart); err != nil {
		return usage{}, err
	}
	began := time.Now()
	err := gotest.Run(limited, cmd)
	u := usage{wall: time.Since(began)}
	if ctx.Err() != nil {
		return u, context.Cause(ctx)
	}
	if cmd.ProcessState == nil {
		return u, fmt.Errorf("cannot start %s: %w", text, err)
	}
	u.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	u.peak = peak(cmd.ProcessState)
	switch {
	case err != nil && limited.Err() != nil:
		return u, fmt.Errorf("%s took longer than -timeout %v", text, c.Timeout)
	case err != nil:
		return u, fmt.Errorf("%s: %w%s", text, err, c.complaint())
	}
	return u, nil
}

// complaint returns the end of what the command has written to its standard error.
func (c *commands) complaint() string {
	text, _ := os.ReadFile(c.stderr.Name())
	if lines := bytes.TrimSpace(text[max(0, len(text)-2000):]); len(lines) > 0 {
		return "\n" + string(lines)
	}
	return "; it wrote nothing to its standard error"
}
