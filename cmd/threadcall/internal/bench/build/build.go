// Package build compiles the test binaries of all versions, and finds the benchmarks in them.
package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/meter"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/rounds"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// All is in place of the name of a benchmark where the test binary does not even start.
const All = "*"

// A Builder compiles the test binaries and finds the benchmarks in them.
type Builder struct {
	Set      *plan.Settings
	Versions *plan.Versions
	Dir      string // for the binaries
	Log      *plan.Log

	meters   map[string][]string // flags of the go command, by GOROOT
	layouter *layouter           // nil without layouts

	Jobs      []*rounds.Job // the benchmarks to measure
	Identical []string      // packages whose benchmarks are not measured
	Data      *stats.Data   // with the failures of packages that do not build or start
}

// Build builds all packages.
func (b *Builder) Build(ctx context.Context) error {
	defer b.Log.Progress("")
	if b.Set.Layouts > 0 {
		b.layouter = newLayouter()
	}
	b.Log.Progress("listing packages")
	packages, err := b.Versions.Packages(ctx, b.Set.Patterns, b.Set.Tests != "")
	if err != nil {
		return err
	}
	var versions []string
	for _, v := range b.Versions.List {
		versions = append(versions, v.Name)
	}
	b.Data = stats.New(versions...)
	which, err := gotest.ParsePattern(b.Set.Bench)
	if err != nil {
		return err
	}
	last := len(packages) - 1
	var there, broken []string
	identical := 0
	for i, p := range packages[last] {
		b.Log.Progress(fmt.Sprintf("building %s (%d of %d packages)", p.ImportPath, i+1, len(packages[last])))
		binaries, ok, err := b.compile(ctx, i, packages)
		if err != nil {
			return err
		}
		var names [][]string
		if ok {
			names, ok, err = b.benchmarks(ctx, p, binaries)
		}
		if err != nil {
			return err
		}
		if !ok {
			broken = append(broken, p.ImportPath)
			continue
		}
		there = append(there, names[last]...)
		jobs := rounds.Jobs(p.ImportPath, binaries, names, which)
		others := b.identicalTo(binaries)
		switch {
		case len(jobs) == 0 || len(others) == 0:
		case len(others) < len(b.Set.VS):
			b.Log.Note("The test binaries of %s in %s and in the working tree are the same, byte by byte: no difference that is found there is real.",
				p.ImportPath, strings.Join(others, ", "))
		default:
			identical += len(jobs)
			b.Identical = append(b.Identical, p.ImportPath)
			continue
		}
		if len(jobs) > 0 && b.layouter != nil && b.Set.Bisect == "" {
			if err := b.layouts(ctx, p, binaries, jobs); err != nil {
				return err
			}
		}
		b.Jobs = append(b.Jobs, jobs...)
	}
	if len(b.Set.VS) > 0 && b.Set.Bisect == "" {
		b.Jobs, _ = Common(b.Jobs, b.Set.VS, b.Log)
	}
	if identical > 0 {
		b.Log.Note("Identical, not measured: the test %s of %s, byte by byte, and %s.",
			pick(len(b.Identical), "binary", "binaries"), ui.Some(b.Identical, 5), pick(len(b.Identical), "its testdata", "their testdata"))
	}
	switch {
	case len(b.Jobs)+identical > 0:
		return nil
	case len(broken) > 0:
		return fmt.Errorf("the tests of %s do not build, or do not start", strings.Join(broken, ", "))
	case len(there) > 0:
		slices.Sort(there)
		return fmt.Errorf("no benchmark matches -bench %q; there are %s", b.Set.Bench, ui.Some(slices.Compact(there), 20))
	}
	return fmt.Errorf("%s: there are tests but no benchmarks, which are functions func BenchmarkX(b *testing.B)", plan.Named(b.Set.Patterns))
}

