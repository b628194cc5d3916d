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

// build compiles the test binaries of packages, and finds the benchmarks in them.
func (p *Plan) build(ctx context.Context, packages []gotest.Package) error {
	which, err := gotest.ParsePattern(p.Set.Bench)
	if err != nil {
		return err
	}
	var there, broken, modules []string
	for i, pkg := range packages {
		if pkg.Module != nil && !slices.Contains(modules, pkg.Module.Path) {
			modules = append(modules, pkg.Module.Path)
		}
		p.Progress(fmt.Sprintf("building %s (%d of %d packages)", pkg.ImportPath, i+1, len(packages)))
		failed := len(p.Failures)
		found, names, err := p.compile(ctx, i, pkg.ImportPath, which)
		switch {
		case err != nil:
			return err
		case len(p.Failures) > failed:
			broken = append(broken, pkg.ImportPath)
			continue
		case len(found) > 0 && identical(found[0].Binaries):
			p.Record.Identical = append(p.Record.Identical, pkg.ImportPath)
		default:
			p.Benchmarks = append(p.Benchmarks, found...)
		}
		there = append(there, names...)
	}
	p.Record.Module = strings.Join(modules, ", ")
	if same := p.Record.Identical; len(same) > 0 {
		p.Record.Notes = append(p.Record.Notes, fmt.Sprintf("Identical, not measured: the tests of %s, "+
			"byte by byte.", ui.Some(same, 5)))
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

// compile compiles the tests of a package in each version that has it, and returns the benchmarks
// that match, and the names of all that the newest version has. If one does not compile or start,
// that is a failure like that of a benchmark: other packages can still be measured.
func (p *Plan) compile(ctx context.Context, number int, path string, which gotest.Pattern) (
	found []Benchmark, names []string, err error) {
	for i, v := range p.Versions {
		pkg, ok := v.packages[path]
		if !ok {
			p.Note("%s has no package %s with tests: its benchmarks are only in the new version.",
				v.Short, path)
			continue
		}
		binary, err := v.Tree.Build(ctx, pkg, filepath.Join(p.Dir, fmt.Sprintf("%s-%d.test.exe",
			v.Name, number)), p.meter(v.Tree.Root)...)
		if err == nil {
			names, err = binary.Benchmarks(ctx, p.Set.Timeout)
		}
		switch {
		case ctx.Err() != nil:
			return nil, nil, err
		case err != nil:
			p.Failures = append(p.Failures, report.Failure{Version: v.Name, Package: path,
				Reason: err.Error()})
			p.Trouble(fmt.Sprintf("%s, %s version: %v", path, v.Name, err))
			continue
		}
		for _, name := range names {
			pattern, ok := which.For(name)
			if !ok {
				continue
			}
			at := slices.IndexFunc(found, func(b Benchmark) bool { return b.Name == name })
			if at < 0 {
				at = len(found)
				found = append(found, Benchmark{path, name, pattern,
					make([]*gotest.Binary, len(p.Versions))})
			}
			found[at].Binaries[i] = binary
		}
	}
	return found, names, nil
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
		p.Note("CPU time is not measured: %v.", err)
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

// identical reports whether the binary of the revision is the working tree's: they have the same
// content, and no files in testdata, which may differ.
func identical(binaries []*gotest.Binary) bool {
	if len(binaries) < 2 || slices.Contains(binaries, nil) {
		return false
	}
	one, err1 := os.ReadFile(binaries[0].Path)
	other, err2 := os.ReadFile(binaries[1].Path)
	_, noData := os.Stat(filepath.Join(binaries[1].Dir, "testdata"))
	return err1 == nil && err2 == nil && bytes.Equal(one, other) && noData != nil
}
