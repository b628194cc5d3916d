// Package revision checks out revisions of a git repository, so that Go packages can be built as
// they were.
package revision

import (
	"bytes"
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
	Hash    string `json:"commit"`  // 40 or 64 hex digits
	Subject string `json:"subject"` // the first line of its message
}

// Short returns enough of the hash for people.
func (c Commit) Short() string { return c.Hash[:min(len(c.Hash), 10)] }

// Commit returns the commit that rev names, in any way that git knows.
func (r *Repository) Commit(ctx context.Context, rev string) (Commit, error) {
	out, err := git(ctx, r.Top, nil, "rev-parse", "--verify", "--quiet", "--end-of-options",
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
	c := Commit{Hash: strings.TrimSpace(out)}
	if out, err = git(ctx, r.Top, nil, "log", "-1", "--format=%s", c.Hash); err != nil {
		return Commit{}, err
	}
	c.Subject = strings.TrimSpace(out)
	return c, nil
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
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := gotest.Run(cmd); err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if text := strings.TrimSpace(stderr.String()); text != "" {
			err = fmt.Errorf("%w: %s", err, text)
		}
		return "", fmt.Errorf("git %q: %w", args, err)
	}
	return stdout.String(), nil
}

// withoutRepository removes what a hook of git sets to say which repository it runs for: the
// directory says it here.
func withoutRepository(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR",
			"GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE":
			return true
		}
		return false
	})
}
