package gotest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

func TestTheScratchDirectoriesOfKilledProcessesAreRemoved(t *testing.T) {
	parent := t.TempDir()
	t.Setenv("GOTMPDIR", parent)
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	left := map[string]string{"killed": strconv.Itoa(ended.Process.Pid), "alive": strconv.Itoa(os.Getpid()), "unknown": ""}
	for name, pid := range left {
		dir := filepath.Join(parent, ScratchPrefix+name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, owner), []byte(pid), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := NewScratch()
	if err != nil {
		t.Fatal(err)
	}
	for name := range left {
		if _, err := os.Stat(filepath.Join(parent, ScratchPrefix+name)); (err == nil) != (name != "killed") {
			t.Errorf("%s: %v", name, err)
		}
	}
	calls := 0
	s.BeforeRemove(func() { calls++ })
	removeScratches()
	if _, err := os.Stat(s.Dir); err == nil || calls == 0 {
		t.Errorf("after it was removed: %v, %d calls before", err, calls)
	}
	if err := s.Remove(); err != nil {
		t.Errorf("again: %v", err)
	}
}
