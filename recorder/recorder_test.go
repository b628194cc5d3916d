package recorder_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/trace"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/recorder"
)

const variable = "THREADCALL_TRACE"

// programs are what the tests run in processes of their own, each with a file for its trace. What
// such a trace says, also if the program exits or is killed, is tested in
// cmd/threadcall/internal/trace/source.
var programs = map[string]func(){
	"returns":        func() { start(); defer stop() },
	"panics":         func() { start(); defer stop(); panic("as it should") },
	"traces itself":  func() { _ = trace.Start(io.Discard); start(); stop(); fmt.Println("runs on") },
	"runs on":        func() { start(); stop(); fmt.Println("runs on") },
	"has children":   func() { start(); defer stop(); fmt.Printf("%q", os.Getenv(variable)) },
	"stops at once":  stopsAtOnce,
	"has slow calls": hasSlowCalls,
	"keeps the last": keepsLast,
	"gets signals":   getsSignals,

	"has many slow calls": hasManySlowCalls,
}

func start() { complain(recorder.Start()) }
func stop()  { complain(recorder.Stop()) }

func complain(err error) {
	if err != nil {
		fmt.Println(err)
	}
}

const timeLimit = 45 * time.Second

func TestMain(m *testing.M) {
	if name := os.Getenv("THREADCALL_PROGRAM"); name != "" {
		programs[name]()
		return
	}
	os.Exit(m.Run())
}

func raise(s syscall.Signal) {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(s)
	}
	if err != nil {
		panic(err)
	}
}

func stopsAtOnce() {
	start()
	start()
	var all testutil.Group
	for range 8 {
		all.Go(stop)
	}
	all.Wait()
}

// run runs a program and returns what it wrote, its status and its trace.
func run(t *testing.T, program, file string) (output string, status int, trace []byte) {
	t.Helper()
	if runtime.GOARCH == "wasm" {
		t.Skip("js/wasm cannot start a process")
	}
	output, status, err := testutil.Run(timeLimit, "THREADCALL_PROGRAM="+program, variable+"="+file,
		"THREADCALL_TEST_FILE="+file)
	if err != nil {
		t.Fatal(err)
	}
	if at, err := os.Stat(file); err == nil && at.Mode().IsRegular() { // others may never end
		trace, _ = os.ReadFile(file)
	}
	return output, status, trace
}

func TestStart_recordsUntilStop(t *testing.T) {
	for program, want := range map[string]struct {
		status int
		output string
	}{
		"returns":       {0, ""},
		"panics":        {2, "as it should"},
		"stops at once": {0, ""},
	} {
		t.Run(program, func(t *testing.T) {
			output, status, trace := run(t, program, filepath.Join(t.TempDir(), "trace"))
			if status != want.status || !strings.Contains(output, want.output) {
				t.Errorf("status %d and %q, want %d and %q", status, output, want.status, want.output)
			}
			if !bytes.HasPrefix(trace, []byte("go 1.")) || len(trace) < 500 {
				t.Errorf("left %d bytes: %.20q", len(trace), trace)
			}
		})
	}
}

func TestStart_returnsErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace")
	missing, full := filepath.Join(file, "missing"), filepath.Join(t.TempDir(), "full")
	before := bytes.Repeat([]byte("before"), 1<<20)
	for _, name := range []string{file, full} {
		if err := os.WriteFile(name, before, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ program, file, output, complaint string }{
		{"runs on", missing, "runs on", "recorder: THREADCALL_TRACE: open " + missing},
		{"returns", full, "", ""},
		{"traces itself", file, "runs on", "recorder: "},
		{"returns", "/dev/full", "", "recorder: the trace ends too early: "},
		{"has children", file, `""`, ""}, // the environment of children does not name the file
		{"runs on", "", "runs on", ""},
	} {
		if _, err := os.Stat(c.file); c.file == "/dev/full" && err != nil {
			continue
		}
		output, status, data := run(t, c.program, c.file)
		if status != 0 || !strings.Contains(output, c.output) || !strings.Contains(output, c.complaint) ||
			strings.Count(output, "recorder: ") != strings.Count(c.complaint, "recorder: ") {
			t.Errorf("%s: status %d and %q", c.program, status, output)
		}
		switch {
		case c.program == "traces itself" && !bytes.Equal(data, before):
			t.Error("a Start with an error has changed the file")
		case c.file == full && (!bytes.HasPrefix(data, []byte("go 1.")) || len(data) >= len(before)):
			t.Error("the file is not replaced")
		}
	}
}
