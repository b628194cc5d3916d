// Package plan has what a run measures and how: settings, limits, versions with their trees, and
// the benchmarks in their test binaries, which report CPU time.
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
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/revision"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/overlay"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/report"
	"github.com/threadcall/threadcall/cmd/threadcall/report/bench"
)

// Confidence is that of each interval and verdict.
const Confidence = 0.95

// LeastRounds returns how many rounds a run needs at least to show anything.
func LeastRounds() int { return stats.MinPairs(1 - Confidence) }

// Settings are what to measure, and how.
type Settings struct {
	bench.Settings
	Dir    string // where the go command and git run
	VS     string // the revision to compare with; empty: none
	FailOn []Limit
	Output string // where to save results; empty: nowhere
}

// Validate returns an error for settings that contradict each other or cannot be.
func (s *Settings) Validate() error {
	switch {
	case s.Count < 1:
		return fmt.Errorf("-count must be at least 1, not %d", s.Count)
	case s.For < 0:
		return fmt.Errorf("-for must not be negative; 0 means no limit")
	case s.Timeout < 0:
		return fmt.Errorf("-timeout must not be negative; 0 means none")
	case len(s.FailOn) > 0 && s.VS == "":
		return errors.New("-fail-on is about a comparison: give -vs, too")
	}
	if dir := filepath.Dir(s.Output); s.Output != "" {
		if at, err := os.Stat(s.Output); err == nil && at.IsDir() {
			return fmt.Errorf("-o %s is a directory; give a file", s.Output)
		}
		if at, err := os.Stat(dir); err != nil || !at.IsDir() {
			return fmt.Errorf("-o %s: %s is not a directory", s.Output, dir)
		}
	}
	return gotest.CheckPattern(s.Bench)
}

// A Limit is a change that must not be: as large as this or larger, and visible.
type Limit struct {
	Text string // as the user has written it
	Unit string // as the user writes it; empty: every unit of which it is known what is worse
	// relative to old: 0.05 is 5 % more, -0.05 is 5 % less; without a Unit, 0.05 is 5 % worse
	Change float64
	Less   bool // the direction, which a Change of zero has, too
}

var limit = regexp.MustCompile(`^(?:([^:\s]+):)?([+-]?\d+(?:\.\d+)?) ?%$`)

// ParseLimit reads "+5%", which is for all units, or "ns/op:+5%".
func ParseLimit(text string) (Limit, error) {
	m := limit.FindStringSubmatch(text)
	if m == nil {
		return Limit{}, errors.New("write '+5%' for anything 5 % worse, or 'ns/op:+5%' for one unit")
	}
	percent, err := strconv.ParseFloat(m[2], 64)
	l := Limit{Text: text, Unit: m[1], Change: percent / 100, Less: m[2][0] == '-'}
	switch better := (benchfmt.UnitMetadataMap{}).GetBetter(l.Unit); {
	case l.Unit == "" && l.Less:
		err = errors.New("without a unit, + means worse, and - makes no sense")
	case l.Change <= -1:
		err = errors.New("nothing can become less by so much")
	case better < 0 && l.Less:
		err = fmt.Errorf("fewer %s are better, so the sign must be +", l.Unit)
	case better > 0 && !l.Less:
		err = fmt.Errorf("more %s are better, so the sign must be -", l.Unit)
	}
	return l, err
}

// Tidy returns the unit as results have it.
func (l Limit) Tidy() string {
	_, unit := benchunit.Tidy(1, l.Unit)
	return unit
}

// A Version is one of the programs that are measured.
type Version struct {
	bench.Version
	Tree     gotest.Tree
	packages map[string]gotest.Package // with tests, by import path
}

// A Plan is what a run measures. The run reports on its screen how it goes on.
type Plan struct {
	*ui.Screen
	Set        *Settings
	Dir        string    // for binaries and trees, as long as the run lasts
	Versions   []Version // the oldest first
	Benchmarks []Benchmark
	Failures   []report.Failure // to build
	Record     bench.Record     // of what is measured, not of the results
}

// New returns a plan with nothing in it.
func New(set *Settings, screen *ui.Screen) *Plan {
	return &Plan{Screen: screen, Set: set, Record: bench.Record{Settings: set.Settings,
		Notes: []string{}, Identical: []string{}}}
}

// Trouble writes what the results, or the error, contain as well.
func (p *Plan) Trouble(text string) {
	p.Progress("")
	p.Paragraph("", text)
}

// Note adds a note to the record, once.
func (p *Plan) Note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(p.Record.Notes, text) {
		p.Record.Notes = append(p.Record.Notes, text)
		p.Trouble(text)
	}
}

