package measure

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/report"
)

// A Job is what one process runs: a top-level benchmark with its sub-benchmarks, or, after
// calibration, one of those.
type Job struct {
	Package string
	// as the function is called, or the sub-benchmark, without the number of CPUs
	Benchmark  string
	Pattern    string           // for the flag -test.bench
	CPU        report.CPUs      // one; empty: the default
	Iterations int              // 0: as many as -benchtime makes
	Versions   []*gotest.Binary // nil for a version that does not have it

	// Seconds of all versions: what an iteration takes, and what a process takes besides.
	each, besides float64

	skip []string // sub-benchmarks that have failed
	over bool     // it failed altogether
}

// String returns the package and the benchmark, as one writes them in Go.
func (j *Job) String() string { return j.Package + "." + j.Benchmark }

// versions returns how many have the benchmark.
func (j *Job) versions() (n int) {
	for _, binary := range j.Versions {
		if binary != nil {
			n++
		}
	}
	return n
}

// takes returns how many seconds a process is expected to take.
func (j *Job) takes() float64 {
	return max(1e-3, (j.besides+j.each*float64(j.Iterations))/float64(max(1, j.versions())))
}

// drop makes that the benchmark does not run again.
func (j *Job) drop(name string) {
	if !strings.HasPrefix(name, j.Benchmark+"/") {
		j.over = true
		return
	}
	pattern := gotest.Exactly(name)
	if slices.Contains(j.skip, pattern) { // it ran although it was to be skipped
		j.over = true
	}
	j.skip = append(j.skip, pattern)
}

// A Process is one version of a job in one round.
type Process struct {
	Job     *Job
	Version int
}

// Order returns the processes of a round in random order, all versions of a job together, and all
// jobs of a top-level benchmark. What makes the machine slower for a while then meets all of them.
// Jobs that are over have none.
func Order(jobs []*Job) (processes []Process) {
	var groups [][]*Job
	at := map[string]int{}
	for _, j := range jobs {
		if j.over {
			continue
		}
		name, _, _ := strings.Cut(j.Benchmark, "/")
		name = j.Package + "." + name
		i, ok := at[name]
		if !ok {
			i = len(groups)
			at[name] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], j)
	}
	shuffle(groups)
	for _, group := range groups {
		shuffle(group)
		for _, j := range group {
			first := len(processes)
			for version, binary := range j.Versions {
				if binary != nil {
					processes = append(processes, Process{j, version})
				}
			}
			shuffle(processes[first:])
		}
	}
	return processes
}

func shuffle[T any](s []T) {
	rand.Shuffle(len(s), func(i, k int) { s[i], s[k] = s[k], s[i] })
}

// An Outcome is what a process did.
type Outcome struct {
	Process
	Lines  []*benchfmt.Result       // in their order
	Units  []*benchfmt.UnitMetadata // what the benchmark says about units of its own
	Failed []report.Failure         // what failed; there may be results as well
	Empty  bool                     // it gave no result, but did not fail either
	Time   time.Duration            // of the process
}

// start runs a process of a Go benchmark. A context that ends it is an error; that the benchmark
// fails is not.
func start(ctx context.Context, s *plan.Settings, run Process) (*Outcome, error) {
	o, j, benchtime := &Outcome{Process: run}, run.Job, s.Benchtime
	if j.Iterations > 0 {
		benchtime = report.Benchtime{N: j.Iterations}
	}
	args := []string{"-test.run=^$", "-test.bench=" + j.Pattern, "-test.count=1", "-test.benchmem",
		"-test.paniconexit0", "-test.benchtime=" + benchtime.String()}
	if len(j.skip) > 0 {
		args = append(args, "-test.skip="+strings.Join(j.skip, "|"))
	}
	if j.CPU != "" {
		args = append(args, "-test.cpu="+j.CPU.String())
	}
	p, err := j.Versions[run.Version].Run(ctx, s.Timeout, args...)
	if ctx.Err() != nil {
		return nil, err
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", j.Package, err)
	}
	o.Lines, o.Units, o.Time = p.Lines, p.Units, p.Time
	switch {
	case p.Problem != "" || strings.Contains(p.Stdout, "--- FAIL: "):
		o.Failed = j.faults(p)
		for _, f := range o.Failed {
			j.drop("Benchmark" + f.Name)
		}
	case len(o.Lines) == 0:
		j.over = true
		o.Empty = len(j.skip) == 0 // otherwise all that would have given results failed before
	}
	return o, nil
}

// faults returns what failed in a process, and why. A crash is one of the whole benchmark.
func (j *Job) faults(p *gotest.Result) (found []report.Failure) {
	whole := func(reason string) { found = append(found, failure(j.Benchmark, reason)) }
	switch {
	case p.TooLong:
		whole(p.Problem)
	case gotest.Crashed(p.Output):
		whole(gotest.Decisive(p.Output, 6))
	}
	all := reported(p.Output, j.CPU)
	for _, f := range all {
		inside := func(g report.Failure) bool { return strings.HasPrefix(g.Name, f.Name+"/") }
		known := func(g report.Failure) bool { return f.Name == g.Name || inside(g) }
		if slices.ContainsFunc(found, known) || f.Reason == "" && slices.ContainsFunc(all, inside) {
			continue // it failed because a part of it did
		}
		f.Reason = cmp.Or(f.Reason, "it gave no reason")
		found = append(found, f)
	}
	if len(found) == 0 {
		whole(cmp.Or(gotest.Decisive(p.Output, 6), p.Problem))
	}
	return found
}

// failure is that of a benchmark as testing calls it: the top-level one if it is not known which
// part of it failed.
func failure(benchmark, reason string) report.Failure {
	return report.Failure{Name: strings.TrimPrefix(benchmark, "Benchmark"), Reason: reason}
}

// fault matches what testing prints of a benchmark that has failed, with the indented lines after
// it.
var fault = regexp.MustCompile(`(?m)^\s*--- FAIL: (Benchmark\S*).*\n` +
	`((?:[ \t]+(?:[^ \t\n-].*)?\n)*)`)

// reported returns the benchmarks that testing reports as failed.
func reported(output string, cpus report.CPUs) (all []report.Failure) {
	for _, m := range fault.FindAllStringSubmatch(strings.ReplaceAll(output, "\r", "")+"\n", -1) {
		all = append(all, failure(gotest.PlainName(m[1], cpus), gotest.Decisive(m[2], 4)))
	}
	return all
}
