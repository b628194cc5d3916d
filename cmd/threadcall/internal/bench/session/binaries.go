package session

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
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/rounds"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// A builder compiles the test binaries and finds the benchmarks in them.
type builder struct {
	set      *Settings
	versions *versions
	dir      string // for the binaries
	log      log

	meters   map[string][]string // flags of the go command, by GOROOT
	layouter *layouter           // nil without layouts

	jobs      []*rounds.Job // the benchmarks to measure
	identical []string      // packages whose benchmarks are not measured
	data      *stats.Data   // with the failures of packages that do not build or start
}

// allOfThem is in place of the name of a benchmark where the test binary does not even start.
const allOfThem = "*"

func (b *builder) build(ctx context.Context) error {
	defer b.log.doing("")
	if b.set.Layouts > 0 {
		b.layouter = newLayouter()
	}
	b.log.doing("listing packages")
	packages, err := b.versions.packages(ctx, b.set.Patterns, b.set.Tests != "")
	if err != nil {
		return err
	}
	var versions []string
	for _, v := range b.versions.list {
		versions = append(versions, v.Name)
	}
	b.data = stats.New(versions...)
	which, err := gotest.ParsePattern(b.set.Bench)
	if err != nil {
		return err
	}
	last := len(packages) - 1
	var there, broken []string
	identical := 0
	for i, p := range packages[last] {
		b.log.doing(fmt.Sprintf("building %s (%d of %d packages)", p.ImportPath, i+1, len(packages[last])))
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
		case len(others) < len(b.set.VS):
			b.log.note("The test binaries of %s in %s and in the working tree are the same, byte by byte: no difference that is found there is real.",
				p.ImportPath, strings.Join(others, ", "))
		default:
			identical += len(jobs)
			b.identical = append(b.identical, p.ImportPath)
			continue
		}
		if len(jobs) > 0 && b.layouter != nil && b.set.Bisect == "" {
			if err := b.layouts(ctx, p, binaries, jobs); err != nil {
				return err
			}
		}
		b.jobs = append(b.jobs, jobs...)
	}
	if len(b.set.VS) > 0 && b.set.Bisect == "" {
		b.jobs, _ = common(b.jobs, b.set.VS, b.log)
	}
	if identical > 0 {
		b.log.note("Identical, not measured: the test %s of %s, byte by byte, and %s.",
			pick(len(b.identical), "binary", "binaries"), some(b.identical, 5), pick(len(b.identical), "its testdata", "their testdata"))
	}
	switch {
	case len(b.jobs)+identical > 0:
		return nil
	case len(broken) > 0:
		return fmt.Errorf("the tests of %s do not build, or do not start", strings.Join(broken, ", "))
	case len(there) > 0:
		slices.Sort(there)
		return fmt.Errorf("no benchmark matches -bench %q; there are %s", b.set.Bench, some(slices.Compact(there), 20))
	}
	return fmt.Errorf("%s: there are tests but no benchmarks, which are functions func BenchmarkX(b *testing.B)", named(b.set.Patterns))
}

