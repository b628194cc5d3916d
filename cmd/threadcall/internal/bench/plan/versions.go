package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/revision"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A Version is one of the programs that are measured.
type Version struct {
	Name      string `json:"name"`
	What      string `json:"what"` // for people
	Commit    string `json:"commit,omitempty"`
	Changed   bool   `json:"changed,omitempty"` // files differ from the commit
	Toolchain string `json:"toolchain"`
	Runs      int    `json:"runs,omitempty"` // of a command, in a round
	File      string `json:"file,omitempty"` // with the raw results

	GOROOT string `json:"-"` // of the toolchain
	title  string // a few words; empty: Name
}

// Short returns a few words that name the version.
func (v Version) Short() string { return cmp.Or(v.title, v.Name) }

// Versions are what a run measures, the oldest first.
type Versions struct {
	List       []Version
	Trees      []gotest.Tree // one a version
	VS         []string      // the revisions to compare with
	Repository *revision.Repository
	old        []revision.Commit // of each of these
}

// Choose decides which versions there are, and checks what can be checked before anything is built.
func Choose(ctx context.Context, s *Settings) (*Versions, error) {
	now := gotest.Tree{Dir: s.Dir, Flags: BuildFlags()}
	toolchain, root, err := now.Toolchain(ctx)
	if err != nil {
		return nil, err
	}
	v := &Versions{VS: s.VS, Trees: []gotest.Tree{now}}
	switch {
	case s.AA:
		v.List = []Version{
			{Name: "a1", What: "the working tree", Toolchain: toolchain, GOROOT: root},
			{Name: "a2", What: "the working tree, the same binary", Toolchain: toolchain,
				GOROOT: root},
		}
		v.Trees = append(v.Trees, now)
	case len(s.VS) > 0:
		if err := v.chooseRevisions(ctx, s.Dir); err != nil {
			return nil, err
		}
		is := &v.List[len(v.List)-1]
		is.Toolchain, is.GOROOT = toolchain, root
	default:
		v.List = []Version{{Name: "now", What: "the working tree", Toolchain: toolchain,
			GOROOT: root}}
	}
	return v, nil
}

// chooseRevisions checks the revisions to compare with, and that there is a difference.
func (v *Versions) chooseRevisions(ctx context.Context, dir string) (err error) {
	if v.Repository, err = revision.Open(ctx, dir); err != nil {
		return err
	}
	head, err := v.Repository.Commit(ctx, "HEAD")
	if err != nil {
		return err
	}
	changes, err := v.Repository.Changes(ctx)
	if err != nil {
		return err
	}
	for i, rev := range v.VS {
		old, err := v.Repository.Commit(ctx, rev)
		switch same := slices.Index(v.old, old); {
		case err != nil:
			return err
		case old == head && len(changes) == 0:
			return fmt.Errorf("nothing differs: %s is what is checked out, and no file is "+
				"changed; -aa compares a binary with itself", rev)
		case same >= 0:
			return fmt.Errorf("-vs %s and -vs %s are the same commit, %s", v.VS[same], rev,
				old.Short())
		}
		v.old = append(v.old, old)
		v.List = append(v.List, Version{Name: v.name(i), What: fmt.Sprintf("revision %s, %s %q",
			rev, old.Short(), old.Subject), Commit: old.Hash, title: rev})
	}
	tree, title := fmt.Sprintf("the working tree, %s %q", head.Short(), head.Subject), head.Short()
	if len(changes) > 0 {
		title = "working tree"
		tree += " and changes to " + ui.Some(changes, 3)
	}
	v.List = append(v.List, Version{Name: "new", What: tree, Commit: head.Hash,
		Changed: len(changes) > 0, title: title})
	return nil
}

// name returns that of an old version, which becomes a part of the names of files: of several, the
// revision's, if it differs from all others, or the commit's.
func (v *Versions) name(i int) string {
	if len(v.VS) == 1 {
		return "old"
	}
	name := fit(v.VS[i])
	same := func(rev string) bool { return fit(rev) == name }
	if name == "" || name == "new" || slices.IndexFunc(v.VS, same) != i {
		return v.old[i].Short()
	}
	return name
}

