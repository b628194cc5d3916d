package rounds

import (
	"math"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// mostIterations is the largest number that package testing chooses by itself.
const mostIterations = 1e9

// mostStretch is how many times as long as on an otherwise idle machine a process may take.
const mostStretch = 5

// Split returns a job for each benchmark that one of the outcomes has results of. The outcomes are those of this job, one a
// version that has it. What has failed in any of them is left out.
//
// The processes of each new job take the time each, on average of the versions, as all do the same number of iterations; not counting
// the time in which they are ready to run and other processes have the CPUs, unless that made them take five times as long. So a run on
// a loaded machine does the same work, and its CPU times vary no more for being short. If each is 0, the Settings decide.
func (j *Job) Split(outcomes []*Outcome, each time.Duration) (jobs []*Job) {
	var failed []Failure
	for _, o := range outcomes {
		failed = append(failed, o.Failed...)
	}
	fails := func(name string) bool {
		return slices.ContainsFunc(failed, func(f Failure) bool {
			return name == f.Benchmark || strings.HasPrefix(name, f.Benchmark+"/") && f.Benchmark != j.Benchmark
		})
	}
	at := map[string]int{}
	var walls, sums []float64 // seconds of one iteration of each version, with and without waiting for CPUs
	for _, o := range outcomes {
		for _, l := range o.Lines {
			name := "Benchmark" + gotest.PlainName(l.Result.Name.String(), j.CPU)
			if fails(name) {
				continue
			}
			i, ok := at[name]
			if !ok {
				i = len(jobs)
				at[name] = i
				jobs = append(jobs, &Job{Package: j.Package, Benchmark: name, Pattern: exactly(name), CPU: j.CPU, Layouts: j.Layouts, Versions: make([]*gotest.Binary, len(j.Versions))})
				walls, sums = append(walls, 0), append(sums, 0)
			}
			jobs[i].Versions[o.Version] = j.Versions[o.Version]
			wall, own := times(l.Result)
			walls[i] += wall
			sums[i] += max(own, wall/mostStretch)
		}
	}
	for i, one := range jobs {
		if each > 0 && sums[i] > 0 {
			one.Iterations = int(min(mostIterations, max(1, math.Round(each.Seconds()*float64(one.versions())/sums[i]))))
			one.Stretch = walls[i] / sums[i]
		}
	}
	return jobs
}

// times returns what an iteration takes, and what it would take if its threads never waited for a CPU.
func times(r *benchfmt.Result) (wall, own float64) {
	wall, _ = r.Value("sec/op")
	cpu, measured := r.Value(stats.CPUTime)
	threads, counted := r.Value(stats.Threads)
	if !measured || !counted || cpu <= 0 {
		return wall, wall
	}
	return wall, min(wall, cpu+wall*max(0, 1-threads))
}

// versions returns how many have the benchmark.
func (j *Job) versions() (n int) {
	for _, binary := range j.Versions {
		if binary != nil {
			n++
		}
	}
	return n
}
