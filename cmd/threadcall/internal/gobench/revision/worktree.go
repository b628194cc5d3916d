package revision

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// Checkout makes a worktree of the commit in the scratch directory, below a directory of this name,
// and returns the tree in it that corresponds to now in the repository's working tree: the same
// directory, flags, and workspace.
//
// What the working tree's go.work and go.mod files want from outside of the repository, by a
// relative path, the old tree gets from the same place. Submodules of git are not checked out.
func (r *Repository) Checkout(ctx context.Context, c Commit, s *gotest.Scratch, name string,
	now gotest.Tree) (gotest.Tree, error) {
	root := filepath.Join(s.Dir, name)
	dir := below(root, r.Top)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return gotest.Tree{}, err
	}
	r.forget(ctx)
	s.BeforeRemove(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		r.remove(ctx, dir)
	})
	if _, err := git(ctx, r.Top, "worktree", "add", "--quiet", "--detach", dir,
		c.Hash); err != nil {
		return gotest.Tree{}, fmt.Errorf("cannot check out %s: %w", c.Short(), err)
	}
	linkSurroundings(root, r.Top)
	old := gotest.Tree{Dir: nearest(dir, r.Prefix), Env: now.Environ(), Flags: now.Flags}
	work, err := r.workspace(ctx, now, root)
	old.Env = append(old.Env, "GOWORK="+work)
	return old, err
}

// below returns the path that corresponds to path when root stands for the root of the file system.
func below(root, path string) string {
	return filepath.Join(root, strings.TrimPrefix(path, filepath.VolumeName(path)))
}

// linkSurroundings makes symbolic links below root to what is next to top and next to its parent
// directories, so that relative paths lead to the same files. Where links are not allowed, there
// are none.
func linkSurroundings(root, top string) {
	for parent := filepath.Dir(top); parent != top; top, parent = parent, filepath.Dir(parent) {
		entries, _ := os.ReadDir(parent)
		for _, e := range entries {
			if e.Name() != filepath.Base(top) {
				_ = os.Symlink(filepath.Join(parent, e.Name()), filepath.Join(below(root, parent),
					e.Name()))
			}
		}
	}
}

// workspace returns the GOWORK of the old tree. Its go.work is the one of the commit, or a copy of
// the new tree's where git does not know it.
func (r *Repository) workspace(ctx context.Context, now gotest.Tree, root string) (string, error) {
	out, err := now.Go(ctx, "env", "GOWORK")
	file := strings.TrimSpace(string(out))
	if err != nil || file == "" || file == "off" {
		return file, err
	}
	if file, err = filepath.EvalSymlinks(file); err != nil { // as git does with the root
		return "", err
	}
	copied := below(root, file)
	_, err = git(ctx, r.Top, "ls-files", "--error-unmatch", "--", file)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		for _, suffix := range []string{"", ".sum"} { // the go command may write to the second
			_ = os.Remove(copied + suffix) // a link
			if text, err := os.ReadFile(file + suffix); err == nil {
				if err := os.WriteFile(copied+suffix, text, 0o600); err != nil {
					return "", err
				}
			}
		}
	}
	if !exists(copied) { // the commit had no workspace
		return "off", nil
	}
	return copied, nil
}

// forget makes git forget the worktrees of runs that were killed. Others it leaves alone, also
// those that are not there at the moment.
func (r *Repository) forget(ctx context.Context) {
	out, _ := git(ctx, r.Top, "worktree", "list", "--porcelain")
	for line := range strings.Lines(out) {
		path, ok := strings.CutPrefix(strings.TrimSpace(line), "worktree ")
		if ok && strings.Contains(path, "/"+gotest.ScratchPrefix) && !exists(path) {
			r.remove(ctx, path)
		}
	}
}

func (r *Repository) remove(ctx context.Context, path string) {
	_, _ = git(ctx, r.Top, "worktree", "remove", "--force", "--force", path) // it may not be there
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

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil || !errors.Is(err, os.ErrNotExist)
}
