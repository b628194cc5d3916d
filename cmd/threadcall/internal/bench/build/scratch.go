package build

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/process"
)

// A Scratch is a directory for binaries and worktrees that lasts as long as a run.
//
// It holds the id of the process that it belongs to. A run that was killed could not remove its own; the next one does,
// when it sees that no process has that id.
type Scratch struct {
	Dir        string
	repository *Repository // that has worktrees there, or nil
}

const (
	scratchPrefix = "threadcall-build-"
	owner         = "pid"
	oldTree       = "old"
)

// NewScratch makes a directory where the go command makes its own: in GOTMPDIR or the system's.
func NewScratch() (*Scratch, error) {
	parent := scratchParent()
	sweep(parent)
	dir, err := os.MkdirTemp(parent, scratchPrefix)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, owner), []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil { // git speaks of that one
		dir = real
	}
	return &Scratch{Dir: dir}, nil
}

// Remove removes the directory, and the worktrees in it from their repository. It may be called again, and while
// another call is under way.
func (s *Scratch) Remove() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var err error
	for range 2 { // again, should git just have been making it
		if s.repository != nil {
			_, _ = git(ctx, s.repository.Top, "worktree", "remove", "--force", "--force", filepath.Join(s.Dir, oldTree))
		}
		err = os.RemoveAll(s.Dir)
	}
	return err
}

func scratchParent() string {
	if dir := os.Getenv("GOTMPDIR"); dir != "" {
		return dir
	}
	return os.TempDir()
}

// sweep removes what runs of this user that were killed have left.
func sweep(parent string) {
	left, _ := filepath.Glob(filepath.Join(parent, scratchPrefix+"*"))
	for _, dir := range left {
		if abandoned(dir) {
			_ = os.RemoveAll(dir)
		}
	}
}

func abandoned(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, owner)) // which another user's denies
	if err != nil {
		return false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	return err == nil && pid > 0 && !process.Alive(pid)
}
