package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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

	meters map[string][]string // flags of the go command, by GOROOT

	jobs []*rounds.Job // the benchmarks to measure
	data *stats.Data   // with the failures of binaries that do not start
}

// allOfThem is in place of the name of a benchmark where the test binary does not even start.
const allOfThem = "*"

func (b *builder) build(ctx context.Context) error {
	defer b.log.doing("")
	b.log.doing("listing packages")
	packages, err := b.versions.packages(ctx, b.set.Patterns)
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
	var identical, there, broken []string
	for i, p := range packages[last] {
		b.log.doing(fmt.Sprintf("building %s (%d of %d packages)", p.ImportPath, i+1, len(packages[last])))
		binaries, err := b.compile(ctx, i, p, packages)
		if err != nil {
			return err
		}
		for v := range b.set.VS {
			if binaries[v] != nil && same(binaries[v].Path, binaries[last].Path) {
				identical = append(identical, p.ImportPath+" in "+b.set.VS[v])
			}
		}
		names, ok, err := b.benchmarks(ctx, p, binaries)
		if err != nil {
			return err
		}
		if !ok {
			broken = append(broken, p.ImportPath)
			continue
		}
		there = append(there, names[last]...)
		b.jobs = append(b.jobs, rounds.Jobs(p.ImportPath, binaries, names, which)...)
	}
	if err := b.common(); err != nil {
		return err
	}
	if len(identical) > 0 && b.set.Bisect == "" {
		b.log.note("The test binaries of %s and of the working tree are the same, byte by byte: no difference that is found there is real.", some(identical, 5))
	}
	switch {
	case len(b.jobs) > 0:
		return nil
	case len(there) > 0:
		slices.Sort(there)
		return fmt.Errorf("no benchmark matches -bench %q; there are %s", b.set.Bench, some(slices.Compact(there), 20))
	case len(broken) > 0:
		return fmt.Errorf("the tests of %s do not start", strings.Join(broken, ", "))
	}
	return fmt.Errorf("%s: there are tests but no benchmarks, which are functions func BenchmarkX(b *testing.B)", named(b.set.Patterns))
}

// compile compiles the package with this index in each version that has it.
func (b *builder) compile(ctx context.Context, index int, p gotest.Package, packages [][]gotest.Package) ([]*gotest.Binary, error) {
	binaries := make([]*gotest.Binary, len(packages))
	for v, tree := range b.versions.trees {
		if b.set.AA && v > 0 {
			binaries[v] = binaries[0]
			continue
		}
		version := b.versions.list[v]
		at := slices.IndexFunc(packages[v], func(q gotest.Package) bool { return q.ImportPath == p.ImportPath })
		if at < 0 {
			b.log.note("%s has no package %s with tests: its benchmarks are only in the new version.", b.set.VS[v], p.ImportPath)
			continue
		}
		file := filepath.Join(b.dir, fmt.Sprintf("%s-%d.test", version.Name, index))
		if os.PathSeparator == '\\' {
			file += ".exe"
		}
		if err := tree.Build(ctx, p, file, b.meter(version)...); err != nil {
			var compile *gotest.CompileError
			if len(b.set.VS) > 0 && errors.As(err, &compile) {
				return nil, fmt.Errorf("in the %s version, %s: %w", version.Name, version.What, err)
			}
			return nil, err
		}
		dir := packages[v][at].Dir
		binaries[v] = &gotest.Binary{Path: file, Dir: dir, Env: environ(dir, version.goroot)}
	}
	return binaries, nil
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
			b.data.Fail(v, p.ImportPath, allOfThem, err.Error())
			b.log.trouble(fmt.Sprintf("%s, %s version: %v", p.ImportPath, b.versions.list[v].Name, err))
			return nil, false, nil
		}
	}
	return names, true, nil
}

// common notes which benchmarks have no counterpart, and drops those that are gone.
func (b *builder) common() error {
	new := len(b.set.VS)
	if new == 0 || b.set.Bisect != "" {
		return nil
	}
	var gone []string
	b.jobs = slices.DeleteFunc(b.jobs, func(j *rounds.Job) bool {
		if j.Versions[new] == nil {
			gone = append(gone, j.String())
		}
		return j.Versions[new] == nil
	})
	if len(gone) > 0 {
		b.log.note("Only in %s, and not measured: %s.", strings.Join(b.set.VS, " or "), some(gone, 10))
	}
	comparable := len(b.jobs) == 0
	for v, rev := range b.set.VS {
		var added []string
		for _, j := range b.jobs {
			if j.Versions[v] == nil {
				added = append(added, j.String())
			}
		}
		switch comparable = comparable || len(added) < len(b.jobs); {
		case len(added) == 0:
		case new == 1:
			b.log.note("Only in the working tree, so compared with nothing: %s.", some(added, 10))
		default:
			b.log.note("%s does not have %s.", rev, some(added, 10))
		}
	}
	if !comparable {
		return fmt.Errorf("none of the benchmarks that -bench %q matches is in %s, so there is nothing to compare", b.set.Bench, strings.Join(b.set.VS, " or "))
	}
	return nil
}

// same reports whether the files have the same content.
func same(a, b string) bool {
	x, err1 := os.ReadFile(a)
	y, err2 := os.ReadFile(b)
	return err1 == nil && err2 == nil && bytes.Equal(x, y)
}
