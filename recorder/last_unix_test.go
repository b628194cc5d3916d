//go:build unix

package recorder_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/threadcall/threadcall/recorder"
)

func init() {
	programs["gets signals"] = func() {
		dir := os.Getenv("THREADCALL_TEST_FILE")
		stop := recorder.OnSignal(dir, 2, syscall.SIGTERM)
		if recorder.WriteLast(io.Discard) != nil { // before Go 1.25
			return
		}
		seen := map[string]bool{}
		for n := 1; n <= 3; n++ {
			raise(syscall.SIGTERM)
			for end := time.Now().Add(timeLimit); len(seen) < n && time.Now().Before(end); time.Sleep(time.Millisecond) {
				names, _ := filepath.Glob(filepath.Join(dir, "signal-*.trace"))
				for _, name := range names {
					seen[name] = true
				}
			}
		}
		stop()
		stop()
		fmt.Println(len(seen))
		raise(syscall.SIGTERM)
		time.Sleep(timeLimit)
	}
}

func TestSignalsWriteTheLastSeconds(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "here")
	output, status, _ := run(t, "gets signals", dir)
	if old(t, output) {
		return
	}
	files, err := os.ReadDir(dir)
	if status == 0 || output != "3\n" || err != nil || len(files) != 2 {
		t.Fatalf("status %d, output %q, %d files, %v; want that the last signal ends the process, and 2 files", status, output, len(files), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil || !bytes.HasPrefix(data, []byte("go 1.")) {
			t.Errorf("%s has %d bytes, %v", f.Name(), len(data), err)
		}
	}
}
