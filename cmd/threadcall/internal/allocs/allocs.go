// Package allocs finds what allocates: where, how much for each operation, and the compiler's
// reason. measure.go compiles tests with a hook and runs them, rows.go joins what they
// allocated with the compiler's log, and text.go writes all reports.
package allocs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/cover"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/budget"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/escape"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/report"
	"github.com/threadcall/threadcall/cmd/threadcall/report/alloc"
)

// Settings have what to run.
type Settings struct {
	Packages []string // patterns, as for the go command
	Dir      string   // where to run the go command; empty: here
	Procs    int      // GOMAXPROCS

	Bench     string           // benchmarks to run, as go test has it
	Benchtime report.Benchtime // of the shorter run of a benchmark
	Budget    bool             // check promises, too

	Progress func(string) // called with what is being done; never nil
}

// A session is one run.
type session struct {
	Settings
	builder
	which    gotest.Pattern
	named    []gotest.Package
	report   *alloc.Report
	check    *budget.Check    // promises, or nil
	measured [][]heap.Samples // the repetitions of each of the report's runs
}

// Run compiles and runs what the settings select. Failures of single benchmarks are in the report;
// an error is one because of which there is none, or says why it does not have all.
func (set Settings) Run(ctx context.Context) (*alloc.Report, error) {
	s := &session{Settings: set, report: &alloc.Report{}}
	var err error
	if s.which, err = gotest.ParsePattern(s.Bench); err != nil {
		return nil, err
	}
	// These flags are stronger than GOFLAGS: files must have the same paths in stacks, in what the
	// compiler logs, and in what the go command lists.
	tree := gotest.Tree{Dir: s.Settings.Dir, Flags: []string{"-trimpath=false"}}
	var all []gotest.Package
	if s.named, all, err = tree.ListDeps(ctx, s.Packages...); err != nil {
		return nil, err
	}
	scratch, err := gotest.NewScratch()
	if err != nil {
		return nil, err
	}
	defer scratch.Remove()
	s.builder = builder{Tree: tree, dir: scratch.Dir, log: escape.New()}
	if err := s.prepare(ctx, s.named, all); err != nil {
		return nil, err
	}
	r := s.report
	r.Asked = s.asked
	var functions []budget.Compiled
	if s.Budget {
		s.Progress("compiling what has promised")
		if functions, err = s.checks(ctx, all); err != nil {
			return nil, err
		}
		if r.Budget = &s.check.Budget; len(r.Budget.Functions) == 0 {
			return r, nil
		}
	}
	var stopped error
	var known []string // benchmarks, those that do not match as well
	for i, p := range s.named {
		if !p.HasBenchmarks() {
			continue
		}
		names, err := s.runPackage(ctx, p, fmt.Sprint(i))
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
	for i := range r.Runs {
		s.join(&r.Runs[i], s.measured[i])
	}
	if s.check != nil {
		s.check.Code(functions, s.log)
	}
	return r, stopped
}

// runPackage compiles the tests of one package and runs its benchmarks. It returns the names of
// all of these.
func (s *session) runPackage(ctx context.Context, p gotest.Package, number string) (known []string,
	err error) {
	s.Progress("compiling " + p.ImportPath)
	bin, err := s.test(ctx, p, number)
	if err != nil {
		return nil, err
	}
	s.report.Packages = append(s.report.Packages, p.ImportPath)
	if known, err = s.benchmarks(ctx, bin); err == nil && s.check != nil {
		err = s.look(ctx, p, number)
	}
	return known, err
}

// failed adds a benchmark, or a package, to the failures, once, if the error is one of its process.
// It returns other errors, and nil for none.
func (s *session) failed(pkg, benchmark string, err error) error {
	f := &report.Failure{}
	if err == nil {
		return nil
	} else if !errors.As(err, &f) {
		return fmt.Errorf("%s: %s: %w", pkg, benchmark, err)
	}
	f.Package, f.Name = pkg, strings.TrimPrefix(benchmark, "Benchmark")
	f.Reason = strings.ReplaceAll(f.Reason, "\n", "; ")
	// Testing may print figures of a benchmark that panics, so that it is tried again.
	same := func(o report.Failure) bool { return o.Of() == f.Of() }
	if all := &s.report.Failures; !slices.ContainsFunc(*all, same) {
		*all = append(*all, *f)
	}
	return nil
}

// benchmarks runs those of one package that match, each in processes of its own, and returns the
// names of all.
func (s *session) benchmarks(ctx context.Context, bin *gotest.Binary) (known []string, err error) {
	known, err = bin.Benchmarks(ctx, timeout)
	if err != nil {
		return nil, s.failed(bin.Package, "", err)
	}
	for _, name := range known {
		its, ok := s.which.For(name)
		if !ok {
			continue
		}
		s.Progress(bin.Package + " " + name)
		found, err := s.try(ctx, bin, its)
		if err := s.failed(bin.Package, name, err); err != nil {
			return nil, err
		}
		for _, b := range found {
			if err := s.failed(bin.Package, b.name, s.measure(ctx, bin, b)); err != nil {
				return nil, err
			}
		}
	}
	return known, nil
}

// checks finds the promises, and compiles what has promised.
func (s *session) checks(ctx context.Context, all []gotest.Package) (functions []budget.Compiled,
	err error) {
	if s.check, err = budget.Find(s.named, all); err != nil || len(s.check.Functions) == 0 {
		return nil, err
	}
	exact := s.check.Packages()
	if s.check.Generic {
		exact = s.asked
	}
	functions, err = s.listings(ctx, s.named, exact)
	s.asked = nil // the compiler has answered
	return functions, err
}

// look learns which promising functions the benchmarks of a package call that did not fail.
func (s *session) look(ctx context.Context, p gotest.Package, number string) error {
	var patterns []string
	for _, run := range s.report.Runs {
		if run.Package == p.ImportPath {
			patterns = append(patterns, gotest.Exactly(run.Name))
		}
	}
	if patterns == nil {
		return nil
	}
	s.Progress("looking what the benchmarks of " + p.ImportPath + " call")
	bin, err := s.test(ctx, p, number+".cover", "-covermode=atomic",
		"-coverpkg="+strings.Join(s.check.Packages(), ","))
	if err != nil {
		return err
	}
	file := filepath.Join(s.dir, "calls")
	if _, err := s.run(ctx, bin, nil, "-test.bench="+strings.Join(patterns, "|"),
		"-test.coverprofile="+file,
		fmt.Sprintf("-test.benchtime=%dx", max(100, s.Benchtime.N))); err != nil {
		return s.failed(p.ImportPath, "", err)
	}
	profiles, err := cover.ParseProfiles(file)
	s.check.Covered(profiles)
	return err
}
