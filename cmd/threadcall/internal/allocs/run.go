package allocs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// Settings have what to run.
type Settings struct {
	Packages []string // patterns, as for the go command
	Dir      string   // where to run the go command; empty: here
	Tags     string

	Procs   int // GOMAXPROCS
	Timeout time.Duration

	Bench      string        // benchmarks to run, as go test has it; empty for none
	Tests      string        // tests to run together; empty for none
	Operations int           // of the shorter run of a benchmark; zero to choose
	Duration   time.Duration // what the shorter run may take, if Operations is zero
	Count      int           // how often to run the tests
	Budget     bool          // check promises, too
	Race       bool          // with the race detector
	Args       []string      // for the test binaries, after all others

	Progress func(string) // called with what is being done; never nil

	base *gotest.Tree // the source, if it is not in Dir as the environment has it
}

// The limits of what is chosen for Operations. With one operation the testing package would do without the round that
// it otherwise begins with, and the two runs could not be compared.
const (
	fewest = 2
	most   = 1000
	enough = 10 // for one object an operation to be more than chance
)

// Run compiles and runs what the settings select. Failures of single benchmarks and tests are in the report; an error is
// one because of which there is none.
func (s Settings) Run(ctx context.Context) (*Report, error) {
	which, err := gotest.ParsePattern(s.Bench)
	if err != nil {
		return nil, err
	}
	named, all, err := s.tree().ListDeps(ctx, s.Packages...)
	if err != nil {
		return nil, err
	}
	scratch, err := gotest.NewScratch()
	if err != nil {
		return nil, err
	}
	defer scratch.Remove()
	s, moves, err := s.copies(ctx, named, scratch.Dir)
	if err != nil {
		return nil, err
	}
	if moves != nil {
		if named, all, err = s.tree().ListDeps(ctx, s.Packages...); err != nil {
			return nil, err
		}
	}
	b := s.builder(scratch.Dir, asked(all))
	r := &Report{Asked: b.asked}
	var checks checks
	if s.Budget {
		s.Progress("compiling what has promised")
		if checks, err = s.checks(ctx, r, &b, named, all); err != nil {
			return nil, err
		}
	}
	std := standard(all)
	var known []string // benchmarks, those that do not match as well
	for i, p := range named {
		if !p.HasTests() {
			if !s.Budget {
				r.Notes = append(r.Notes, p.ImportPath+" has no tests")
			}
			continue
		}
		if s.Tests == "" && !p.HasBenchmarks() {
			continue
		}
		if ctx.Err() != nil {
			break
		}
		s.Progress("compiling " + p.ImportPath)
		bin, err := b.test(ctx, p, i)
		if errors.Is(err, errTestMain) {
			r.Failures = append(r.Failures, Failure{Package: p.ImportPath, Problem: err.Error()})
			continue
		}
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return nil, err
		}
		r.Packages = append(r.Packages, p.ImportPath)
		if s.Bench != "" {
			names, err := s.benchmarks(ctx, r, bin, which, std)
			if ctx.Err() != nil {
				break
			}
			if err != nil {
				return nil, err
			}
			if r.Budget != nil {
				if err := s.check(ctx, r, b, checks, p, i, bin); ctx.Err() != nil {
					break
				} else if err != nil {
					return nil, err
				}
			}
			known = append(known, names...)
		}
		if s.Tests != "" {
			if err := s.tests(ctx, r, bin, std); err != nil && ctx.Err() == nil {
				return nil, err
			}
		}
	}
	if ctx.Err() != nil {
		if s.Budget || len(r.Runs) == 0 {
			return nil, context.Cause(ctx)
		}
		r.Failures = append(r.Failures, Failure{Problem: "interrupted; what had not run yet is missing"})
	}
	if len(r.Runs) == 0 && len(r.Failures) == 0 && r.Budget == nil {
		return nil, fmt.Errorf("%w%w", errNothing, s.nothingRan(which, known, r.Notes))
	}
	r.join(joiner{log: b.log, std: std})
	if r.Budget != nil {
		for _, run := range r.Runs {
			r.Budget.Benchmark(run.Package+" "+run.Name, run.repetitions)
		}
		err = r.Budget.Code(checks.functions, b.log)
	}
	r.moveFiles(moves)
	return r, err
}

// errNothing means that there was nothing to run. It adds nothing to the text of an error.
var errNothing = errors.New("")

