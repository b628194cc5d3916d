package gotest

import (
	"os"
	"path/filepath"
	"sync"
)

// A Scratch is a directory for binaries and other files that lasts as long as a run.
type Scratch struct{ Dir string } // absolute

// scratches has those that are not removed yet.
var scratches sync.Map

// NewScratch makes a directory where the go command makes its own: in GOTMPDIR or the system's.
func NewScratch() (*Scratch, error) {
	dir, err := os.MkdirTemp(os.Getenv("GOTMPDIR"), "threadcall-scratch-")
	if err != nil {
		return nil, err
	}
	s := &Scratch{}
	if s.Dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	scratches.Store(s, nil)
	return s, nil
}

// Remove removes the directory. It may be called again, and while another call is under way.
func (s *Scratch) Remove() (err error) {
	for range 2 { // a process that was killed may just have been writing into it
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
