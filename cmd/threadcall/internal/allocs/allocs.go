// Package allocs finds what allocates: where, how much for each operation, and the compiler's
// reason. build.go compiles tests with package hook, measure.go runs them, rows.go joins what they
// allocated with the compiler's log; promises.go checks what package budget finds, and text.go
// writes all reports.
package allocs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/budget"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// Settings have what to run.
type Settings struct {
	Packages []string // patterns, as for the go command
	Dir      string   // where to run the go command; empty: here
	Procs    int      // GOMAXPROCS

	Bench      string        // benchmarks to run, as go test has it
	Operations int           // of the shorter run of a benchmark; zero to choose
	Duration   time.Duration // what the shorter run may take, if Operations is zero
	Budget     bool          // check promises, too

	Progress func(string) // called with what is being done; never nil
}

// Run compiles and runs what the settings select. Failures of single benchmarks are in the report;
// an error is one because of which there is none, or says why it does not have all.
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
	b, err := s.builder(ctx, scratch.Dir, named, all)
	if err != nil {
		return nil, err
	}
	r := &Report{Asked: b.asked}
	var functions []budget.Compiled
	if s.Budget {
		s.Progress("compiling what has promised")
		if functions, err = s.checks(ctx, r, &b, named, all); err != nil {
			return nil, err
		}
		if len(r.Budget.Functions) == 0 {
			return r, nil
		}
	}
	var stopped error
	var known []string // benchmarks, those that do not match as well
	for i, p := range named {
		if !p.HasBenchmarks() {
			continue
		}
		names, err := s.runPackage(ctx, r, b, p, fmt.Sprint(i), which)
		if ctx.Err() != nil {
			if stopped = context.Cause(ctx); len(r.Runs) == 0 || s.Budget {
				return nil, stopped // promises are judged by all benchmarks
			}
			break
		}
		if err != nil {
			return nil, err
		}
		known = append(known, names...)
	}
	if len(r.Runs) == 0 && len(r.Failures) == 0 && r.Budget == nil {
		if len(known) > 0 {
			return nil, fmt.Errorf("no benchmark matches %q, or those are skipped; there are %s", s.Bench,
				strings.Join(known, ", "))
		}
		return nil, errors.New("nothing to run: the packages have no benchmarks")
	}
	r.join(b.log)
	if r.Budget != nil {
		for _, run := range r.Runs {
			r.Budget.Benchmark(run.Package+" "+run.Name, run.repetitions)
		}
		r.Budget.Code(functions, b.log)
	}
	return r, stopped
}

// runPackage compiles the tests of one package and runs its benchmarks. It returns the names of
// all of these.
func (s Settings) runPackage(ctx context.Context, r *Report, b builder, p gotest.Package,
	number string, which gotest.Pattern) (known []string, err error) {
	s.Progress("compiling " + p.ImportPath)
	bin, err := b.test(ctx, p, number)
	if err != nil {
		return nil, err
	}
	r.Packages = append(r.Packages, p.ImportPath)
	if known, err = s.benchmarks(ctx, r, bin, which); err != nil {
		return nil, err
	}
	if r.Budget != nil {
		err = s.look(ctx, r, b, p, number)
	}
	return known, err
}

// failed adds a benchmark, or a package, to the failures, once, if the error is one of
// its process, and returns other errors.
func (r *Report) failed(pkg, name string, err error) error {
	var f *gotest.Failure
	if !errors.As(err, &f) {
		return fmt.Errorf("%s: %s: %w", pkg, name, err)
	}
	// Testing may print figures of a benchmark that panics, so that it is tried again.
	if !slices.ContainsFunc(r.Failures, func(o Failure) bool {
		return o.Package == pkg && o.Name == name
	}) {
		problem := strings.ReplaceAll(f.Problem, "\n", "; ")
		r.Failures = append(r.Failures, Failure{pkg, name, problem, f.Output})
	}
	return nil
}

// benchmarks runs those of one package that match, each in processes of its own, and returns the
// names of all.
func (s Settings) benchmarks(ctx context.Context, r *Report, bin *binary, which gotest.Pattern) (
	known []string, err error) {
	known, err = bin.Benchmarks(ctx, timeout)
	if err != nil {
		return nil, r.failed(bin.pkg, "", err)
	}
	for _, name := range known {
		its, ok := which.For(name)
		if !ok {
			continue
		}
		s.Progress(bin.pkg + " " + name)
		found, err := s.try(ctx, bin, its, 1)
		if err != nil {
			if err := r.failed(bin.pkg, name, err); err != nil {
				return nil, err
			}
		}
		for _, b := range found {
			run, err := s.measure(ctx, r, bin, b)
			if err == nil {
				r.Runs = append(r.Runs, *run)
			} else if err := r.failed(bin.pkg, b.name, err); err != nil {
				return nil, err
			}
		}
	}
	return known, nil
}