func pick(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// compile compiles the package with this index in each version that has it. It is not ok if the compiler complains, which
// is a failure like that of a benchmark: other packages can still be measured.
func (b *builder) compile(ctx context.Context, index int, packages [][]gotest.Package) (binaries []*gotest.Binary, ok bool, err error) {
	binaries = make([]*gotest.Binary, len(packages))
	name := packages[len(packages)-1][index].ImportPath
	ok = true
	for v, tree := range b.versions.trees {
		if b.set.AA && v > 0 {
			binaries[v] = binaries[0]
			continue
		}
		version, p := b.versions.list[v], packages[v][index]
		if p.ImportPath == "" {
			b.log.note("%s has no package %s with tests: its benchmarks are only in the new version.", b.set.VS[v], name)
			continue
		}
		binaries[v], err = b.compileTo(ctx, filepath.Join(b.dir, fmt.Sprintf("%s-%d.test", version.Name, index)), tree, p, version)
		var compile *gotest.CompileError
		switch {
		case errors.As(err, &compile):
			ok = false
			reason := compile.Error()
			if v < len(b.set.VS) && b.set.Tests != "" {
				reason = fmt.Sprintf("the working tree's tests do not compile with the code of %s, which -tests new asks for:\n%s", b.set.VS[v], compile.Output)
			}
			b.broken(v, name, reason)
			continue
		case err != nil:
			return nil, false, err
		}
	}
	return binaries, ok, nil
}

// compileTo compiles a package of a version to the file, the name of which may get an ending.
func (b *builder) compileTo(ctx context.Context, file string, tree gotest.Tree, p gotest.Package, version Version) (*gotest.Binary, error) {
	if os.PathSeparator == '\\' {
		file += ".exe"
	}
	flags := b.meter(version)
	if err := tree.Build(ctx, p, file, flags...); err != nil {
		return nil, err
	}
	binary := &gotest.Binary{Path: file, Dir: p.Dir, Env: environ(p.Dir, version.goroot)}
	if b.layouter != nil {
		b.layouter.sources[binary] = source{tree, p, flags}
	}
	return binary, nil
}

// broken keeps why a package cannot be measured.
func (b *builder) broken(version int, pkg, reason string) {
	b.data.Fail(version, pkg, allOfThem, reason)
	b.log.trouble(fmt.Sprintf("%s, %s version: %s", pkg, b.versions.list[version].Name, reason))
}

// meter returns the flags by which benchmarks report their CPU time, if that is possible.
func (b *builder) meter(v Version) []string {
	flags, ok := b.meters[v.goroot]
	if ok {
		return flags
	}
	name, err := "", errors.New("GOFLAGS has an overlay of its own")
	if !strings.Contains(os.Getenv("GOFLAGS"), "-overlay") {
		dir := filepath.Join(b.dir, "meter-"+v.Name)
		if err = os.Mkdir(dir, 0o700); err == nil {
			name, err = meter.Overlay(v.goroot, dir)
		}
	}
	if err == nil {
		flags = []string{"-overlay", name}
	} else {
		b.log.note("CPU time is not measured: %v.", err)
	}
	if b.meters == nil {
		b.meters = map[string][]string{}
	}
	b.meters[v.goroot] = flags
	return flags
}

// environ is what go test gives a test binary.
func environ(dir, goroot string) []string {
	return append(os.Environ(), "PWD="+dir, "GOROOT="+goroot,
		"PATH="+filepath.Join(goroot, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// benchmarks lists the benchmarks in the binaries. It is not ok if one does not start, which is a failure like that of
// a benchmark: other packages can still be measured.
func (b *builder) benchmarks(ctx context.Context, p gotest.Package, binaries []*gotest.Binary) (names [][]string, ok bool, err error) {
	names = make([][]string, len(binaries))
	for v, binary := range binaries {
		if binary == nil {
			continue
		}
		names[v], err = binary.Benchmarks(ctx, b.set.Each.Timeout)
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

// common drops the benchmarks that only old versions have, and returns the names of those that an old version does not have.
func common(jobs []*rounds.Job, vs []string, log log) (kept []*rounds.Job, added [][]string) {
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
		log.note("Only in %s, and not measured: %s.", strings.Join(vs, " or "), some(gone, 10))
	}
	return kept, added
}

// identicalTo returns the revisions whose binary is the same as the working tree's.
func (b *builder) identicalTo(binaries []*gotest.Binary) (revisions []string) {
	if b.set.Bisect != "" {
		return nil
	}
	for v, rev := range b.set.VS {
		if binaries[v] != nil && same(binaries[v], binaries[len(binaries)-1]) {
			revisions = append(revisions, rev)
		}
	}
	return revisions
}

// same reports whether two binaries have the same content, and find the same files in testdata.
func same(a, b *gotest.Binary) bool {
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
