package source_test

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/source"
)

// TestTrace_command has other commands that leave no trace.
func TestOpen_noTrace(t *testing.T) {
	tr, err := source.Open(t.Context(), command(t, "exits at once"))
	if err == nil { // the runtime had time to write something
		tr.Close()
		err = tr.Failed
	}
	var status *exec.ExitError
	if !errors.As(err, &status) || status.ExitCode() != 3 {
		t.Errorf("%+v, %v", tr, err)
	}
}

func TestOpen_killed(t *testing.T) {
	r := command(t, "is killed")
	r.Keep = filepath.Join(t.TempDir(), "kept.trace")
	got := open(t, t.Context(), r)
	if got.failed == nil || got.report.Trace.Events == 0 || got.report.Goroutines.Created < 10 {
		t.Errorf("failed with %v, %+v", got.failed, got.report.Trace)
	}
	// What is kept is the same trace.
	again := open(t, t.Context(), source.Request{File: r.Keep})
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
			if got := open(t, ctx, r); (got.failed != nil) != fails ||
				!fails && got.report.Trace.Truncated {
				t.Errorf("%+v", got)
			}
		})
	}
}
