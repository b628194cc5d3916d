package recorder_test

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/recorder"
	"github.com/threadcall/threadcall/thread"
)

// keepsLast prints what is wrong.
func keepsLast() {
	complain(recorder.KeepLast(time.Second, 1<<20))
	if recorder.KeepLast(time.Second, 1<<20) == nil {
		fmt.Println("KeepLast has no error the second time")
	}
	th := thread.New(thread.WithName("named"))
	th.Call(func() {})
	full, err := os.Open(os.DevNull) // for reading
	if err != nil || recorder.WriteLast(full) == nil {
		fmt.Println("WriteLast drops the writer's error", err)
	}
	f, err := os.Create(os.Getenv("THREADCALL_TEST_FILE"))
	complain(err)
	complain(recorder.WriteLast(f))
	complain(f.Close())
}

// hasSlowCalls has three slow calls in a directory of two files, and prints the errors.
func hasSlowCalls() {
	th := thread.New(thread.WithName("a/b"))
	report := (&recorder.Files{
		Dir: os.Getenv("THREADCALL_TEST_FILE"), Keep: 2, Interval: 1,
		OnError: func(err error) { fmt.Println(err) },
	}).SlowCalls()
	for range 3 {
		written := make(chan bool)
		th.OnSlowCall(time.Millisecond, func(s thread.SlowCall) {
			if s.Running > 0 { // it may have waited for long before
				report(s)
				written <- true
			}
		})
		th.Call(func() { <-written })
	}
}

// hasManySlowCalls has a hundred slow calls at once.
func hasManySlowCalls() {
	files := recorder.Files{Dir: os.Getenv("THREADCALL_TEST_FILE")}
	report := files.SlowCalls()
	var all testutil.Group
	for range 100 {
		all.Go(func() { report(thread.SlowCall{}) })
	}
	all.Wait()
}

// getsSignals raises three signals with a directory of two files, one after stop that another part
// of the program gets, and one that nothing gets.
func getsSignals() {
	dir := os.Getenv("THREADCALL_TEST_FILE")
	stop, err := (&recorder.Files{Dir: dir, Keep: 2}).OnSignal(syscall.SIGTERM)
	if err != nil {
		fmt.Println(err)
		return
	}
	names := func() []string {
		names, _ := filepath.Glob(filepath.Join(dir, "signal-2*.trace"))
		return names
	}
	for n := range 3 {
		before := names()
		written := func() bool {
			now := names()
			return len(now) == min(n+1, 2) && !slices.Equal(now, before)
		}
		for raise(syscall.SIGTERM); !written(); time.Sleep(time.Millisecond) {
		}
	}
	other := make(chan os.Signal, 1)
	signal.Notify(other, syscall.SIGTERM)
	stop()
	stop()
	before := names()
	raise(syscall.SIGTERM)
	<-other
	if !slices.Equal(names(), before) {
		fmt.Println("a file after stop")
	}
	signal.Stop(other)
	raise(syscall.SIGTERM)
	time.Sleep(timeLimit)
}

// needs125 skips the test without a FlightRecorder. TestHandler has the error that there is then.
func needs125(t *testing.T) {
	if strings.HasPrefix(runtime.Version(), "go1.24") {
		t.Skip("needs Go 1.25")
	}
}

func TestKeepLast_refusesToKeepNothing(t *testing.T) {
	for want, err := range map[string]error{
		"KeepLast(0s, 1)": recorder.KeepLast(0, 1), "KeepLast(1s, 0)": recorder.KeepLast(time.Second, 0),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func TestWriteLast_writesTheLastSeconds(t *testing.T) {
	needs125(t)
	file := filepath.Join(t.TempDir(), "last.trace")
	output, status, _ := run(t, "keeps the last", file)
	data, err := os.ReadFile(file)
	if status != 0 || output != "" || err != nil || !bytes.HasPrefix(data, []byte("go 1.")) {
		t.Fatalf("status %d, output %q, %v, %d bytes", status, output, err, len(data))
	}
}

// A directory has the two youngest files of a program, and what else is in it.
func TestFiles_keepsTheYoungestFiles(t *testing.T) {
	needs125(t)
	for program, want := range map[string]struct{ pattern, content string }{
		"has slow calls": {"slow-2*-a_b.trace", "threadcall.slow"},
		"gets signals":   {"signal-2*.trace", ""},
	} {
		t.Run(program, func(t *testing.T) {
			if runtime.GOOS == "windows" && program == "gets signals" {
				t.Skip("Windows has no signals")
			}
			dir := t.TempDir()
			for _, name := range []string{"other.trace", "slow-0", "slow-1.trace", "signal-1.trace"} {
				if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			output, status, _ := run(t, program, dir)
			files, err := filepath.Glob(filepath.Join(dir, want.pattern))
			all, _ := os.ReadDir(dir)
			if output != "" || (status == 0) != (program == "has slow calls") || err != nil ||
				len(files) != 2 || len(all) != 5 {
				t.Errorf("status %d, output %q, files %v; want 2, 3 that are not the program's, and that "+
					"the last signal ends the process", status, output, all)
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

func TestFiles_writesOneFileInAnInterval(t *testing.T) {
	needs125(t)
	dir := t.TempDir()
	output, status, _ := run(t, "has many slow calls", dir)
	files, _ := filepath.Glob(filepath.Join(dir, "slow-*.trace"))
	if status != 0 || output != "" || len(files) != 1 {
		t.Errorf("status %d, output %q, files %v; want one", status, output, files)
	}
}

func TestFiles_reportsErrors(t *testing.T) {
	output, status, _ := run(t, "has slow calls", os.DevNull) // which is not a directory
	if status != 0 || strings.Count(output, "recorder: ") != 3 {
		t.Errorf("status %d and %q although there is no directory", status, output)
	}
}
