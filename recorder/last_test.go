package recorder_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/threadcall/threadcall/recorder"
	"github.com/threadcall/threadcall/thread"
)

// keepsLast prints what is wrong.
func keepsLast() {
	if err := recorder.KeepLast(0, 1); err == nil {
		fmt.Println("KeepLast of no time has no error")
	}
	if err := recorder.KeepLast(time.Second, 1<<20); err != nil {
		fmt.Println(err)
		return
	}
	if err := recorder.KeepLast(time.Second, 1<<20); err == nil {
		fmt.Println("KeepLast has no error the second time")
	}
	th := thread.New(thread.WithName("named"))
	th.Call(func() {})
	var b bytes.Buffer
	for range 2 {
		b.Reset()
		if err := recorder.WriteLast(&b); err != nil {
			fmt.Println(err)
		}
	}
	failing := errors.New("as it should")
	fails := writerFunc(func([]byte) (int, error) { return 0, failing })
	if err := recorder.WriteLast(fails); !errors.Is(err, failing) {
		fmt.Println("the writer's error becomes", err)
	}
	if err := os.WriteFile(os.Getenv("THREADCALL_TEST_FILE"), b.Bytes(), 0o666); err != nil {
		fmt.Println(err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// hasSlowCalls has three slow calls in a directory of two files, and prints the errors.
func hasSlowCalls() {
	dir := os.Getenv("THREADCALL_TEST_FILE")
	recorder.OnError(func(err error) { fmt.Println(err) })
	th := thread.New(thread.WithName("a/b"))
	report := recorder.SlowCalls(dir, 2)
	for range 3 {
		written := make(chan bool)
		th.OnSlowCall(time.Millisecond, func(s thread.SlowCall) { report(s); written <- true })
		th.Call(func() { <-written })
	}
}

// getsSignals raises three signals with a directory of two files, and one after the reset.
func getsSignals() {
	dir := os.Getenv("THREADCALL_TEST_FILE")
	if err := recorder.OnSignal(dir, 2, syscall.SIGTERM); err != nil {
		fmt.Println(err)
		return
	}
	seen := map[string]bool{}
	see := func() int {
		names, _ := filepath.Glob(filepath.Join(dir, "signal-*.trace"))
		for _, name := range names {
			seen[name] = true
		}
		return len(seen)
	}
	before := see()
	for n := range 3 {
		raise(syscall.SIGTERM)
		for end := time.Now().Add(timeLimit); see() <= before+n && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
	}
	fmt.Println(len(seen) - before)
	signal.Reset(syscall.SIGTERM)
	raise(syscall.SIGTERM)
	time.Sleep(timeLimit)
}

// old reports whether there is no FlightRecorder, which the output of a program must say then.
func old(t *testing.T, output string) bool {
	t.Helper()
	if !strings.HasPrefix(runtime.Version(), "go1.24") {
		return false
	}
	if !strings.Contains(output, "needs Go 1.25") {
		t.Errorf("output %q", output)
	}
	return true
}

func TestWriteLast(t *testing.T) {
	file := t.TempDir() + "/last.trace"
	output, status, _ := run(t, "keeps the last", file)
	if old(t, output) {
		return
	}
	data, err := os.ReadFile(file)
	if status != 0 || output != "" || err != nil || !bytes.HasPrefix(data, []byte("go 1.")) {
		t.Fatalf("status %d, output %q, %v, %d bytes", status, output, err, len(data))
	}
	if runtime.GOOS == "linux" && !bytes.Contains(data, []byte("named")) {
		t.Error("the trace does not have the name of the thread")
	}
}

// A directory that two programs fill has the two youngest files of each, and what else is in it.
func TestSlowCalls_OnSignal(t *testing.T) {
	for program, want := range map[string]struct{ output, pattern, content string }{
		"has slow calls": {"", "slow-2*-a_b.trace", "threadcall.slow"},
		"gets signals":   {"3\n", "signal-2*.trace", ""},
	} {
		t.Run(program, func(t *testing.T) {
			if runtime.GOOS == "windows" && program == "gets signals" {
				t.Skip("Windows has no signals")
			}
			dir := filepath.Join(t.TempDir(), "made", "here")
			output, _, _ := run(t, program, dir)
			if old(t, output) {
				return
			}
			for _, name := range []string{"other.trace", "slow-0", "slow-1.trace", "signal-1.trace"} {
				if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			var status int
			output, status, _ = run(t, program, dir)
			files, err := filepath.Glob(filepath.Join(dir, want.pattern))
			if output != want.output || (status == 0) != (program == "has slow calls") || err != nil ||
				len(files) != 2 {
				t.Errorf("status %d, output %q, files %q; want 2, and that the last signal ends the process",
					status, output, files)
			}
			if all, _ := os.ReadDir(dir); len(all) != 5 {
				t.Errorf("%v; want 2 files, and 3 that are not the program's", all)
			}
			for _, f := range files {
				data, err := os.ReadFile(f)
				if err != nil || !bytes.HasPrefix(data, []byte("go 1.")) ||
					!bytes.Contains(data, []byte(want.content)) {
					t.Errorf("%s has %d bytes, %v", f, len(data), err)
				}
			}
		})
	}
}

func TestOnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	output, status, _ := run(t, "has slow calls", file)
	if status != 0 || strings.Count(output, "recorder: ") != 3 {
		t.Errorf("status %d and %q although there is no directory", status, output)
	}
}
