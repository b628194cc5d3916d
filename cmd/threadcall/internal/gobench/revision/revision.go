// Package revision checks out revisions of a git repository, so that Go packages can be built as
// they were.
package revision

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// A Repository is a git repository with a working tree.
type Repository struct {
	Top    string // the root of the working tree
	Prefix string // from there to the directory that it was found from
}

// Open finds the repository that dir is in.
func Open(ctx context.Context, dir string) (*Repository, error) {
	out, err := git(ctx, dir, nil, "rev-parse", "--show-toplevel", "--show-prefix")
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, errors.New("git is not in PATH, and revisions come from it")
	case err != nil:
		return nil, fmt.Errorf("%s is in no git working tree, so it has no revisions: %w", dir, err)
	}
	top, prefix, _ := strings.Cut(strings.TrimRight(out, "\n"), "\n")
	return &Repository{Top: filepath.FromSlash(top), Prefix: filepath.FromSlash(prefix)}, nil
}

// A Commit is a revision of the repository.
type Commit struct {
	Hash    string // 40 or 64 hex digits
	Subject string // the first line of its message
}

// Short returns enough of the hash for people.
func (c Commit) Short() string { return c.Hash[:min(len(c.Hash), 10)] }

// Commit returns the commit that rev names, in any way that git knows.
func (r *Repository) Commit(ctx context.Context, rev string) (Commit, error) {
	out, err := git(ctx, r.Top, nil, "log", "-1", "--format=%H%n%s", "--end-of-options",
		rev+"^{commit}")
	if ctx.Err() != nil {
		return Commit{}, ctx.Err()
	}
	if err != nil || rev == "" {
		hint := "git log shows those that there are"
		if shallow, err := git(ctx, r.Top, nil, "rev-parse", "--is-shallow-repository"); err == nil &&
			strings.TrimSpace(shallow) == "true" {
			hint = "this clone is shallow: git fetch --unshallow brings the older ones"
		}
		return Commit{}, fmt.Errorf("the repository in %s has no revision %q; %s", r.Top, rev, hint)
	}
	hash, subject, _ := strings.Cut(strings.TrimSpace(out), "\n")
	return Commit{hash, subject}, nil
}

// Changes returns the files in which the working tree differs from HEAD.
func (r *Repository) Changes(ctx context.Context) (files []string, err error) {
	out, err := git(ctx, r.Top, nil, "status", "--porcelain", "-z", "--untracked-files=all",
		"--no-renames")
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(out, "\x00") {
		if len(entry) >= 4 {
			files = append(files, entry[3:])
		}
	}
	return files, nil
}

// git returns what git writes to its standard output. Env is added to the environment.
func git(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	// No hook runs, nor another program that the repository sets.
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=" + os.DevNull, "-c",
		"core.fsmonitor=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = slices.Concat(withoutRepository(os.Environ()), []string{"PWD=" + dir, "LC_ALL=C",
		"GIT_TERMINAL_PROMPT=0"}, env)
	stdout, stderr, err := gotest.Output(ctx, cmd)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("git %q: %w: %s", args, err, stderr)
	}
	return string(stdout), err
}

// withoutRepository removes what a hook of git sets to say which repository it runs for: the
// directory says it here.
func withoutRepository(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX",
			"GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"}, name)
	})
}

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
