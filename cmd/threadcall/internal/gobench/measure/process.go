package measure

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// An Outcome is what a process did.
type Outcome struct {
	Process
	Lines  []*benchfmt.Result       // in their order
	Units  []*benchfmt.UnitMetadata // what the benchmark says about units of its own
	Failed []Fault                  // what failed; there may be results as well
	Empty  bool                     // it gave no result, but did not fail either
	Time   time.Duration            // of the process
}

// A Fault is a benchmark that gave no result.
type Fault struct {
	Benchmark string // as testing calls it; the top-level one if it is not known which part failed
	Reason    string // the lines of the output that explain it
}

// Run runs a process of a Go benchmark. A context that ends it is an error; that the benchmark
// fails is not.
func Run(ctx context.Context, s *plan.Settings, run Process) (*Outcome, error) {
	o, j, benchtime := &Outcome{Process: run}, run.Job, s.Benchtime
	args := []string{"-test.run=^$", "-test.bench=" + j.Pattern, "-test.count=1", "-test.benchmem",
		"-test.paniconexit0"}
	if len(j.skip) > 0 {
		args = append(args, "-test.skip="+strings.Join(j.skip, "|"))
	}
	if j.CPU != "" {
		args = append(args, "-test.cpu="+j.CPU)
	}
	if j.Iterations > 0 {
		benchtime = fmt.Sprintf("%dx", j.Iterations)
	}
	p, err := j.Versions[run.Version].Run(ctx, s.Timeout, append(args,
		"-test.benchtime="+benchtime)...)
	if ctx.Err() != nil {
		return nil, err
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", j.Package, err)
	}
	o.Lines, o.Units, o.Time = p.Lines, p.Units, p.Time
	switch {
	case p.Failure != "" || strings.Contains(p.Stdout, "--- FAIL: "):
		o.Failed = j.faults(p)
		for _, f := range o.Failed {
			j.drop(f.Benchmark)
		}
	case len(o.Lines) == 0:
		j.over = true
		o.Empty = len(j.skip) == 0 // otherwise all that would have given results failed before
	}
	return o, nil
}

// faults returns what failed in a process, and why. A crash is one of the whole benchmark.
func (j *Job) faults(p *gotest.Result) (found []Fault) {
	switch {
	case p.TooLong:
		found = append(found, Fault{j.Benchmark, p.Failure})
	case gotest.Crashed(p.Output):
		found = append(found, Fault{j.Benchmark, gotest.Decisive(p.Output, 6)})
	}
	all := reported(p.Output, j.CPU)
	for _, f := range all {
		inside := func(g Fault) bool { return strings.HasPrefix(g.Benchmark, f.Benchmark+"/") }
		known := func(g Fault) bool { return f.Benchmark == g.Benchmark || inside(g) }
		if slices.ContainsFunc(found, known) || f.Reason == "" && slices.ContainsFunc(all, inside) {
			continue // it failed because a part of it did
		}
		f.Reason = cmp.Or(f.Reason, "it gave no reason")
		found = append(found, f)
	}
	if len(found) == 0 {
		found = []Fault{{j.Benchmark, cmp.Or(gotest.Decisive(p.Output, 6), p.Failure)}}
	}
	return found
}

// fault matches what testing prints of a benchmark that has failed, with the indented lines after
// it.
var fault = regexp.MustCompile(`(?m)^\s*--- FAIL: (Benchmark\S*).*\n` +
	`((?:[ \t]+(?:[^ \t\n-].*)?\n)*)`)

// reported returns the benchmarks that testing reports as failed.
func reported(output, cpus string) (all []Fault) {
	for _, m := range fault.FindAllStringSubmatch(strings.ReplaceAll(output, "\r", "")+"\n", -1) {
		all = append(all, Fault{gotest.PlainName(m[1], cpus), gotest.Decisive(m[2], 4)})
	}
	return all
}
