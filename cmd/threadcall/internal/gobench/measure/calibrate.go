package measure

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/build"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/report"
	"github.com/threadcall/threadcall/cmd/threadcall/report/bench"
)

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
func (m *measurement) calibrate(ctx context.Context, benchmarks []build.Benchmark) error {
	each, short := m.set.Benchtime.Time, *m.set
	short.Benchtime = report.Benchtime{N: 1}
	if each > 0 {
		short.Benchtime = report.Benchtime{Time: max(each/calibrationPart, min(each, calibrationMin))}
	}
	var old []string // that only old versions have
	for i, b := range benchmarks {
		if b.Binaries[len(b.Binaries)-1] == nil {
			old = append(old, b.Package+"."+b.Name)
			continue
		}
		for _, cpu := range m.set.CPU.Each() {
			m.log.Progress(fmt.Sprintf("calibrating %s, %d of %d", b.Name, i+1, len(benchmarks)))
			j := &Job{Package: b.Package, Benchmark: b.Name, Pattern: b.Pattern, CPU: cpu,
				Versions: b.Binaries}
			var outcomes []*Outcome
			for version, binary := range j.Versions {
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
			for _, one := range j.split(outcomes, each) {
				if each == 0 {
					one.Iterations = m.set.Benchtime.N
				}
				m.jobs = append(m.jobs, one)
			}
		}
	}
	m.log.Progress("")
	m.common(old)
	return nil
}

// common drops the jobs that only old versions have, and notes them.
func (m *measurement) common(old []string) {
	last := len(m.record.Versions) - 1
	m.jobs = slices.DeleteFunc(m.jobs, func(j *Job) bool {
		if j.Versions[last] == nil {
			old = append(old, j.String())
		}
		return j.Versions[last] == nil
	})
	if len(old) > 0 {
		m.log.Note("Not in %s, and not measured: %s.", m.record.Versions[last].Name,
			ui.Some(old, 10))
	}
}

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
				return name == failed || strings.HasPrefix(name, failed+"/") && failed != j.Benchmark
			})
		})
	}
	var sums []float64 // seconds of one iteration in all versions, without waiting for CPUs
	for _, o := range outcomes {
		besides := o.Time.Seconds()
		for _, l := range o.Lines {
			wall, _ := times(l)
			besides -= wall * float64(l.Iters)
		}
		for _, l := range o.Lines {
			name := "Benchmark" + gotest.PlainName(l.Name.String(), j.CPU)
			if fails(name) {
				continue
			}
			i := slices.IndexFunc(jobs, func(j *Job) bool { return j.Benchmark == name })
			if i < 0 {
				i = len(jobs)
				jobs = append(jobs, &Job{Package: j.Package, Benchmark: name,
					Pattern: gotest.Exactly(name), CPU: j.CPU, Versions: make([]*gotest.Binary,
						len(j.Versions))})
				sums = append(sums, 0)
			}
			jobs[i].Versions[o.Version] = j.Versions[o.Version]
			wall, own := times(l)
			sums[i] += max(own, wall/mostStretch)
			jobs[i].each += wall
			jobs[i].besides += max(0, besides)
		}
	}
	for i, one := range jobs {
		if each > 0 && sums[i] > 0 {
			n := math.Round(each.Seconds() * float64(one.versions()) / sums[i])
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
