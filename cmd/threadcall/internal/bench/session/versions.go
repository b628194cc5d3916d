package session

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/revision"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// The versions that a run measures, the oldest first.
type versions struct {
	list       []Version
	trees      []gotest.Tree // one a version
	vs         []string      // the revisions to compare with
	repository *revision.Repository
	old        []revision.Commit // of each of these
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
	case len(s.VS) > 0:
		if err := v.chooseRevisions(ctx, s.Dir); err != nil {
			return nil, err
		}
		is := &v.list[len(v.list)-1]
		is.Toolchain, is.goroot = toolchain, root
	default:
		v.list = []Version{{Name: "now", What: "the working tree", Toolchain: toolchain, goroot: root}}
	}
	return v, nil
}

// chooseRevisions checks the revisions to compare with, and that there is a difference.
func (v *versions) chooseRevisions(ctx context.Context, dir string) (err error) {
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
	for i, rev := range v.vs {
		old, err := v.repository.Commit(ctx, rev)
		switch same := slices.Index(v.old, old); {
		case err != nil:
			return err
		case old == head && len(changes) == 0:
			return fmt.Errorf("nothing differs: %s is what is checked out, and no file is changed; -aa compares a binary with itself", rev)
		case same >= 0:
			return fmt.Errorf("-vs %s and -vs %s are the same commit, %s", v.vs[same], rev, old.Short())
		}
		v.old = append(v.old, old)
		v.list = append(v.list, Version{Name: v.name(i), What: fmt.Sprintf("revision %s, %s %q", rev, old.Short(), old.Subject), Commit: old.Hash, title: rev})
	}
	tree, title := fmt.Sprintf("the working tree, %s %q", head.Short(), head.Subject), head.Short()
	if len(changes) > 0 {
		title = "working tree"
		tree += " and changes to " + some(changes, 3)
	}
	v.list = append(v.list, Version{Name: "new", What: tree, Commit: head.Hash, Changed: len(changes) > 0, title: title})
	return nil
}

var unfit = regexp.MustCompile(`[^\pL\pN._+=-]+`)

// name returns that of an old version, which becomes a part of the names of files: of several, the revision's, if it differs from
// all others, or the commit's.
func (v *versions) name(i int) string {
	if len(v.vs) == 1 {
		return "old"
	}
	fit := func(rev string) string { return strings.Trim(unfit.ReplaceAllString(rev, "-"), "-.") }
	name := fit(v.vs[i])
	same := func(rev string) bool { return fit(rev) == name }
	if name == "" || name == "new" || slices.IndexFunc(v.vs, same) != i {
		return v.old[i].Short()
	}
	return name
}

// checkout makes the trees of the revisions to compare with.
func (v *versions) checkout(ctx context.Context, scratch *gotest.Scratch, log log) error {
	defer log.doing("")
	var trees []gotest.Tree
	is := v.list[len(v.list)-1]
	for i, rev := range v.vs {
		log.doing("checking out " + rev)
		then, err := v.repository.Checkout(ctx, v.old[i], scratch, fmt.Sprintf("tree%d", i), v.trees[0])
		if err != nil {
			return err
		}
		was := &v.list[i]
		if was.Toolchain, was.goroot, err = then.Toolchain(ctx); err != nil {
			return fmt.Errorf("in %s: %w", rev, err)
		}
		if was.Toolchain != is.Toolchain {
			log.note("%s is built by %s and the working tree by %s, as their go.mod files ask for: the compiler may make the difference.",
				rev, was.Toolchain, is.Toolchain)
		}
		trees = append(trees, then)
	}
	v.trees = append(trees, v.trees...)
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
	for i := range v.vs {
		if packages[i], err = v.counterparts(ctx, i, now, tests); err != nil {
			return nil, err
		}
	}
	return packages, nil
}

// counterparts returns what a revision has in the place of each of the packages.
func (v *versions) counterparts(ctx context.Context, version int, now []gotest.Package, tests bool) ([]gotest.Package, error) {
	rev, tree := v.vs[version], v.trees[version]
	old, err := revision.Open(ctx, tree.Dir)
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
	then := make([]gotest.Package, len(now))
	find := func(names []string, place func(gotest.Package) int) error {
		if len(names) == 0 {
			return nil
		}
		packages, _, err := tree.List(ctx, names...)
		if err != nil {
			return fmt.Errorf("in %s: %w", rev, err)
		}
		for _, p := range packages {
			if i := place(p); i >= 0 && then[i].ImportPath == "" {
				then[i] = p
			}
		}
		return nil
	}
	var paths, dirs []string
	for _, p := range now {
		paths = append(paths, p.ImportPath)
	}
	if err := find(paths, func(q gotest.Package) int { return slices.Index(paths, q.ImportPath) }); err != nil {
		return nil, err
	}
	at := make([]string, len(now)) // the same directory, where no package has the same path: the module may have had another name
	for i, p := range now {
		if dir, ok := old.Counterpart(v.repository, p.Dir); ok && then[i].ImportPath == "" {
			at[i] = dir
			dirs = append(dirs, dir)
		}
	}
	if err := find(dirs, func(q gotest.Package) int { return slices.Index(at, q.Dir) }); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(then, func(p gotest.Package) bool { return p.ImportPath != "" }) {
		return nil, fmt.Errorf("%s has none of the packages %s with tests, so there is nothing to compare; -tests new takes the working tree's tests", rev, some(paths, 5))
	}
	return then, nil
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
