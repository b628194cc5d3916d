package recorder_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/recorder"
	"github.com/threadcall/threadcall/thread"
)

// slowCalls has threads with slow calls in a directory, with two files at most.
func slowCalls() {
	dir := os.Getenv("THREADCALL_TEST_FILE")
	th := thread.New(thread.WithName("a/b"))
	report := recorder.SlowCalls(dir, 2)
	for range 3 {
		written := make(chan bool)
		th.OnSlowCall(time.Millisecond, func(s thread.SlowCall) { report(s); written <- true })
		th.Call(func() { <-written })
	}
}

func TestSlowCalls(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "here")
	output, status, _ := run(t, "has slow calls", dir)
	files, err := os.ReadDir(dir)
	if strings.Contains(output, "needs Go 1.25") && strings.HasPrefix(runtime.Version(), "go1.24") {
		if status != 0 || len(files) != 0 {
			t.Errorf("status %d and %d files", status, len(files))
		}
		return
	}
	if status != 0 || output != "" || err != nil || len(files) != 2 {
		t.Fatalf("status %d, output %q, %d files, %v; want 2 files", status, output, len(files), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil || !bytes.HasPrefix(data, []byte("go 1.")) || !bytes.Contains(data, []byte("threadcall.slow")) ||
			!strings.HasSuffix(f.Name(), "-a_b.trace") {
			t.Errorf("%s has %d bytes, %v", f.Name(), len(data), err)
		}
	}
}

func TestSlowCalls_errors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	output, status, _ := run(t, "has slow calls", file)
	if status != 0 || strings.Count(output, "recorder: ") == 0 {
		t.Errorf("status %d and %q although there is no directory", status, output)
	}
}

func TestOtherFilesOfTheDirectoryStay(t *testing.T) {
	dir := t.TempDir()
	names := []string{"other.trace", "slow-2.trace", "slow-1.trace", "slow-3.trace", "slow-0"}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := recorder.RemoveOldest(dir, 2); err != nil {
		t.Fatal(err)
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return errors.Is(err, os.ErrNotExist)
	})
	if got := fmt.Sprint(names); got != "[other.trace slow-2.trace slow-3.trace slow-0]" {
		t.Errorf("%s stay", got)
	}
}
