package allocs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/budget"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/hook"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// checks is what is known about promises before anything runs.
type checks struct {
	functions []budget.Compiled
	replace   overlayed // files of instrumented functions
}

// checks finds the promises, and compiles what has promised.
func (s Settings) checks(ctx context.Context, r *Report, b *builder, named, all []gotest.Package) (
	c checks, err error) {
	if r.Budget, err = budget.Find(named, all); err != nil {
		return c, err
	}
	var paths []string
	for _, p := range named {
		paths = append(paths, p.ImportPath)
	}
	exact := r.Budget.Packages()
	if r.Budget.Generic() {
		exact = b.asked
	}
	if c.functions, err = b.listings(ctx, paths, exact); err != nil {
		return c, err
	}
	b.asked = nil // the compiler has answered
	texts, err := r.Budget.Instrument(b.module + "/" + hook.Name)
	if err != nil {
		return c, err
	}
	c.replace = overlayed{}
	for name, text := range texts {
		by := filepath.Join(b.dir, fmt.Sprintf("%d.instrumented.go", len(c.replace)))
		if err := c.replace.add(name, by, text); err != nil {
			return c, err
		}
	}
	return c, nil
}

// calls is how many operations of a benchmark have to show which functions it calls, at least.
const calls = 100

// check runs the benchmarks of one package that did not fail, with instrumented functions.
func (s Settings) check(ctx context.Context, r *Report, b builder, c checks, p gotest.Package,
	number int) error {
	var runs []*Run
	for i := range r.Runs {
		if r.Runs[i].Package == p.ImportPath {
			runs = append(runs, &r.Runs[i])
		}
	}
	if runs == nil {
		return nil
	}
	s.Progress("compiling " + p.ImportPath + ", instrumented")
	bin, err := b.test(ctx, p, number, c.replace)
	if err != nil {
		return err
	}
	if err := s.look(ctx, r, bin, runs); err != nil {
		return err
	}
	for _, run := range runs {
		if !run.profile.ByChance(run.profile.Hidden) {
			if err := s.tiny(ctx, r, bin, run); err != nil {
				return err
			}
		}
	}
	return nil
}

// look learns which functions the benchmarks call, and with what: all in one process, or each in
// its own if that fails or limits make it matter which benchmark it is.
func (s Settings) look(ctx context.Context, r *Report, bin *binary, runs []*Run) error {
	if !r.Budget.Limited() {
		s.Progress("looking what the benchmarks of " + bin.pkg + " call")
		text, err := s.seen(ctx, bin, s.Bench, calls)
		r.Budget.Seen("", text)
		if err == nil {
			return nil
		}
	}
	for _, run := range runs {
		s.Progress("looking what " + bin.pkg + " " + run.Name + " calls")
		text, err := s.seen(ctx, bin, exactly(run.Name), max(calls, run.Operations[0]))
		if err != nil && !errors.As(err, new(*gotest.Failure)) {
			return err
		}
		r.Budget.Seen(run.Package+" "+run.Name, text)
	}
	return nil
}

// tiny measures a benchmark whose profile does not have all tiny objects.
func (s Settings) tiny(ctx context.Context, r *Report, bin *binary, run *Run) error {
	var all []heap.Samples
	for range 2 {
		m, err := s.difference(ctx, bin, run.Name, run.Operations[0], r.std)
		if err == nil {
			all = append(all, *m)
		} else if !errors.As(err, new(*gotest.Failure)) {
			return err
		}
	}
	r.Budget.Tiny(run.Package+" "+run.Name, all)
	return nil
}
