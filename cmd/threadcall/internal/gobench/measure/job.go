package measure

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// A Job is what one process runs: a top-level benchmark with its sub-benchmarks, or, after
// calibration, one of those.
type Job struct {
	Package string
	// as the function is called, or the sub-benchmark, without the number of CPUs
	Benchmark  string
	Pattern    string           // for the flag -test.bench
	CPU        string           // GOMAXPROCS; empty: the default
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
