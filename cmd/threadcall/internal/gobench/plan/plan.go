// Package plan has what a run measures and how: settings, limits, versions with their trees, and
// the benchmarks in their test binaries, which report CPU time.
package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	_, err := gotest.ParsePattern(s.Bench)
	return err
}

// BuildFlags returns those of the go command, which takes others from GOFLAGS. With the default
// -trimpath, the length of a directory's name does not move code.
func BuildFlags() []string {
	if strings.Contains(os.Getenv("GOFLAGS"), "-trimpath") {
		return nil
	}
	return []string{"-trimpath"}
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

// Tidy returns the unit as stats has it.
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
		Tree: gotest.Tree{Dir: p.Set.Dir, Flags: BuildFlags()}}
	if p.Set.VS == "" {
		return []Version{now}, nil
	}
	repository, err := revision.Open(ctx, p.Set.Dir)
	if err != nil {
		return nil, err
	}
	head, err := repository.Commit(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	changes, err := repository.Changes(ctx)
	if err != nil {
		return nil, err
	}
	then, err := repository.Commit(ctx, p.Set.VS)
	if err != nil {
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
