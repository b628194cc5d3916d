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
		{"is quiet", source.Request{}, "\timport \"github.com/threadcall/threadcall/recorder\"\n\tdefer recorder.Start()()", -1},
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

func TestACommandThatFailsLeavesItsTrace(t *testing.T) {
	if r := one(t, command(t, "fails")); exitCode(r.failed) != 3 || r.report.Trace.Events == 0 {
		t.Errorf("failed with %v, %d events", r.failed, r.report.Trace.Events)
	}
}

func TestACommandMayRunElsewhere(t *testing.T) {
	r := command(t, "goes elsewhere")
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "temp"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, name := range []string{"TMPDIR", "TMP"} {
		t.Setenv(name, "temp")
	}
	for tr, err := range source.Open(t.Context(), r) {
		if err != nil || tr.Failed != nil {
			t.Errorf("trace %+v, error %v", tr, err)
		}
	}
}

// kept makes the request keep its trace, whose name the program is told.
func kept(t *testing.T, r source.Request) (source.Request, string) {
	r.Keep = filepath.Join(t.TempDir(), "kept.trace")
	t.Setenv("THREADCALL_TEST_FILE", r.Keep)
	return r, r.Keep
}

func TestATraceIsReadUpToWhereTheProgramWasKilled(t *testing.T) {
	r, file := kept(t, command(t, "is killed"))
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
	for program, fails := range map[string]bool{"ends when asked": false, "dies of an interrupt": true, "does not end": true,
		"ends when asked, by a shell": true} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			command := []string{os.Args[0]}
			program, byShell := strings.CutSuffix(program, ", by a shell")
			if byShell {
				command = []string{"sh", "-c", `"$0"; echo the shell goes on`, os.Args[0]}
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			file := filepath.Join(t.TempDir(), "kept.trace")
			seen := make(chan bool)
			r := source.Request{
				Command: append([]string{"env", variable + "=" + program, "THREADCALL_TEST_FILE=" + file}, command...),
				Keep:    file,
				Stdout:  &watched{wait: "ready", seen: seen},
				Doing:   func(string) {},
			}
			go func() { <-seen; cancel() }()
			n := 0
			for tr, err := range source.Open(ctx, r) {
				if err != nil {
					t.Fatal(err)
				}
				n++
				if (tr.Failed != nil) != fails && !byShell { // shells differ
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

func TestATraceIsKeptWhereALinkLeads(t *testing.T) {
	file, link := filepath.Join(t.TempDir(), "kept.trace"), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(file, link); err != nil {
		t.Skip("no links here: ", err)
	}
	r := command(t, "makes calls")
	r.Keep = link
	want := one(t, r)
	if at, err := os.Stat(file); err != nil || at.Size() != want.size {
		t.Errorf("%v; want a file of %d bytes", err, want.size)
	}
}
