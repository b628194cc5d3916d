// Package plan has what a run measures and how: settings, limits, and versions with their trees.
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

// BuildFlags returns those of the go command, which takes others from GOFLAGS. With the default
// -trimpath, the length of a directory's name does not move code.
func BuildFlags() []string {
	if strings.Contains(os.Getenv("GOFLAGS"), "-trimpath") {
		return nil
	}
	return []string{"-trimpath"}
}

// A Log is where a run reports how it goes on. The notes become a part of its results.
type Log struct {
	*ui.Screen
	Notes []string
}

// Trouble writes what the results, or the error, contain as well.
func (l *Log) Trouble(text string) {
	l.Progress("")
	l.Paragraph("", text)
}

// Note adds a note.
func (l *Log) Note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	l.Notes = append(l.Notes, text)
	l.Trouble(text)
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

// Versions are what a run measures, the oldest first.
type Versions struct {
	List       []bench.Version
	Trees      []gotest.Tree // one a version
	Roots      []string      // one a version: the GOROOT of its toolchain
	VS         string        // the revision to compare with; empty: none
	repository *revision.Repository
	old        revision.Commit
}

// Choose decides which versions there are, and checks what can be checked before anything is built.
// Dir is for what lasts as long as the run.
func Choose(ctx context.Context, s *Settings, dir string) (*Versions, error) {
	now := gotest.Tree{Dir: s.Dir, Flags: BuildFlags()}
	toolchain, root, err := now.Toolchain(ctx, dir)
	if err != nil {
		return nil, err
	}
	v := &Versions{VS: s.VS, Trees: []gotest.Tree{now}, Roots: []string{root}}
	if s.VS == "" {
		v.List = []bench.Version{{Name: "now", What: "the working tree", Short: "now"}}
	} else if err := v.chooseRevision(ctx, s.Dir); err != nil {
		return nil, err
	}
	v.List[len(v.List)-1].Toolchain = toolchain
	return v, nil
}

// chooseRevision checks the revision to compare with, and that there is a difference.
func (v *Versions) chooseRevision(ctx context.Context, dir string) (err error) {
	if v.repository, err = revision.Open(ctx, dir); err != nil {
		return err
	}
	head, err := v.repository.Commit(ctx, "HEAD")
	if err != nil {
		return err
	}
	changes, err := v.repository.Changes(ctx)
	if err != nil {
		return err
	}
	if v.old, err = v.repository.Commit(ctx, v.VS); err != nil {
		return err
	}
	tree, title := fmt.Sprintf("the working tree, %s %q", head.Short(), head.Subject), head.Short()
	if len(changes) > 0 {
		title = "working tree"
		tree += " and changes to " + ui.Some(changes, 3)
	} else if v.old == head {
		return fmt.Errorf("nothing differs: %s is what is checked out, and no file is changed",
			v.VS)
	}
	what := fmt.Sprintf("revision %s, %s %q", v.VS, v.old.Short(), v.old.Subject)
	v.List = []bench.Version{
		{Name: "old", What: what, Commit: v.old.Hash, Short: v.VS},
		{Name: "new", What: tree, Commit: head.Hash, Changed: len(changes) > 0, Short: title},
	}
	return nil
}

// Checkout makes the tree of the revision to compare with, if there is one, below dir.
func (v *Versions) Checkout(ctx context.Context, dir string, log *Log) error {
	if v.VS == "" {
		return nil
	}
	defer log.Progress("")
	log.Progress("checking out " + v.VS)
	then, err := v.repository.Checkout(ctx, v.old, filepath.Join(dir, "old"), v.Trees[0])
	if err != nil {
		return err
	}
	was, is, root := &v.List[0], v.List[1], ""
	if was.Toolchain, root, err = then.Toolchain(ctx, dir); err != nil {
		return fmt.Errorf("in %s: %w", v.VS, err)
	}
	if was.Toolchain != is.Toolchain {
		log.Note("%s is built by %s and the working tree by %s, as their go.mod files ask for: "+
			"the compiler may make the difference.", v.VS, was.Toolchain, is.Toolchain)
	}
	v.Trees, v.Roots = []gotest.Tree{then, v.Trees[0]}, []string{root, v.Roots[0]}
	return nil
}

// Packages returns the packages of each version: those of the working tree that have tests, and at
// the same index, what another version has in their place, which may be nothing.
func (v *Versions) Packages(ctx context.Context, patterns []string) (packages [][]gotest.Package,
	err error) {
	last := len(v.Trees) - 1
	now, missing, err := v.Trees[last].List(ctx, patterns...)
	now = slices.DeleteFunc(now, func(p gotest.Package) bool { return !p.HasTests() })
	switch {
	case err != nil:
		return nil, err
	case len(missing) > 0:
		return nil, fmt.Errorf("cannot list packages: %s", strings.Join(missing, "; "))
	case len(now) == 0:
		return nil, fmt.Errorf("no package of %s has test files",
			cmp.Or(strings.Join(patterns, " "), "."))
	}
	if v.VS == "" {
		return [][]gotest.Package{now}, nil
	}
	then, err := v.counterparts(ctx, now)
	return [][]gotest.Package{then, now}, err
}

// counterparts returns what the revision has in the place of each of the packages.
func (v *Versions) counterparts(ctx context.Context, now []gotest.Package) ([]gotest.Package,
	error) {
	then := make([]gotest.Package, len(now))
	var paths []string
	for _, p := range now {
		paths = append(paths, p.ImportPath)
	}
	packages, _, err := v.Trees[0].List(ctx, paths...)
	if err != nil {
		return nil, fmt.Errorf("in %s: %w", v.VS, err)
	}
	none := true
	for _, p := range packages {
		if i := slices.Index(paths, p.ImportPath); i >= 0 && p.HasTests() {
			then[i], none = p, false
		}
	}
	if none {
		return nil, fmt.Errorf("%s has none of the packages %s with tests, so there is nothing "+
			"to compare", v.VS, ui.Some(paths, 5))
	}
	return then, nil
}