func (s Settings) nothingRan(which gotest.Pattern, known, notes []string) error {
	matches := slices.ContainsFunc(known, func(name string) bool {
		_, ok := which.For(name)
		return ok
	})
	switch {
	case matches:
		return fmt.Errorf("nothing to measure: the benchmarks that match %q are skipped, or have no sub-benchmarks that match", s.Bench)
	case len(known) > 0:
		return fmt.Errorf("no benchmark matches %q; there are %s", s.Bench, strings.Join(known, ", "))
	case len(notes) > 0:
		return fmt.Errorf("nothing to run: %s", strings.Join(notes, ", "))
	}
	return errors.New("nothing to run: the packages have no benchmarks; -run . runs their tests")
}

// join makes the rows of all runs.
func (r *Report) join(j joiner) {
	j.asked = map[string]bool{}
	for _, p := range r.Asked {
		j.asked[p] = true
	}
	for i := range r.Runs {
		run := &r.Runs[i]
		run.Rows = j.rows(run.profile, run.PerOp)
		run.Counted, run.Outside = run.profile.Counted, run.profile.Outside
		run.Seconds, run.Procs, run.GCs = run.profile.Seconds, run.profile.Program.Procs, run.profile.Program.Collections
		for _, row := range run.Rows {
			run.Total, run.Once = run.Total.Plus(row.Amount), run.Once.Plus(row.Once)
		}
		run.countTiny()
		run.account()
		r.Go = run.profile.Program.Go
	}
}

// standard returns a function that reports which packages are of the standard library, and not among those that are tested.
func standard(all []gotest.Package) func(path string) bool {
	std := map[string]bool{}
	for _, p := range all {
		std[p.ImportPath] = p.Standard && p.DepOnly
	}
	return func(path string) bool {
		is, known := std[strings.TrimSuffix(path, "_test")]
		return is || !known && looksStandard(path)
	}
}

// benchmarks runs those of one package that match, each in processes of its own, and returns the names of all.
func (s Settings) benchmarks(ctx context.Context, r *Report, bin *binary, which gotest.Pattern, std func(string) bool) (known []string, err error) {
	path := bin.pkg
	failed := func(name string, err error) error {
		var f *gotest.Failure
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(err, &f):
			// Testing may print figures of a benchmark that panics, so that it is tried again.
			if !slices.ContainsFunc(r.Failures, func(o Failure) bool { return o.Package == path && o.Name == name }) {
				r.Failures = append(r.Failures, Failure{path, name, summary(f), f.Output})
			}
			return nil
		}
		return fmt.Errorf("%s: %s: %w", path, name, err)
	}
	known, err = bin.Benchmarks(ctx, s.limit())
	if err != nil {
		return nil, failed("", err)
	}
	for _, name := range known {
		its, ok := which.For(name)
		if !ok {
			continue
		}
		s.Progress(path + " " + name)
		found, err := s.try(ctx, bin, its)
		if err != nil {
			if err := failed(name, err); err != nil {
				return nil, err
			}
			if len(found) == 0 {
				continue
			}
		}
		for _, b := range found {
			run, err := s.measure(ctx, r, bin, b, std)
			if err == nil {
				r.Runs = append(r.Runs, *run)
			} else if err := failed(b.name, err); err != nil {
				return nil, err
			}
		}
	}
	return known, nil
}

// operations returns how many of the given time the shorter run makes.
func (s Settings) operations(each time.Duration) int {
	least := fewest
	if s.Budget {
		least = enough
	}
	if s.Operations > 0 {
		return max(s.Operations, least)
	}
	return min(max(int(s.Duration/max(each, 1)), least), most)
}

// tests runs those of one package that match in one process.
func (s Settings) tests(ctx context.Context, r *Report, bin *binary, std func(string) bool) error {
	path := bin.pkg
	s.Progress(path + " tests")
	p, err := s.profile(ctx, bin, "-test.run="+s.Tests, "-test.count="+strconv.Itoa(s.Count))
	var f *gotest.Failure
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &f):
		r.Failures = append(r.Failures, Failure{path, "", summary(f), f.Output})
	case err != nil:
		return err
	}
	if p != nil {
		r.Runs = append(r.Runs, Run{Package: path, Name: "tests", profile: heap.Total(p, std)})
	}
	return nil
}

// summary returns the problem in one line.
func summary(f *gotest.Failure) string { return strings.ReplaceAll(f.Problem, "\n", "; ") }
