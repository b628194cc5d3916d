package rounds

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/process"
)

// An Outcome is what a process did.
type Outcome struct {
	Run
	Lines   []Line    // results, in their order
	Units   []Unit    // what the benchmark says about units of its own
	Failed  []Failure // what failed; there may be results beside it
	Skipped []Failure // what gave no result, but did not fail either, and why
	Time    time.Duration
	CPU     time.Duration // that the process used, and those that it waited for
}

// A Line is a line of the output that is a result.
type Line struct {
	Text   string
	Result *benchfmt.Result
}

// A Unit is a line of the output that says something about a unit.
type Unit struct {
	Text     string
	Metadata *benchfmt.UnitMetadata
}

// A Failure says why a benchmark gave no result.
type Failure struct {
	Benchmark string // as testing calls it, with "Benchmark"; the top-level one if it is not known which of its parts failed
	Reason    string // the lines of the output that tell
	Output    string // all of it
}

// Do runs the process. A context that ends it is an error; that the benchmark fails is not.
func (s *Settings) Do(ctx context.Context, r Run) (*Outcome, error) {
	o := &Outcome{Run: r}
	var p *ended
	for range 5 { // until a panic ends the process, and says what it is
		began := time.Now()
		var err error
		if p, err = s.start(ctx, r, nil); err != nil {
			return nil, err
		}
		o.Time, o.CPU = time.Since(began), p.cpu
		var cutShort bool
		if o.Lines, o.Units, cutShort = parse(p.stdout); !cutShort || p.failure != "" {
			break
		}
		p.failure = "it has stopped without figures: most likely by a panic that ended too late to be told"
	}
	failed := p.failure != "" || strings.Contains(p.stdout, "--- FAIL: ")
	if !failed && len(o.Lines) > 0 {
		return o, nil
	}
	sure := o.explain(p, failed, s.CPU)
	if !sure && !p.tooLong {
		v, err := s.start(ctx, r, []string{"-test.v", "-test.benchtime=1x"}) // which says what it starts, and skips
		if err != nil {
			return nil, err
		}
		if (v.failure != "") == (p.failure != "") {
			o.explain(v, failed, s.CPU)
		}
	}
	for _, f := range o.Failed {
		r.Job.drop(f.Benchmark)
	}
	r.Job.over = r.Job.over || !failed
	return o, nil
}

// An ended is a process that has ended.
type ended struct {
	stdout  string
	all     string // and then its standard error
	failure string // "exit status 2"; empty: it was fine
	tooLong bool   // that is why it failed
	cpu     time.Duration
}

func (s *Settings) start(ctx context.Context, r Run, more []string) (*ended, error) {
	binary := r.Job.Versions[r.Version]
	args := []string{"-test.run=^$", "-test.bench=" + r.Job.Pattern, "-test.count=1", "-test.benchmem", "-test.paniconexit0"}
	if len(r.Job.skip) > 0 {
		args = append(args, "-test.skip="+strings.Join(r.Job.skip, "|"))
	}
	if s.Benchtime != "" {
		args = append(args, "-test.benchtime="+s.Benchtime)
	}
	if s.CPU != "" {
		args = append(args, "-test.cpu="+s.CPU)
	}
	if s.Short {
		args = append(args, "-test.short")
	}
	limit, cancel := ctx, context.CancelFunc(func() {})
	if s.Timeout > 0 { // testing has a limit for tests, but none for benchmarks
		limit, cancel = context.WithTimeout(ctx, s.Timeout)
	}
	defer cancel()
	cmd := binary.command(limit, append(args, more...)...)
	end := cmd.Cancel
	cmd.Cancel = func() error {
		if ctx.Err() == nil { // a signal to end would cut short what it writes
			return process.Quit(cmd)
		}
		return end()
	}
	var stdout, stderr output
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := s.Start
	if start == nil {
		start = (*exec.Cmd).Start
	}
	if err := start(cmd); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("cannot run the tests of %s: %w", r.Job.Package, err)
	}
	err := cmd.Wait()
	process.End(cmd)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	p := &ended{stdout: stdout.String()}
	p.all = p.stdout + "\n" + stderr.String() // and not line by line, as they would share lines
	if state := cmd.ProcessState; state != nil {
		p.cpu = state.UserTime() + state.SystemTime()
	}
	switch {
	case limit.Err() != nil:
		p.tooLong, p.failure = true, fmt.Sprintf("it took longer than -timeout %v", s.Timeout)
		if where := benchmarkLine(p.all); where != "" {
			p.failure += "\nat " + where
		}
	case errors.Is(err, exec.ErrWaitDelay):
		p.failure = "a process that it has started outlived it, and kept its output open"
	case err != nil:
		p.failure = err.Error()
	}
	return p, nil
}
