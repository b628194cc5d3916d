package measure

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/report"
	"github.com/threadcall/threadcall/cmd/threadcall/report/bench"
)

// A Job is what one process runs: a top-level benchmark with its sub-benchmarks, or, after
// calibration, one of those.
type Job struct {
	plan.Benchmark
	CPU        report.CPUs // one; empty: the default
	Iterations int         // 0: as many as -benchtime makes

	over bool // it failed, or gives no result, and does not run again
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
	byTop := map[string][]*Job{}
	for _, j := range jobs {
		name, _, _ := strings.Cut(j.Name, "/")
		byTop[j.Package+"."+name] = append(byTop[j.Package+"."+name], j)
	}
	groups := slices.Collect(maps.Values(byTop))
	for _, g := range rand.Perm(len(groups)) {
		for _, i := range rand.Perm(len(groups[g])) {
			j := groups[g][i]
			for _, version := range rand.Perm(len(j.Binaries)) {
				if j.Binaries[version] != nil && !j.over {
					processes = append(processes, Process{j, version})
				}
			}
		}
	}
	return processes
}

// An Outcome is what a process did.
type Outcome struct {
	Process
	gotest.Result
	Failed []report.Failure // what failed; there may be results as well
}

// start runs a process of a Go benchmark. A context that ends it is an error; that the benchmark
// fails is not.
func start(ctx context.Context, s *plan.Settings, run Process) (*Outcome, error) {
	j, benchtime := run.Job, s.Benchtime
	if j.Iterations > 0 {
		benchtime = report.Benchtime{N: j.Iterations}
	}
	args := []string{"-test.run=^$", "-test.bench=" + j.Pattern, "-test.benchmem",
		"-test.paniconexit0", "-test.benchtime=" + benchtime.String()}
	if len(j.CPU) > 0 {
		args = append(args, "-test.cpu="+j.CPU.String())
	}
	p, err := j.Binaries[run.Version].Run(ctx, s.Timeout, args...)
	if ctx.Err() != nil {
		return nil, err
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", j.Package, err)
	}
	o := &Outcome{Process: run, Result: *p}
	o.Failed = o.Failures(j.Name, j.CPU)
	j.over = len(o.Failed) > 0 || len(o.Lines) == 0
	return o, nil
}

// The calibration of a benchmark takes a part of the time that a process has in a round, but not
// less than the second.
const (
	calibrationPart = 5
	calibrationMin  = 10 * time.Millisecond
)

const (
	mostIterations = 1e9 // the largest number that package testing chooses by itself
	// how many times as long as on an otherwise idle machine a process may take
	mostStretch = 5
)

// calibrate makes jobs of the benchmarks. It runs each benchmark once in each version, finds its
// sub-benchmarks, and chooses the number of iterations of each. The results are not kept.
func (m *measurement) calibrate(ctx context.Context) error {
	each, short := m.Set.Benchtime.Time, *m.Set
	short.Benchtime = report.Benchtime{N: 1}
	if each > 0 {
		short.Benchtime = report.Benchtime{Time: max(each/calibrationPart, min(each, calibrationMin))}
	}
	cpus := []report.CPUs{nil}
	if len(m.Set.CPU) > 0 {
		cpus = slices.Collect(slices.Chunk(m.Set.CPU, 1))
	}
	for i, b := range m.Benchmarks {
		if gone(b) {
			m.jobs = append(m.jobs, &Job{Benchmark: b})
			continue
		}
		for _, cpu := range cpus {
			m.Progress(fmt.Sprintf("calibrating %s, %d of %d", b.Name, i+1, len(m.Benchmarks)))
			j := &Job{Benchmark: b, CPU: cpu}
			var outcomes []*Outcome
			for version, binary := range j.Binaries {
				if binary == nil {
					continue
				}
				o, err := start(ctx, &short, Process{j, version})
				if err != nil {
					return err
				}
				m.failed(o, "calibration")
				outcomes = append(outcomes, o)
			}
			m.jobs = append(m.jobs, j.split(outcomes, each)...)
		}
	}
	m.Progress("")
	var old []string
	m.jobs = slices.DeleteFunc(m.jobs, func(j *Job) bool {
		if gone(j.Benchmark) {
			old = append(old, j.String())
		}
		return gone(j.Benchmark)
	})
	if len(old) > 0 {
		m.Note("Not in new, and not measured: %s.", ui.Some(old, 10))
	}
	return nil
}

// gone reports whether only old versions have the benchmark.
func gone(b plan.Benchmark) bool { return b.Binaries[len(b.Binaries)-1] == nil }

// split returns a job for each benchmark that one of the outcomes has results of. The outcomes are
// those of this job, one a version that has it. What has failed in any of them is left out.
//
// The processes of each new job take the time each, on average of the versions, as all do the same
// number of iterations; not counting the time in which they are ready to run and other processes
// have the CPUs, unless that made them take five times as long. So a run on a loaded machine does
// the same work, and its CPU times vary no more for being short. If each is 0, -benchtime decides.
func (j *Job) split(outcomes []*Outcome, each time.Duration) (jobs []*Job) {
	fails := func(name string) bool {
		return slices.ContainsFunc(outcomes, func(o *Outcome) bool {
			return slices.ContainsFunc(o.Failed, func(f report.Failure) bool {
				failed := "Benchmark" + f.Name
				return name == failed || strings.HasPrefix(name, failed+"/") && failed != j.Name
			})
		})
	}
	var sums []float64 // seconds of one iteration in all versions, without waiting for CPUs
	for _, o := range outcomes {
		for _, l := range o.Lines {
			name := "Benchmark" + gotest.PlainName(l.Name.String(), j.CPU)
			if fails(name) {
				continue
			}
			i := slices.IndexFunc(jobs, func(j *Job) bool { return j.Name == name })
			if i < 0 {
				i = len(jobs)
				one := &Job{Benchmark: j.Benchmark, CPU: j.CPU}
				one.Name, one.Pattern = name, gotest.Exactly(name)
				one.Binaries = make([]*gotest.Binary, len(j.Binaries))
				jobs, sums = append(jobs, one), append(sums, 0)
			}
			jobs[i].Binaries[o.Version] = j.Binaries[o.Version]
			wall, own := times(l)
			sums[i] += max(own, wall/mostStretch)
		}
	}
	for i, one := range jobs {
		if each > 0 && sums[i] > 0 {
			versions := len(one.Binaries)
			if slices.Contains(one.Binaries, nil) {
				versions--
			}
			n := math.Round(each.Seconds() * float64(versions) / sums[i])
			one.Iterations = int(min(mostIterations, max(1, n)))
		}
	}
	return jobs
}

// times returns what an iteration takes, and what it would take if its threads never waited for a
// CPU.
func times(r *benchfmt.Result) (wall, own float64) {
	wall, _ = r.Value(bench.WallTime)
	cpu, measured := r.Value(bench.CPUTime)
	threads, counted := r.Value(bench.Threads)
	if !measured || !counted || cpu <= 0 {
		return wall, wall
	}
	return wall, min(wall, cpu+wall*max(0, 1-threads))
}
