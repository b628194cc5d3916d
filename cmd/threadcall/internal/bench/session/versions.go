package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/revision"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// The versions that a run measures, the oldest first.
type versions struct {
	list       []Version
	trees      []gotest.Tree // one a version
	vs         string        // the revision to compare with, or empty
	repository *revision.Repository
	old        revision.Commit
}

// choose decides which versions there are, and checks what can be checked before anything is built.
func choose(ctx context.Context, s *Settings) (*versions, error) {
	now := gotest.Tree{Dir: s.Dir, Flags: buildFlags()}
	toolchain, root, err := now.Toolchain(ctx)
	if err != nil {
		return nil, err
	}
	v := &versions{vs: s.VS, trees: []gotest.Tree{now}}
	switch {
	case s.AA:
		v.list = []Version{
			{Name: "a1", What: "the working tree", Toolchain: toolchain, goroot: root},
			{Name: "a2", What: "the working tree, the same binary", Toolchain: toolchain, goroot: root},
		}
		v.trees = append(v.trees, now)
	case s.VS != "":
		if err := v.chooseRevision(ctx, s.Dir); err != nil {
			return nil, err
		}
		v.list[1].Toolchain, v.list[1].goroot = toolchain, root
	default:
		v.list = []Version{{Name: "now", What: "the working tree", Toolchain: toolchain, goroot: root}}
	}
	return v, nil
}

// chooseRevision checks the revision to compare with, and that there is a difference.
func (v *versions) chooseRevision(ctx context.Context, dir string) (err error) {
	if v.repository, err = revision.Open(ctx, dir); err != nil {
		return err
	}
	if v.old, err = v.repository.Commit(ctx, v.vs); err != nil {
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
	if v.old == head && len(changes) == 0 {
		return fmt.Errorf("nothing differs: %s is what is checked out, and no file is changed; -aa compares a binary with itself", v.vs)
	}
	tree := fmt.Sprintf("the working tree, %s %q", head.Short(), head.Subject)
	if len(changes) > 0 {
		tree += " and changes to " + some(changes, 3)
	}
	v.list = []Version{
		{Name: "old", What: fmt.Sprintf("revision %s, %s %q", v.vs, v.old.Short(), v.old.Subject), Commit: v.old.Hash},
		{Name: "new", What: tree, Commit: head.Hash, Changed: len(changes) > 0},
	}
	return nil
}

// checkout makes the tree of the revision to compare with, if there is one.
func (v *versions) checkout(ctx context.Context, scratch *gotest.Scratch, log log) error {
	if v.vs == "" {
		return nil
	}
	log.doing("checking out " + v.vs)
	defer log.doing("")
	then, err := v.repository.Checkout(ctx, v.old, scratch, v.trees[0])
	if err != nil {
		return err
	}
	was, is := &v.list[0], v.list[1]
	if was.Toolchain, was.goroot, err = then.Toolchain(ctx); err != nil {
		return fmt.Errorf("in %s: %w", v.vs, err)
	}
	if was.Toolchain != is.Toolchain {
		log.note("%s is built by %s and the working tree by %s, as their go.mod files ask for: the compiler may make the difference.",
			v.vs, was.Toolchain, is.Toolchain)
	}
	v.trees = []gotest.Tree{then, v.trees[0]}
	return nil
}

// packages returns the packages of each version: those of the working tree that have tests, and at the same index, what
// another version has in their place, which may be nothing. With tests, the working tree's tests take the place of those of
// the other version.
func (v *versions) packages(ctx context.Context, patterns []string, tests bool) (packages [][]gotest.Package, err error) {
	last := len(v.trees) - 1
	packages = make([][]gotest.Package, len(v.trees))
	now, missing, err := v.trees[last].List(ctx, patterns...)
	switch {
	case err != nil:
		return nil, err
	case len(missing) > 0:
		return nil, fmt.Errorf("cannot list packages: %s", strings.Join(missing, "; "))
	case len(now) == 0:
		return nil, errors.New("no package of " + named(patterns) + " has test files")
	}
	for i := range packages {
		packages[i] = now
	}
	if v.vs == "" {
		return packages, nil
	}
	old, err := revision.Open(ctx, v.trees[0].Dir)
	if err != nil {
		return nil, err
	}
	if tests {
		for _, p := range now {
			if err := old.TakeTests(v.repository, p.Dir); err != nil {
				return nil, fmt.Errorf("-tests new: %w", err)
			}
		}
	}
	packages[0] = make([]gotest.Package, len(now))
	find := func(names []string, place func(gotest.Package) int) error {
		if len(names) == 0 {
			return nil
		}
		then, _, err := v.trees[0].List(ctx, names...)
		if err != nil {
			return fmt.Errorf("in %s: %w", v.vs, err)
		}
		for _, p := range then {
			if i := place(p); i >= 0 && packages[0][i].ImportPath == "" {
				packages[0][i] = p
			}
		}
		return nil
	}
	var paths, dirs []string
	for _, p := range now {
		paths = append(paths, p.ImportPath)
	}
	err = find(paths, func(q gotest.Package) int { return slices.Index(paths, q.ImportPath) })
	if err != nil {
		return nil, err
	}
	at := make([]string, len(now)) // the same directory, where no package has the same path: the module may have had another name
	for i, p := range now {
		if dir, ok := old.Counterpart(v.repository, p.Dir); ok && packages[0][i].ImportPath == "" {
			at[i] = dir
			dirs = append(dirs, dir)
		}
	}
	err = find(dirs, func(q gotest.Package) int { return slices.Index(at, q.Dir) })
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(packages[0], func(p gotest.Package) bool { return p.ImportPath != "" }) {
		return nil, fmt.Errorf("%s has none of the packages %s with tests, so there is nothing to compare; -tests new takes the working tree's tests", v.vs, some(paths, 5))
	}
	return packages, nil
}

func named(patterns []string) string {
	if len(patterns) == 0 {
		return "."
	}
	return strings.Join(patterns, " ")
}

// some returns the first of the names.
func some(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
