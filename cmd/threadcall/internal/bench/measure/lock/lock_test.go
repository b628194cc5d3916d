package lock

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func file(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "lock")
	t.Setenv(FileVariable, name)
	return name
}

func acquire(t *testing.T, command string, waits func(string)) (release func()) {
	t.Helper()
	release, err := Acquire(t.Context(), command, waits)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return release
}

func TestAcquire(t *testing.T) {
	file(t)
	var running atomic.Int32
	waited := make(chan string, 1)
	release := acquire(t, strings.Repeat("long ", 100), nil)
	done := make(chan bool)
	for range 4 {
		go func() {
			defer func() { done <- true }()
			release, err := Acquire(t.Context(), "a\nb", func(holder string) {
				select {
				case waited <- holder:
				default:
				}
			})
			if err != nil {
				t.Error(err)
				return
			}
			if n := running.Add(1); n != 1 {
				t.Errorf("%d hold the lock", n)
			}
			time.Sleep(time.Millisecond)
			running.Add(-1)
			release()
		}()
	}
	holder, pid := <-waited, fmt.Sprintf("pid %d (", os.Getpid())
	if !strings.HasPrefix(holder, pid) || !strings.HasSuffix(holder, "long long ") {
		t.Errorf("waits for %q", holder)
	}
	release()
	for range 4 {
		<-done
	}
}

func TestAcquire_file(t *testing.T) {
	name := file(t)
	acquire(t, "first", func(string) {})()
	if info, err := os.Stat(name); err != nil || info.Mode().Perm()&0o044 != 0o044 {
		t.Errorf("%v, %v", info, err)
	}
	os.Remove(name) // while it is unlocked, or between open and lock
	acquire(t, "second", func(string) {})()
	target := filepath.Join(t.TempDir(), "target")
	err := errors.Join(os.Remove(name), os.WriteFile(target, nil, 0o666), os.Symlink(target, name))
	if err != nil {
		t.Skip(err)
	}
	_, err = Acquire(t.Context(), "third", nil)
	if err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Error(err)
	}
}
