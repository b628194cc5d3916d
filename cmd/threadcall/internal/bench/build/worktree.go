package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Checkout makes a worktree of the commit in the scratch directory, and returns the tree in it that stands where now
// stands in the repository's working tree: the same directory, flags, and workspace.
//
// What the working tree's go.work and go.mod files want from outside of the repository, by a relative path, the old
// tree gets from the same place. Submodules of git are not checked out.
func (r *Repository) Checkout(ctx context.Context, c Commit, s *Scratch, now Tree) (Tree, error) {
	s.repository = r
	dir := filepath.Join(s.Dir, oldTree)
	r.forget(ctx)
	if _, err := git(ctx, r.Top, "worktree", "add", "--quiet", "--detach", dir, c.Hash); err != nil {
		return Tree{}, fmt.Errorf("cannot check out %s: %w", c.Short(), err)
	}
	old := Tree{Dir: nearest(dir, r.Prefix), Env: now.environ(), Flags: now.Flags}
	m := move{from: r.Top, to: dir, tree: now}
	if err := m.workspace(ctx, &old, s.Dir); err != nil {
		return Tree{}, err
	}
	if err := m.modules(ctx, old); err != nil {
		return Tree{}, err
	}
	return old, nil
}

// forget makes git forget the worktrees of runs that were killed. Others it leaves alone, also those that are not there at
// the moment.
func (r *Repository) forget(ctx context.Context) {
	out, _ := git(ctx, r.Top, "worktree", "list", "--porcelain")
	for line := range strings.Lines(out) {
		path, ok := strings.CutPrefix(strings.TrimSpace(line), "worktree ")
		if path = filepath.FromSlash(path); ok && filepath.Base(path) == oldTree &&
			strings.HasPrefix(filepath.Base(filepath.Dir(path)), scratchPrefix) && !exists(path) {
			_, _ = git(ctx, r.Top, "worktree", "remove", "--force", "--force", path)
		}
	}
}

// nearest returns the directory top/prefix, or the nearest above it that exists.
func nearest(top, prefix string) string {
	dir := filepath.Join(top, prefix)
	for dir != top {
		if at, err := os.Stat(dir); err == nil && at.IsDir() {
			break
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

// inside reports whether path is dir or below it.
func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil || !errors.Is(err, os.ErrNotExist)
}
