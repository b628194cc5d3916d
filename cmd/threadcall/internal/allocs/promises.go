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
func (s *session) checks(ctx context.Context, all []gotest.Package) (functions []budget.Compiled,
	err error) {
	if s.check, err = budget.Find(s.named, all); err != nil || len(s.check.Functions) == 0 {
		return nil, err
	}
	var paths []string
	for _, p := range s.named {
		paths = append(paths, p.ImportPath)
	}
	exact := s.check.Packages()
	if s.check.Generic {
		exact = s.asked
	}
	functions, err = s.listings(ctx, paths, exact)
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
	if _, err := s.run(ctx, bin, "-test.run=^$", "-test.bench="+strings.Join(patterns, "|"),
		"-test.coverprofile="+file,
		fmt.Sprintf("-test.benchtime=%dx", max(100, s.Benchtime.N))); err != nil {
		return s.failed(p.ImportPath, "", err)
	}
	profiles, err := cover.ParseProfiles(file)
	s.check.Covered(profiles)
	return err
}