// Checkout makes the trees of the revisions to compare with.
func (v *Versions) Checkout(ctx context.Context, scratch *gotest.Scratch, log *Log) error {
	defer log.Progress("")
	var trees []gotest.Tree
	is := v.List[len(v.List)-1]
	for i, rev := range v.VS {
		log.Progress("checking out " + rev)
		then, err := v.Repository.Checkout(ctx, v.old[i], scratch, fmt.Sprintf("tree%d", i),
			v.Trees[0])
		if err != nil {
			return err
		}
		was := &v.List[i]
		if was.Toolchain, was.GOROOT, err = then.Toolchain(ctx); err != nil {
			return fmt.Errorf("in %s: %w", rev, err)
		}
		if was.Toolchain != is.Toolchain {
			log.Note("%s is built by %s and the working tree by %s, as their go.mod files ask "+
				"for: the compiler may make the difference.", rev, was.Toolchain, is.Toolchain)
		}
		trees = append(trees, then)
	}
	v.Trees = append(trees, v.Trees...)
	return nil
}

// Packages returns the packages of each version: those of the working tree that have tests, and at
// the same index, what another version has in their place, which may be nothing.
func (v *Versions) Packages(ctx context.Context, patterns []string) (packages [][]gotest.Package,
	err error) {
	last := len(v.Trees) - 1
	packages = make([][]gotest.Package, len(v.Trees))
	now, missing, err := v.Trees[last].List(ctx, patterns...)
	switch {
	case err != nil:
		return nil, err
	case len(missing) > 0:
		return nil, fmt.Errorf("cannot list packages: %s", strings.Join(missing, "; "))
	case len(now) == 0:
		return nil, errors.New("no package of " + Named(patterns) + " has test files")
	}
	for i := range packages {
		packages[i] = now
	}
	for i := range v.VS {
		if packages[i], err = v.counterparts(ctx, i, now); err != nil {
			return nil, err
		}
	}
	return packages, nil
}

// counterparts returns what a revision has in the place of each of the packages.
func (v *Versions) counterparts(ctx context.Context, version int,
	now []gotest.Package) ([]gotest.Package, error) {
	rev, tree := v.VS[version], v.Trees[version]
	old, err := revision.Open(ctx, tree.Dir)
	if err != nil {
		return nil, err
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
	if err := find(paths, func(q gotest.Package) int {
		return slices.Index(paths, q.ImportPath)
	}); err != nil {
		return nil, err
	}
	// the same directory, where no package has the same path: the module may have had another name
	at := make([]string, len(now))
	for i, p := range now {
		if dir, ok := old.Counterpart(v.Repository, p.Dir); ok && then[i].ImportPath == "" {
			at[i] = dir
			dirs = append(dirs, dir)
		}
	}
	if err := find(dirs, func(q gotest.Package) int {
		return slices.Index(at, q.Dir)
	}); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(then, func(p gotest.Package) bool { return p.ImportPath != "" }) {
		return nil, fmt.Errorf("%s has none of the packages %s with tests, so there is nothing "+
			"to compare", rev, ui.Some(paths, 5))
	}
	return then, nil
}

// Named returns the patterns as people write them.
func Named(patterns []string) string {
	if len(patterns) == 0 {
		return "."
	}
	return strings.Join(patterns, " ")
}

// Module returns the modules that the packages are of, with commas.
func (v *Versions) Module(ctx context.Context, patterns []string) string {
	tree := v.Trees[len(v.Trees)-1]
	out, err := tree.Go(ctx, slices.Concat([]string{"list", "-e", "-f",
		"{{with .Module}}{{.Path}}{{end}}"}, tree.Flags, []string{"--"}, patterns)...)
	if err != nil {
		return ""
	}
	all := strings.Fields(string(out))
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", ")
}
