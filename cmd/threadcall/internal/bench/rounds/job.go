// Package rounds runs benchmarks round by round: in each, every benchmark once, in an order that chance decides, and its
// versions one right after the other. What makes the machine slower for a while then meets all of them.
//
// Each benchmark runs in a process of its own, so that one which fails, panics, or leaves garbage behind does nothing to
// the others.
package rounds

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/pattern"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/process"
)

// A Binary is the compiled test binary of a package.
type Binary struct {
	Path string
	Dir  string   // where go test would run it: the directory of the package
	Env  []string // of the process
}

// A Job is a top-level benchmark.
type Job struct {
	Package   string
	Benchmark string    // as the function is called
	Pattern   string    // for the flag -test.bench: this benchmark, and the sub-benchmarks that are wanted
	Versions  []*Binary // nil for a version that does not have it
	skip      []string  // sub-benchmarks that have failed
	over      bool      // it failed altogether
}

// String returns the package and the benchmark, as one writes them in Go.
func (j *Job) String() string { return j.Package + "." + j.Benchmark }

// Over reports whether the job failed and will not run again.
func (j *Job) Over() bool { return j.over }

// Benchmarks returns the names of all top-level benchmarks in the binary.
func (b *Binary) Benchmarks(ctx context.Context) ([]string, error) {
	cmd := b.command(ctx, "-test.list=^Benchmark")
	out, err := cmd.CombinedOutput()
	process.End(cmd)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("the test binary does not even start: %w\n%s", err, decisive(string(out), 12))
	}
	var names []string
	for line := range strings.Lines(string(out)) {
		if name := strings.TrimSpace(line); isBenchmark.MatchString(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

var isBenchmark = regexp.MustCompile(`^Benchmark[\pL\pN_]*$`)

func (b *Binary) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := process.Command(ctx, b.Path, args...)
	cmd.Dir, cmd.Env = b.Dir, b.Env
	return cmd
}

// Jobs returns what there is to run: the benchmarks that the pattern means and that a version has. For each package,
// the binaries are those of the versions, and names what benchmarks each of those has.
func Jobs(pkg string, binaries []*Binary, names [][]string, p pattern.Pattern) (jobs []*Job) {
	seen := map[string]*Job{}
	for version, list := range names {
		for _, name := range list {
			its, ok := p.For(name)
			if !ok {
				continue
			}
			j := seen[name]
			if j == nil {
				j = &Job{Package: pkg, Benchmark: name, Pattern: its, Versions: make([]*Binary, len(binaries))}
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

// A Settings says how each process runs.
type Settings struct {
	Benchtime string        // as for go test; empty: a second
	CPU       string        // as for go test; empty: as many as there are
	Timeout   time.Duration // of a process; 0: none
	Short     bool
	Start     func(*exec.Cmd) error // nil: (*exec.Cmd).Start
}
