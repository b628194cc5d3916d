// Package rounds runs benchmarks round by round: in each, every benchmark once, in an order that chance decides, and its
// versions one right after the other. What makes the machine slower for a while then meets all of them.
//
// Each benchmark runs in a process of its own, and each of its sub-benchmarks, so that one which fails, panics, or leaves
// garbage behind does nothing to the others, and so that the versions of a sub-benchmark run next to each other. All
// versions do the same number of iterations.
package rounds

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// A Job is what one process runs: a top-level benchmark with its sub-benchmarks, or, after Split, one of those.
type Job struct {
	Package    string
	Benchmark  string           // as the function is called, or the sub-benchmark, without the number of CPUs
	Pattern    string           // for the flag -test.bench: this benchmark, and the sub-benchmarks that are wanted
	CPU        string           // GOMAXPROCS; empty: those of the Settings
	Iterations int              // 0: as many as the Settings make
	Stretch    float64          // how many times as long they take on this machine as on an otherwise idle one; 0: it is not known
	Group      string           // jobs of the same group run next to each other; empty: this one alone
	Versions   []*gotest.Binary // nil for a version that does not have it

	// Layouts has the binaries of each version again, with their functions in another order. If there are any, each round
	// has the next of them.
	Layouts [][]*gotest.Binary
	skip    []string // sub-benchmarks that have failed
	over    bool     // it failed altogether
}

// String returns the package and the benchmark, as one writes them in Go.
func (j *Job) String() string { return j.Package + "." + j.Benchmark }

// Over reports whether the job failed and will not run again.
func (j *Job) Over() bool { return j.over }

// drop makes that the benchmark does not run again.
func (j *Job) drop(name string) {
	sub, ok := strings.CutPrefix(name, j.Benchmark+"/")
	if !ok {
		j.over = true
		return
	}
	pattern := exactly(j.Benchmark + "/" + sub)
	if slices.Contains(j.skip, pattern) { // it ran although it was to be skipped
		j.over = true
	}
	j.skip = append(j.skip, pattern)
}

// exactly returns the pattern that means this benchmark or sub-benchmark.
func exactly(name string) string {
	var elements []string
	for element := range strings.SplitSeq(name, "/") {
		elements = append(elements, "^"+regexp.QuoteMeta(element)+"$")
	}
	return strings.Join(elements, "/")
}

// Jobs returns what there is to run: the benchmarks that match the pattern and that a version has. For one package,
// the binaries are those of the versions, and names the benchmarks of each.
func Jobs(pkg string, binaries []*gotest.Binary, names [][]string, p gotest.Pattern) (jobs []*Job) {
	seen := map[string]*Job{}
	for version, list := range names {
		for _, name := range list {
			its, ok := p.For(name)
			if !ok {
				continue
			}
			j := seen[name]
			if j == nil {
				j = &Job{Package: pkg, Benchmark: name, Pattern: its, Versions: make([]*gotest.Binary, len(binaries))}
				seen[name] = j
				jobs = append(jobs, j)
			}
			j.Versions[version] = binaries[version]
		}
	}
	return jobs
}

// A Run is one process: one version of a job in one round.
type Run struct {
	Job     *Job
	Version int
	Layout  int // from 1; 0: the one of the compiler
}

func (r Run) binary() *gotest.Binary {
	if r.Layout > 0 {
		return r.Job.Layouts[r.Version][r.Layout-1]
	}
	return r.Job.Versions[r.Version]
}

// Round returns the processes of a round in random order, all versions of a job together, and all jobs of a group. Jobs
// that are over have none. All have the same layout, or 0, which stands for none.
func Round(jobs []*Job, layout int) (runs []Run) {
	var groups [][]*Job
	at := map[string]int{}
	for _, j := range jobs {
		i, ok := at[j.Group]
		switch {
		case j.Over():
		case ok && j.Group != "":
			groups[i] = append(groups[i], j)
		default:
			at[j.Group] = len(groups)
			groups = append(groups, []*Job{j})
		}
	}
	shuffle(groups)
	for _, group := range groups {
		shuffle(group)
		for _, j := range group {
			first := len(runs)
			for version, binary := range j.Versions {
				if binary != nil {
					runs = append(runs, Run{j, version, layout})
				}
			}
			shuffle(runs[first:])
		}
	}
	return runs
}

func shuffle[T any](s []T) {
	rand.Shuffle(len(s), func(i, k int) { s[i], s[k] = s[k], s[i] })
}
