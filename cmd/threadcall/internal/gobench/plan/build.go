package plan

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/overlay"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/report"
)

// A Benchmark is a top-level benchmark.
type Benchmark struct {
	Package string
	Name    string // of the function
	// for the flag -test.bench: it, and the sub-benchmarks that are wanted
	Pattern  string
	Binaries []*gotest.Binary // one a version; nil for one that does not have it
}

// String returns the package and the benchmark, as one writes them in Go.
func (b Benchmark) String() string { return b.Package + "." + b.Name }

// build compiles the test binaries of all packages, and finds the benchmarks in them.
func (p *Plan) build(ctx context.Context, packages [][]gotest.Package) error {
	which, err := gotest.ParsePattern(p.Set.Bench)
	if err != nil {
		return err
	}
	last := len(packages) - 1
	var there, broken, modules []string
	for i, pkg := range packages[last] {
		if pkg.Module != nil && !slices.Contains(modules, pkg.Module.Path) {
			modules = append(modules, pkg.Module.Path)
		}
		p.Log.Progress(fmt.Sprintf("building %s (%d of %d packages)", pkg.ImportPath, i+1,
			len(packages[last])))
		failed := len(p.Failures)
		binaries, names, err := p.compile(ctx, i, packages)
		if err != nil {
			return err
		}
		if len(p.Failures) > failed {
			broken = append(broken, pkg.ImportPath)
			continue
		}
		there = append(there, names[last]...)
		found := matching(pkg.ImportPath, binaries, names, which)
		if len(found) > 0 && identical(binaries) {
			p.Record.Identical = append(p.Record.Identical, pkg.ImportPath)
		} else {
			p.Benchmarks = append(p.Benchmarks, found...)
		}
	}
	p.Record.Module = strings.Join(modules, ", ")
	if len(p.Record.Identical) > 0 {
		p.Log.Notes = append(p.Log.Notes, fmt.Sprintf("Identical, not measured: the tests of %s, "+
			"byte by byte.", ui.Some(p.Record.Identical, 5)))
	}
	switch {
	case len(p.Benchmarks)+len(p.Record.Identical) > 0:
		return nil
	case len(broken) > 0:
		return fmt.Errorf("the tests of %s do not build, or do not start",
			strings.Join(broken, ", "))
	case len(there) > 0:
		slices.Sort(there)
		return fmt.Errorf("no benchmark matches -bench %q; there are %s", p.Set.Bench,
			ui.Some(slices.Compact(there), 20))
	}
	return fmt.Errorf("%s: there are tests but no benchmarks, which are functions func "+
		"BenchmarkX(b *testing.B)", cmp.Or(strings.Join(p.Set.Patterns, " "), "."))
}

// compile compiles the package with this index in each version that has it, and lists the
// benchmarks. If one does not compile or start, that is a failure like that of a benchmark: other
// packages can still be measured.
func (p *Plan) compile(ctx context.Context, index int,
	packages [][]gotest.Package) (binaries []*gotest.Binary, names [][]string, err error) {
	binaries, names = make([]*gotest.Binary, len(packages)), make([][]string, len(packages))
	name := packages[len(packages)-1][index].ImportPath
	for i, v := range p.Versions {
		pkg := packages[i][index]
		if pkg.ImportPath == "" {
			p.Log.Note("%s has no package %s with tests: its benchmarks are only in the new "+
				"version.", v.Short, name)
			continue
		}
		file := filepath.Join(p.Dir, fmt.Sprintf("%s-%d.test.exe", v.Name, index))
		err := v.Tree.Build(ctx, pkg, file, p.meter(v.Root)...)
		if err == nil {
			// The environment is the one that go test gives a test binary.
			path := filepath.Join(v.Root, "bin") + string(os.PathListSeparator) + os.Getenv("PATH")
			binaries[i] = &gotest.Binary{Package: pkg.ImportPath, Path: file, Dir: pkg.Dir,
				Env: append(os.Environ(), "PWD="+pkg.Dir, "GOROOT="+v.Root, "PATH="+path)}
			names[i], err = binaries[i].Benchmarks(ctx, p.Set.Timeout)
		}
		switch {
		case ctx.Err() != nil:
			return nil, nil, err
		case err != nil:
			p.Failures = append(p.Failures, report.Failure{Version: v.Name, Package: name,
				Reason: err.Error()})
			p.Log.Trouble(fmt.Sprintf("%s, %s version: %v", name, v.Name, err))
		}
	}
	return binaries, names, nil
}

// meter returns the flags of the go command with this GOROOT by which benchmarks report their CPU
// time, if that is possible.
func (p *Plan) meter(goroot string) []string {
	name, err := "", errors.New("GOFLAGS has an overlay of its own")
	if !strings.Contains(os.Getenv("GOFLAGS"), "-overlay") {
		dir := filepath.Join(p.Dir, "meter-"+url.QueryEscape(goroot))
		name, err = overlay.Testing(goroot, dir, meters)
	}
	if err != nil {
		p.Log.Note("CPU time is not measured: %v.", err)
		return nil
	}
	return []string{"-overlay", name}
}

// With these sources, a benchmark reports the CPU time of the process for the time that ns/op
// measures, and on Linux how many threads ran or were ready to run, on average. That separates
// waiting from waiting for a CPU: it is about 1 for a computation in one goroutine, on a loaded
// machine, too.
//
//go:embed testdata
var meters embed.FS

// matching returns the benchmarks of a package that match the pattern.
func matching(pkg string, binaries []*gotest.Binary, names [][]string,
	which gotest.Pattern) (found []Benchmark) {
	for _, name := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(names...)))) {
		pattern, ok := which.For(name)
		if !ok {
			continue
		}
		one := Benchmark{pkg, name, pattern, slices.Clone(binaries)}
		for version := range names {
			if !slices.Contains(names[version], name) {
				one.Binaries[version] = nil
			}
		}
		found = append(found, one)
	}
	return found
}

// identical reports whether the binary of the revision is the working tree's: they have the same
// content, and no files in testdata, which may differ.
func identical(binaries []*gotest.Binary) bool {
	if len(binaries) < 2 || binaries[0] == nil {
		return false
	}
	one, err1 := os.ReadFile(binaries[0].Path)
	other, err2 := os.ReadFile(binaries[1].Path)
	_, noData := os.Stat(filepath.Join(binaries[1].Dir, "testdata"))
	return err1 == nil && err2 == nil && bytes.Equal(one, other) && noData != nil
}