func pick(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// compile compiles the package with this index in each version that has it. It is not ok if the compiler complains, which
// is a failure like that of a benchmark: other packages can still be measured.
func (b *Builder) compile(ctx context.Context, index int, packages [][]gotest.Package) (binaries []*gotest.Binary, ok bool, err error) {
	binaries = make([]*gotest.Binary, len(packages))
	name := packages[len(packages)-1][index].ImportPath
	ok = true
	for v, tree := range b.Versions.Trees {
		if b.Set.AA && v > 0 {
			binaries[v] = binaries[0]
			continue
		}
		version, p := b.Versions.List[v], packages[v][index]
		if p.ImportPath == "" {
			b.Log.Note("%s has no package %s with tests: its benchmarks are only in the new version.", b.Set.VS[v], name)
			continue
		}
		binaries[v], err = b.CompileTo(ctx, filepath.Join(b.Dir, fmt.Sprintf("%s-%d.test", version.Name, index)), tree, p, version)
		var compile *gotest.CompileError
		switch {
		case errors.As(err, &compile):
			ok = false
			reason := compile.Error()
			if v < len(b.Set.VS) && b.Set.Tests != "" {
				reason = fmt.Sprintf("the working tree's tests do not compile with the code of %s, which -tests new asks for:\n%s", b.Set.VS[v], compile.Output)
			}
			b.broken(v, name, reason)
			continue
		case err != nil:
			return nil, false, err
		}
	}
	return binaries, ok, nil
}

// CompileTo compiles a package of a version to the file, the name of which may get an ending.
func (b *Builder) CompileTo(ctx context.Context, file string, tree gotest.Tree, p gotest.Package, version plan.Version) (*gotest.Binary, error) {
	if os.PathSeparator == '\\' {
		file += ".exe"
	}
	flags := b.meter(version)
	if err := tree.Build(ctx, p, file, flags...); err != nil {
		return nil, err
	}
	binary := &gotest.Binary{Path: file, Dir: p.Dir, Env: environ(p.Dir, version.GOROOT)}
	if b.layouter != nil {
		b.layouter.sources[binary] = source{tree, p, flags}
	}
	return binary, nil
}

// broken keeps why a package cannot be measured.
func (b *Builder) broken(version int, pkg, reason string) {
	b.Data.Fail(version, pkg, All, reason)
	b.Log.Trouble(fmt.Sprintf("%s, %s version: %s", pkg, b.Versions.List[version].Name, reason))
}

// meter returns the flags by which benchmarks report their CPU time, if that is possible.
func (b *Builder) meter(v plan.Version) []string {
	flags, ok := b.meters[v.GOROOT]
	if ok {
		return flags
	}
	name, err := "", errors.New("GOFLAGS has an overlay of its own")
	if !strings.Contains(os.Getenv("GOFLAGS"), "-overlay") {
		dir := filepath.Join(b.Dir, "meter-"+v.Name)
		if err = os.Mkdir(dir, 0o700); err == nil {
			name, err = meter.Overlay(v.GOROOT, dir)
		}
	}
	if err == nil {
		flags = []string{"-overlay", name}
	} else {
		b.Log.Note("CPU time is not measured: %v.", err)
	}
	if b.meters == nil {
		b.meters = map[string][]string{}
	}
	b.meters[v.GOROOT] = flags
	return flags
}

// environ is what go test gives a test binary.
func environ(dir, root string) []string {
	return append(os.Environ(), "PWD="+dir, "GOROOT="+root,
		"PATH="+filepath.Join(root, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// benchmarks lists the benchmarks in the binaries. It is not ok if one does not start, which is a failure like that of
// a benchmark: other packages can still be measured.
func (b *Builder) benchmarks(ctx context.Context, p gotest.Package, binaries []*gotest.Binary) (names [][]string, ok bool, err error) {
	names = make([][]string, len(binaries))
	for v, binary := range binaries {
		if binary == nil {
			continue
		}
		names[v], err = binary.Benchmarks(ctx, b.Set.Each.Timeout)
		if ctx.Err() != nil {
			return nil, false, err
		}
		if err != nil {
			b.broken(v, p.ImportPath, err.Error())
			return nil, false, nil
		}
	}
	return names, true, nil
}

// Common drops the benchmarks that only old versions have, and returns the names of those that an old version does not have.
func Common(jobs []*rounds.Job, vs []string, log *plan.Log) (kept []*rounds.Job, added [][]string) {
	var gone []string
	added = make([][]string, len(vs))
	kept = slices.DeleteFunc(jobs, func(j *rounds.Job) bool {
		if j.Versions[len(vs)] == nil {
			gone = append(gone, j.String())
		}
		return j.Versions[len(vs)] == nil
	})
	for _, j := range kept {
		for v := range vs {
			if j.Versions[v] == nil {
				added[v] = append(added[v], j.String())
			}
		}
	}
	if len(gone) > 0 {
		log.Note("Only in %s, and not measured: %s.", strings.Join(vs, " or "), ui.Some(gone, 10))
	}
	return kept, added
}

// identicalTo returns the revisions whose binary is the same as the working tree's.
func (b *Builder) identicalTo(binaries []*gotest.Binary) (revisions []string) {
	if b.Set.Bisect != "" {
		return nil
	}
	for v, rev := range b.Set.VS {
		if binaries[v] != nil && Same(binaries[v], binaries[len(binaries)-1]) {
			revisions = append(revisions, rev)
		}
	}
	return revisions
}

// Same reports whether two binaries have the same content, and find the same files in testdata.
func Same(a, b *gotest.Binary) bool {
	return sameFiles(a.Path, b.Path) && sameFiles(filepath.Join(a.Dir, "testdata"), filepath.Join(b.Dir, "testdata"))
}

// sameFiles compares files, or all files in directories. What is not there is the same as what is not there.
func sameFiles(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	switch {
	case err1 != nil || err2 != nil:
		return errors.Is(err1, fs.ErrNotExist) && errors.Is(err2, fs.ErrNotExist)
	case !x.IsDir() || !y.IsDir():
		if x.IsDir() != y.IsDir() || x.Size() != y.Size() {
			return false
		}
		one, err1 := os.ReadFile(a)
		other, err2 := os.ReadFile(b)
		return err1 == nil && err2 == nil && bytes.Equal(one, other)
	}
	ones, err1 := os.ReadDir(a)
	others, err2 := os.ReadDir(b)
	if err1 != nil || err2 != nil || len(ones) != len(others) {
		return false
	}
	for i, e := range ones {
		if others[i].Name() != e.Name() || !sameFiles(filepath.Join(a, e.Name()), filepath.Join(b, e.Name())) {
			return false
		}
	}
	return true
}
