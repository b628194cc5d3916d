package source_test

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/source"
)

func TestOpen_errors(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	for _, c := range []struct {
		program string
		change  source.Request
		reason  string
		status  int
	}{
		{"is quiet", source.Request{}, "/recorder\"\n\trecorder.Start()\n\tdefer recorder.Stop()", -1},
		{"exits at once", source.Request{}, "recorder.Stop", 3},
		{"", source.Request{Command: []string{"no-such-command-here"}}, "no-such-command-here", -1},
		{"is quiet", source.Request{Keep: filepath.Join(missing, "kept.trace")},
			"the trace cannot be kept:", -1},
		{"", source.Request{File: missing}, "missing", -1},
	} {
		r := command(t, c.program)
		r.Keep, r.File = c.change.Keep, c.change.File
		if c.change.Command != nil {
			r.Command = c.change.Command
		}
		results := open(t, t.Context(), r)
		if len(results) != 1 || results[0].err == nil ||
			!strings.Contains(results[0].err.Error(), c.reason) ||
			exitCode(results[0].err) != c.status {
			t.Errorf("%s %+v: %+v", c.program, c.change, results)
		}
	}
}

func TestOpen_killed(t *testing.T) {
	r := command(t, "is killed")
	r.Keep = filepath.Join(t.TempDir(), "kept.trace")
	got := one(t, r)
	if got.failed == nil || got.report.Trace.Events == 0 || got.report.Goroutines.Created < 10 {
		t.Errorf("failed with %v, %+v", got.failed, got.report.Trace)
	}
	// What is kept is the same trace.
	again := one(t, source.Request{File: r.Keep})
	if again.report.Trace.Events != got.report.Trace.Events {
		t.Errorf("%+v, then %+v", got.report.Trace, again.report.Trace)
	}
}

func TestOpen_interrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no interrupts for one process")
	}
	for program, fails := range map[string]bool{
		"ends when asked": false, "dies of an interrupt": true, "does not end": true,
	} {
		t.Run(program, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r := command(t, program)
			r.Stdout = writer(func(text string) {
				if strings.Contains(text, "ready") {
					cancel()
				}
			})
			results := open(t, ctx, r)
			if len(results) != 1 || results[0].err != nil || (results[0].failed != nil) != fails ||
				!fails && results[0].report.Trace.Truncated {
				t.Errorf("%+v", results)
			}
		})
	}
}
