package source_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/read"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/source"
)

func TestWithoutATraceThereIsAReason(t *testing.T) {
	device := filepath.Join(t.TempDir(), "device")
	if err := os.Symlink(os.DevNull, device); err != nil {
		t.Log("no links here: ", err)
	}
	for _, c := range []struct {
		program string
		request source.Request
		reason  string
		status  int
	}{
		{"is quiet", source.Request{}, "\timport \"github.com/threadcall/threadcall/recorder\"\n\trecorder.Start()\n\tdefer recorder.Stop()", -1},
		{"exits at once", source.Request{}, "recorder.Stop", 3},
		{"", source.Request{Command: []string{"no-such-command-here"}}, "no-such-command-here", -1},
		{"is quiet", source.Request{Keep: filepath.Join(t.TempDir(), "missing", "kept.trace")}, "the trace cannot be kept:", -1},
		{"is quiet", source.Request{Keep: device}, "the trace cannot be kept:", -1},
		{"", source.Request{File: filepath.Join(t.TempDir(), "missing")}, "missing", -1},
	} {
		r := command(t, c.program)
		r.Keep, r.File = c.request.Keep, c.request.File
		if c.request.Command != nil {
			r.Command = c.request.Command
		}
		results := open(t, t.Context(), r)
		if len(results) != 1 || results[0].err == nil || !strings.Contains(results[0].err.Error(), c.reason) || exitCode(results[0].err) != c.status {
			t.Errorf("%s %+v: %+v", c.program, c.request, results)
		}
	}
	if at, err := os.Lstat(device); err == nil && at.Mode().IsRegular() {
		t.Error("a trace is in place of a device")
	}
}

func TestATraceIsReadUpToWhereTheProgramWasKilled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kept.trace")
	link := file + ".link"
	if os.Symlink(file, link) != nil {
		link = file // no links here
	}
	r := command(t, "is killed")
	r.Keep = link // which stays a link
	t.Setenv("THREADCALL_TEST_FILE", file)
	got := one(t, r)
	if got.failed == nil || got.report.Trace.Events == 0 || got.report.Trace.Duration == 0 || got.report.Goroutines.Created < 10 {
		t.Errorf("failed with %v, %+v", got.failed, got.report.Trace)
	}
	// What is kept is the same trace.
	again := one(t, source.Request{File: file})
	if again.report.Trace.Events != got.report.Trace.Events || again.size != got.size || again.size != got.report.Trace.Bytes {
		t.Errorf("%d events in %d bytes, then %d in %d", got.report.Trace.Events, got.size, again.report.Trace.Events, again.size)
	}
	// Half of it as well.
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data[:len(data)*2/3], 0o600); err != nil {
		t.Fatal(err)
	}
	half := one(t, source.Request{File: file})
	if half.report.Trace.Events == 0 || half.report.Trace.Events >= got.report.Trace.Events || !half.report.Trace.Truncated {
		t.Errorf("%d events of %d, %+v", half.report.Trace.Events, got.report.Trace.Events, half.report.Trace)
	}
}

func TestAnInterruptEndsTheCommandAndItsTraceIsRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no interrupts for one process")
	}
	for program, fails := range map[string]bool{"ends when asked": false, "dies of an interrupt": true, "does not end": true} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			file := filepath.Join(t.TempDir(), "kept.trace")
			r := source.Request{
				Command: []string{"env", variable + "=" + program, "THREADCALL_TEST_FILE=" + file, os.Args[0]},
				Keep:    file,
				Stdout: writer(func(text string) {
					if strings.Contains(text, "ready") {
						cancel()
					}
				}),
				Doing: func(string) {},
			}
			n := 0
			for tr, err := range source.Open(ctx, r) {
				if err != nil {
					t.Fatal(err)
				}
				n++
				if (tr.Failed != nil) != fails {
					t.Errorf("failed with %v", tr.Failed)
				}
				report, err := read.Trace(tr, read.Options{})
				if err != nil || program == "ends when asked" && report.Trace.Truncated {
					t.Errorf("error %v, report %+v", err, report)
				}
			}
			if n != 1 {
				t.Errorf("%d traces", n)
			}
		})
	}
}
