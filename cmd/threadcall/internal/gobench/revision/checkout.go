package revision

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// Checkout writes the files of the commit below root. It returns the tree in it that corresponds to
// now in the repository's working tree: the same directory, flags, and workspace. The repository's
// index and list of worktrees do not change.
//
// What the working tree's go.work and go.mod files want from outside of the repository, by a
// relative path, the old tree gets from the same place. Submodules of git are not checked out.
func (r *Repository) Checkout(ctx context.Context, c Commit, root string,
	now gotest.Tree) (gotest.Tree, error) {
	top := below(root, r.Top)
	if err := os.MkdirAll(top, 0o700); err != nil {
		return gotest.Tree{}, err
	}
	index := []string{"GIT_INDEX_FILE=" + root + ".index"}
	if _, err := git(ctx, r.Top, index, "--work-tree="+top, "read-tree", "--reset", "-u",
		c.Hash); err != nil {
		return gotest.Tree{}, fmt.Errorf("cannot check out %s: %w", c.Short(), err)
	}
	linkSurroundings(root, r.Top)
	dir := filepath.Join(top, r.Prefix)
	for dir != top && !exists(dir) {
		dir = filepath.Dir(dir)
	}
	old := gotest.Tree{Dir: dir, Env: os.Environ(), Flags: now.Flags}
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
	_, err = git(ctx, r.Top, nil, "ls-files", "--error-unmatch", "--", file)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		// Elsewhere, the copy would be written by way of a link, over the file itself.
		own, _ := filepath.EvalSymlinks(root)
		dir, _ := filepath.EvalSymlinks(filepath.Dir(copied))
		if dir != below(own, filepath.Dir(file)) {
			return "", fmt.Errorf("%s is neither in the repository nor in a directory that contains it, so "+
				"the revision cannot be in that workspace; GOWORK=off uses none", file)
		}
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

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil || !errors.Is(err, os.ErrNotExist)
}