// Make completes a plan that has a directory: it builds what there is to measure.
func (p *Plan) Make(ctx context.Context) (err error) {
	defer p.Progress("")
	if p.Versions, err = p.choose(ctx); err != nil {
		return err
	}
	for i := range p.Versions {
		v := &p.Versions[i]
		if v.Toolchain, err = v.Tree.Toolchain(ctx, p.Dir); err != nil {
			return fmt.Errorf("in %s: %w", v.What, err)
		}
		p.Record.Versions = append(p.Record.Versions, v.Version)
		if p.Record.Toolchain = v.Toolchain; v.Toolchain != p.Record.Versions[0].Toolchain {
			p.Note("%s is built by %s and the working tree by %s, as their go.mod files ask for: "+
				"the compiler may make the difference.", p.Set.VS, p.Record.Versions[0].Toolchain,
				v.Toolchain)
		}
	}
	p.Progress("listing packages")
	packages, err := p.list(ctx)
	if err != nil {
		return err
	}
	return p.build(ctx, packages)
}

// choose returns the versions, the oldest first: the working tree, and if it is to be compared with
// a revision, that, which is checked out.
func (p *Plan) choose(ctx context.Context) ([]Version, error) {
	now := Version{Version: bench.Version{Name: "now", What: "the working tree", Short: "now"},
		Tree: gotest.Tree{Dir: p.Set.Dir}}
	if !strings.Contains(os.Getenv("GOFLAGS"), "-trimpath") { // which may be -trimpath=false
		now.Tree.Flags = []string{"-trimpath"} // the length of a directory's name does not move code
	}
	if p.Set.VS == "" {
		return []Version{now}, nil
	}
	repository, err := revision.Open(ctx, p.Set.Dir)
	if err != nil {
		return nil, err
	}
	head, err := repository.Commit(ctx, "HEAD")
	changes, err2 := repository.Changes(ctx)
	then, err3 := repository.Commit(ctx, p.Set.VS)
	if err := cmp.Or(err, err2, err3); err != nil {
		return nil, err
	}
	now.Name, now.Commit, now.Short = "new", head.Hash, head.Short()
	now.What += fmt.Sprintf(", %s %q", head.Short(), head.Subject)
	if now.Changed = len(changes) > 0; now.Changed {
		now.Short = "working tree"
		now.What += " and changes to " + ui.Some(changes, 3)
	} else if then == head {
		return nil, fmt.Errorf("nothing differs: %s is what is checked out, and no file is changed",
			p.Set.VS)
	}
	old := Version{Version: bench.Version{Name: "old", Commit: then.Hash, Short: p.Set.VS,
		What: fmt.Sprintf("revision %s, %s %q", p.Set.VS, then.Short(), then.Subject)}}
	p.Progress("checking out " + p.Set.VS)
	old.Tree, err = repository.Checkout(ctx, then, filepath.Join(p.Dir, "old"), now.Tree)
	return []Version{old, now}, err
}

// list returns the packages of the working tree that have tests, and sets what each version has of
// them.
func (p *Plan) list(ctx context.Context) ([]gotest.Package, error) {
	var now []gotest.Package
	paths := p.Set.Patterns
	for i := range slices.Backward(p.Versions) {
		v := &p.Versions[i]
		packages, missing, err := v.Tree.List(ctx, paths...)
		packages = slices.DeleteFunc(packages, func(p gotest.Package) bool { return !p.HasTests() })
		switch {
		case err != nil:
			return nil, fmt.Errorf("in %s: %w", v.What, err)
		case now != nil && len(packages) == 0:
			return nil, fmt.Errorf("%s has none of the packages %s with tests, so there is nothing "+
				"to compare", v.Short, ui.Some(paths, 5))
		case now != nil:
		case len(missing) > 0:
			return nil, fmt.Errorf("cannot list packages: %s", strings.Join(missing, "; "))
		case len(packages) == 0:
			return nil, fmt.Errorf("no package of %s has test files",
				cmp.Or(strings.Join(paths, " "), "."))
		default:
			now, paths = packages, nil
		}
		v.packages = map[string]gotest.Package{}
		for _, one := range packages {
			v.packages[one.ImportPath] = one
			paths = append(paths, one.ImportPath)
		}
	}
	return now, nil
}

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
	var there, broken, modules []string
	for i, pkg := range packages {
		if pkg.Module != nil && !slices.Contains(modules, pkg.Module.Path) {
			modules = append(modules, pkg.Module.Path)
		}
		p.Progress(fmt.Sprintf("building %s (%d of %d packages)", pkg.ImportPath, i+1, len(packages)))
		failed := len(p.Failures)
		found, names, err := p.compile(ctx, i, pkg.ImportPath)
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
func (p *Plan) compile(ctx context.Context, number int, path string) (found []Benchmark,
	names []string, err error) {
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
			pattern, ok := gotest.PatternFor(p.Set.Bench, name)
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
