// Package rounds runs benchmarks round by round: in each, every benchmark once, in an order that chance decides, and its
// versions one right after the other. What makes the machine slower for a while then meets all of them.
//
// Each benchmark runs in a process of its own, so that one which fails, panics, or leaves garbage behind does nothing to
// the others.
package rounds

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// A Job is a top-level benchmark.
type Job struct {
	Package   string
	Benchmark string           // as the function is called
	Pattern   string           // for the flag -test.bench: this benchmark, and the sub-benchmarks that are wanted
	Versions  []*gotest.Binary // nil for a version that does not have it
	skip      []string         // sub-benchmarks that have failed
	over      bool             // it failed altogether
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
	pattern := "^" + j.Benchmark + "$"
	for element := range strings.SplitSeq(sub, "/") {
		pattern += "/^" + regexp.QuoteMeta(element) + "$"
	}
	if slices.Contains(j.skip, pattern) { // it ran although it was to be skipped
		j.over = true
	}
	j.skip = append(j.skip, pattern)
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
}

// Order is the order in which things run in a round.
type Order struct{ random *rand.Rand }

// NewOrder returns the order that belongs to the seed. Zero is the order of the source, in which the versions come in
// turn, but start with another one in each round.
func NewOrder(seed uint64) *Order {
	if seed == 0 {
		return &Order{}
	}
	return &Order{rand.New(rand.NewPCG(seed, 0))}
}

// Round returns the processes of the round, all versions of a job together. What is over is not among them.
func (o *Order) Round(round int, jobs []*Job) (runs []Run) {
	jobs = slices.DeleteFunc(slices.Clone(jobs), (*Job).Over)
	if o.random != nil {
		o.random.Shuffle(len(jobs), func(i, k int) { jobs[i], jobs[k] = jobs[k], jobs[i] })
	}
	for _, j := range jobs {
		var some []Run
		for version, binary := range j.Versions {
			if binary != nil {
				some = append(some, Run{j, version})
			}
		}
		if o.random != nil {
			o.random.Shuffle(len(some), func(i, k int) { some[i], some[k] = some[k], some[i] })
		} else if n := len(some); n > 0 {
			some = slices.Concat(some[round%n:], some[:round%n])
		}
		runs = append(runs, some...)
	}
	return runs
}
