package bench

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/rounds"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// build compiles the test binaries and finds the benchmarks in them.
func (s *Session) build(ctx context.Context) error {
	defer s.show.doing("")
	s.show.doing("listing packages")
	packages, err := s.list(ctx)
	if err != nil {
		return s.interruptedOr(ctx, err)
	}
	if err := s.makeScratch(); err != nil {
		return err
	}
	var names []string
	for _, v := range s.report.Versions {
		names = append(names, v.Name)
	}
	s.data = stats.New(names...)
	which, err := gotest.ParsePattern(s.Bench)
	if err != nil {
		return err
	}
	last := len(s.trees) - 1
	var identical, there, broken []string
	for i, p := range packages[last] {
		s.show.doing(fmt.Sprintf("building %s (%d of %d packages)", p.ImportPath, i+1, len(packages[last])))
		binaries, err := s.compile(ctx, i, p, packages)
		if err != nil {
			return s.interruptedOr(ctx, err)
		}
		if s.VS != "" && binaries[0] != nil && same(binaries[0].Path, binaries[last].Path) {
			identical = append(identical, p.ImportPath)
		}
		names, ok, err := s.benchmarks(ctx, p, binaries)
		if err != nil {
			return s.interruptedOr(ctx, err)
		}
		if !ok {
			broken = append(broken, p.ImportPath)
			continue
		}
		there = append(there, names[last]...)
		s.jobs = append(s.jobs, rounds.Jobs(p.ImportPath, binaries, names, which)...)
	}
	if err := s.common(); err != nil {
		return err
	}
	if len(s.jobs) == 0 {
		return s.noBenchmarks(there, broken)
	}
	if len(identical) > 0 {
		s.note("The old and the new test binary of %s are the same, byte by byte: no difference that is found there is real.", some(identical, 5))
	}
	return nil
}

// interruptedOr returns why ctx has ended, if it has, or else err.
func (s *Session) interruptedOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// compile compiles the package with this index in each version that has it.
func (s *Session) compile(ctx context.Context, index int, p gotest.Package, packages [][]gotest.Package) ([]*gotest.Binary, error) {
	binaries := make([]*gotest.Binary, len(s.trees))
	for v, tree := range s.trees {
		if s.AA && v > 0 {
			binaries[v] = binaries[0]
			continue
		}
		at := slices.IndexFunc(packages[v], func(q gotest.Package) bool { return q.ImportPath == p.ImportPath })
		if at < 0 {
			s.note("%s has no package %s with tests: its benchmarks are only in the new version.", s.VS, p.ImportPath)
			continue
		}
		file := filepath.Join(s.scratch.Dir, fmt.Sprintf("%s-%d.test", s.report.Versions[v].Name, index))
		if os.PathSeparator == '\\' {
			file += ".exe"
		}
		if err := tree.Build(ctx, p, file); err != nil {
			var compile *gotest.CompileError
			if s.VS != "" && errors.As(err, &compile) {
				return nil, fmt.Errorf("in the %s version, %s: %w", s.report.Versions[v].Name, s.report.Versions[v].What, err)
			}
			return nil, err
		}
		dir := packages[v][at].Dir
		binaries[v] = &gotest.Binary{Path: file, Dir: dir, Env: environ(dir, s.report.Versions[v].goroot)}
	}
	return binaries, nil
}

// environ is what go test gives a test binary.
func environ(dir, goroot string) []string {
	return append(os.Environ(), "PWD="+dir, "GOROOT="+goroot,
		"PATH="+filepath.Join(goroot, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// benchmarks lists the benchmarks in the binaries. It is not ok if one does not start, which is a failure like that of
// a benchmark: other packages can still be measured.
func (s *Session) benchmarks(ctx context.Context, p gotest.Package, binaries []*gotest.Binary) (names [][]string, ok bool, err error) {
	names = make([][]string, len(binaries))
	for v, b := range binaries {
		if b == nil {
			continue
		}
		list, err := b.Benchmarks(ctx, s.Each.Limits)
		if ctx.Err() != nil {
			return nil, false, err
		}
		if err != nil {
			s.data.Fail(v, p.ImportPath, allOfThem, err.Error())
			s.show.trouble(fmt.Sprintf("%s, %s version: %v", p.ImportPath, s.report.Versions[v].Name, err))
			return nil, false, nil
		}
		names[v] = list
	}
	return names, true, nil
}

// allOfThem stands for the name of a benchmark where the test binary does not even start.
const allOfThem = "*"

// common says which benchmarks have no counterpart, and drops those that are gone.
func (s *Session) common() error {
	if s.VS == "" {
		return nil
	}
	var added, gone []string
	s.jobs = slices.DeleteFunc(s.jobs, func(j *rounds.Job) bool {
		switch {
		case j.Versions[1] == nil:
			gone = append(gone, j.String())
			return true
		case j.Versions[0] == nil:
			added = append(added, j.String())
		}
		return false
	})
	if len(gone) > 0 {
		s.note("Only in %s, and not measured: %s.", s.VS, some(gone, 10))
	}
	if len(added) > 0 {
		s.note("Only in the working tree, so compared with nothing: %s.", some(added, 10))
	}
	if len(s.jobs) > 0 && len(added) == len(s.jobs) {
		return fmt.Errorf("none of the benchmarks that -bench %q matches is in %s, so there is nothing to compare", s.Bench, s.VS)
	}
	return nil
}

// noBenchmarks is the error if none matches.
func (s *Session) noBenchmarks(there, broken []string) error {
	switch {
	case len(there) > 0:
		slices.Sort(there)
		return fmt.Errorf("no benchmark matches -bench %q; there are %s", s.Bench, some(slices.Compact(there), 20))
	case len(broken) > 0:
		return fmt.Errorf("the tests of %s do not start", strings.Join(broken, ", "))
	}
	return fmt.Errorf("%s: there are tests but no benchmarks, which are functions func BenchmarkX(b *testing.B)", patterns(s.Patterns))
}

// same reports whether the files have the same content.
func same(a, b string) bool {
	sum := func(name string) []byte {
		f, err := os.Open(name)
		if err != nil {
			return nil
		}
		defer f.Close()
		h := sha256.New()
		if _, err := io.Copy(h, f); err != nil {
			return nil
		}
		return h.Sum(nil)
	}
	x := sum(a)
	return x != nil && bytes.Equal(x, sum(b))
}
