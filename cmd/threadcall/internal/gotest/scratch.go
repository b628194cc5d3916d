package gotest

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// A Scratch is a directory for binaries and other files that lasts as long as a run.
type Scratch struct {
	Dir string // absolute

	mu     sync.Mutex
	before []func()
}

// ScratchPrefix is how the names of scratch directories begin.
const ScratchPrefix = "threadcall-scratch-"

// scratches has those that are not removed yet.
var scratches sync.Map

// NewScratch makes a directory where the go command makes its own: in GOTMPDIR or the system's.
func NewScratch() (*Scratch, error) {
	parent := os.Getenv("GOTMPDIR")
	if parent == "" {
		parent = os.TempDir()
	}
	dir, err := os.MkdirTemp(parent, ScratchPrefix)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil { // the path that git uses
		dir = real
	}
	s := &Scratch{}
	if s.Dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	scratches.Store(s, nil)
	return s, nil
}

// BeforeRemove adds a function that Remove calls first, which may be more than once and at the same
// time.
func (s *Scratch) BeforeRemove(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = append(s.before, f)
}

// Remove removes the directory. It may be called again, and while another call is under way.
func (s *Scratch) Remove() (err error) {
	s.mu.Lock()
	before := slices.Clone(s.before)
	s.mu.Unlock()
	for range 2 { // a process that was killed may just have been writing into it
		for _, f := range before {
			f()
		}
		err = os.RemoveAll(s.Dir)
	}
	scratches.Delete(s)
	return err
}

func removeScratches() {
	scratches.Range(func(s, _ any) bool {
		_ = s.(*Scratch).Remove()
		return true
	})
}
