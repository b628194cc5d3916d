package plan

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/revision"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/report/bench"
)

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
