package rounds

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// Settings are how each process runs.
type Settings struct {
	Benchtime string        // as for go test; empty: a second
	CPU       string        // as for go test; empty: as many as there are
	Timeout   time.Duration // of a process; 0: none
}

// An Outcome is what a process did.
type Outcome struct {
	Run
	Lines   []gotest.Line // results, in their order
	Units   []gotest.Unit // what the benchmark says about units of its own
	Failed  []Failure     // what failed; there may be results as well
	Skipped []Failure     // what gave no result, but did not fail either, and why
}

// A Failure is a benchmark that gave no result.
type Failure struct {
	Benchmark string // as testing calls it, with "Benchmark"; the top-level one if it is not known which of its parts failed
	Reason    string // the lines of the output that explain it
}

// Do runs the process. A context that ends it is an error; that the benchmark fails is not.
func (s *Settings) Do(ctx context.Context, r Run) (*Outcome, error) {
	o := &Outcome{Run: r}
	var p *gotest.Result
	for range 5 { // until a panic ends the process, and is in its output
		var err error
		if p, err = s.start(ctx, r); err != nil {
			return nil, err
		}
		var cutShort bool
		if o.Lines, o.Units, cutShort = gotest.ParseResults(p.Stdout); !cutShort || p.Failure != "" {
			break
		}
		p.Failure = "it has stopped without figures: most likely by a panic that ended too late to be printed"
	}
	switch {
	case p.Failure != "" || strings.Contains(p.Stdout, "--- FAIL: "):
		o.Failed = r.Job.failures(p, cmp.Or(r.Job.CPU, s.CPU))
		for _, f := range o.Failed {
			r.Job.drop(f.Benchmark)
		}
	case len(o.Lines) == 0:
		r.Job.over = true
		if len(r.Job.skip) > 0 { // all that would have given results failed before
			break
		}
		v, err := s.start(ctx, r, "-test.v", "-test.benchtime=1x") // which prints why a benchmark skips
		if err != nil {
			return nil, err
		}
		o.Skipped = []Failure{{r.Job.Benchmark, cmp.Or(gotest.Decisive(v.Output, 1), "it gave no reason")}}
	}
	return o, nil
}

func (s *Settings) start(ctx context.Context, r Run, more ...string) (*gotest.Result, error) {
	args := []string{"-test.run=^$", "-test.bench=" + r.Job.Pattern, "-test.count=1", "-test.benchmem", "-test.paniconexit0"}
	if len(r.Job.skip) > 0 {
		args = append(args, "-test.skip="+strings.Join(r.Job.skip, "|"))
	}
	switch {
	case r.Job.Iterations > 0:
		args = append(args, fmt.Sprintf("-test.benchtime=%dx", r.Job.Iterations))
	case s.Benchtime != "":
		args = append(args, "-test.benchtime="+s.Benchtime)
	}
	if cpu := cmp.Or(r.Job.CPU, s.CPU); cpu != "" {
		args = append(args, "-test.cpu="+cpu)
	}
	p, err := r.binary().Run(ctx, s.Timeout, append(args, more...)...)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%s: %w", r.Job.Package, err)
	}
	return p, err
}
