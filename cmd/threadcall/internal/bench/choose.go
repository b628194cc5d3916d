package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/revision"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// choose decides which versions there are, and checks what can be checked before anything is built. It may be called again
// if the working tree may have changed.
func (s *Session) choose(ctx context.Context) error {
	now := gotest.Tree{Dir: s.Dir, Flags: s.Flags}
	version, root, err := now.Toolchain(ctx)
	if err != nil {
		return err
	}
	s.report.Toolchain = version
	s.trees = []gotest.Tree{now}
	switch {
	case s.AA:
		what := "the working tree"
		s.report.Versions = []Version{
			{Name: "a1", What: what, Toolchain: version, goroot: root},
			{Name: "a2", What: what + ", the same binary", Toolchain: version, goroot: root},
		}
		s.trees = append(s.trees, now)
	case s.VS != "":
		return s.chooseRevision(ctx, now, version, root)
	default:
		s.report.Versions = []Version{{Name: "now", What: "the working tree", Toolchain: version, goroot: root}}
	}
	return nil
}

// chooseRevision checks the revision to compare with, and that there is something to compare.
func (s *Session) chooseRevision(ctx context.Context, now gotest.Tree, toolchain, root string) error {
	repository, err := revision.Open(ctx, s.Dir)
	if err != nil {
		return err
	}
	old, err := repository.Commit(ctx, s.VS)
	if err != nil {
		return err
	}
	head, err := repository.Commit(ctx, "HEAD")
	if err != nil {
		return err
	}
	sources, others, err := repository.Changes(ctx)
	if err != nil {
		return err
	}
	changed := len(sources) > 0
	switch {
	case old == head && len(sources)+len(others) == 0:
		return fmt.Errorf("nothing differs: %s is what is checked out, and no file is changed; -aa compares a binary with itself", s.VS)
	case old != head && changed && !s.Dirty:
		return fmt.Errorf("the working tree has changes that are in no commit: %s; commit or stash them, compare with HEAD to measure just them, or give -dirty to measure them together with the commits since %s",
			some(sources, 8), s.VS)
	}
	tree := fmt.Sprintf("the working tree, %s %q", head.Short(), head.Subject)
	if changed {
		tree += " and changes to " + some(sources, 3)
	}
	s.report.Versions = []Version{
		{Name: "old", What: fmt.Sprintf("revision %s, %s %q", s.VS, old.Short(), old.Subject), Commit: old.Hash},
		{Name: "new", What: tree, Commit: head.Hash, Changed: changed, Toolchain: toolchain, goroot: root},
	}
	s.repository, s.old = repository, old
	return nil
}

// checkout makes the tree of the revision to compare with, if there is one.
func (s *Session) checkout(ctx context.Context) error {
	if s.VS == "" {
		return nil
	}
	if err := s.makeScratch(); err != nil {
		return err
	}
	s.show.doing("checking out " + s.VS)
	defer s.show.doing("")
	then, err := s.repository.Checkout(ctx, s.old, s.scratch, s.trees[0])
	if err != nil {
		return err
	}
	was, is := &s.report.Versions[0], s.report.Versions[1]
	if was.Toolchain, was.goroot, err = then.Toolchain(ctx); err != nil {
		return fmt.Errorf("in %s: %w", s.VS, err)
	}
	if was.Toolchain != is.Toolchain {
		s.note("%s is built by %s and the working tree by %s, as their go.mod files want it: what differs may be the compiler's doing.", s.VS, was.Toolchain, is.Toolchain)
	}
	s.trees = []gotest.Tree{then, s.trees[0]}
	return nil
}

func (s *Session) makeScratch() error {
	if s.scratch != nil {
		return nil
	}
	scratch, err := gotest.NewScratch()
	if err != nil {
		return fmt.Errorf("cannot make a directory for binaries: %w; GOTMPDIR says where else they may be", err)
	}
	s.scratch = scratch
	return nil
}

// list returns the packages of each version: those of the working tree that have tests, and what older ones have in
// their place.
func (s *Session) list(ctx context.Context) (packages [][]gotest.Package, err error) {
	last := len(s.trees) - 1
	packages = make([][]gotest.Package, len(s.trees))
	now, missing, err := s.trees[last].List(ctx, s.Patterns...)
	switch {
	case err != nil:
		return nil, err
	case len(missing) > 0:
		return nil, fmt.Errorf("cannot list packages: %s", strings.Join(missing, "; "))
	case len(now) == 0:
		return nil, errors.New("no package of " + patterns(s.Patterns) + " has test files")
	}
	for i := range packages {
		packages[i] = now
	}
	if s.VS != "" {
		var paths []string
		for _, p := range now {
			paths = append(paths, p.ImportPath)
		}
		if packages[0], _, err = s.trees[0].List(ctx, paths...); err != nil {
			return nil, fmt.Errorf("in %s: %w", s.VS, err)
		}
		if len(packages[0]) == 0 {
			return nil, fmt.Errorf("%s has none of the packages %s, so there is nothing to compare", s.VS, some(paths, 5))
		}
	}
	return packages, nil
}

func patterns(list []string) string {
	if len(list) == 0 {
		return "."
	}
	return strings.Join(list, " ")
}

// some returns the first of the names.
func some(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(slices.Clone(names[:most]), ", "), len(names)-most)
}
