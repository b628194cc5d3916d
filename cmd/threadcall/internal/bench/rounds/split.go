package rounds

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// mostIterations is the largest number that package testing chooses by itself.
const mostIterations = 1e9

// Split returns a job for each benchmark that one of the outcomes has results of. The outcomes are those of this job, one a
// version that has it. What has failed in any of them is left out.
//
// The processes of each new job take the time each, on average of the versions, as all do the same number of iterations.
// If each is 0, the Settings decide.
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
	var sums []float64 // seconds of one iteration of each version
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
				sums = append(sums, 0)
			}
			jobs[i].Versions[o.Version] = j.Versions[o.Version]
			seconds, _ := l.Result.Value("sec/op")
			sums[i] += seconds
		}
	}
	for i, one := range jobs {
		if each > 0 && sums[i] > 0 {
			one.Iterations = int(min(mostIterations, max(1, math.Round(each.Seconds()*float64(one.versions())/sums[i]))))
		}
	}
	return jobs
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
