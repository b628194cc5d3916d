package lock

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAcquire_file(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	t.Setenv(FileVariable, name)
	for range 2 {
		release, err := Acquire(t.Context(), "command", func(string) {})
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		release()
		if info, err := os.Stat(name); err != nil || info.Mode().Perm()&0o044 != 0o044 {
			t.Errorf("%v, %v", info, err)
		}
		os.Remove(name) // while it is unlocked, or between open and lock
	}
	target := filepath.Join(t.TempDir(), "target")
	if err := errors.Join(os.WriteFile(target, nil, 0o666), os.Symlink(target, name)); err != nil {
		t.Skip(err)
	}
	_, err := Acquire(t.Context(), "command", nil)
	if err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Error(err)
	}
}
