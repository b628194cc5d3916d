package allocs

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/tools/cover"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/budget"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// checks finds the promises, and compiles what has promised.
func (s Settings) checks(ctx context.Context, r *Report, b *builder, named, all []gotest.Package) (
	functions []budget.Compiled, err error) {
	if r.Budget, err = budget.Find(named, all); err != nil {
		return nil, err
	}
	if len(r.Budget.Functions) == 0 {
		return nil, nil
	}
	var paths []string
	for _, p := range named {
		paths = append(paths, p.ImportPath)
	}
	exact := r.Budget.Packages()
	if r.Budget.Generic {
		exact = b.asked
	}
	functions, err = b.listings(ctx, paths, exact)
	b.asked = nil // the compiler has answered
	return functions, err
}

// look learns which promising functions the benchmarks of a package call that did not fail.
func (s Settings) look(
	ctx context.Context, r *Report, b builder, p gotest.Package, number string,
) error {
	var patterns []string
	for _, run := range r.Runs {
		if run.Package == p.ImportPath {
			patterns = append(patterns, gotest.Exactly(run.Name))
		}
	}
	if patterns == nil {
		return nil
	}
	s.Progress("looking what the benchmarks of " + p.ImportPath + " call")
	bin, err := b.test(ctx, p, number+".cover", "-covermode=atomic",
		"-coverpkg="+strings.Join(r.Budget.Packages(), ","))
	if err != nil {
		return err
	}
	file := filepath.Join(b.dir, "calls")
	if _, err := s.run(ctx, bin, "-test.run=^$", "-test.bench="+strings.Join(patterns, "|"),
		"-test.coverprofile="+file,
		fmt.Sprintf("-test.benchtime=%dx", max(100, s.Operations))); err != nil {
		return r.failed(p.ImportPath, "", err)
	}
	profiles, err := cover.ParseProfiles(file)
	r.Budget.Covered(profiles)
	return err
}
