package source_test

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// TestTrace_command has other commands that leave no trace.
func TestRecord_noTrace(t *testing.T) {
	got := record(t.Context(), t, "exits at once", nil)
	var status *exec.ExitError // as failed, if the runtime had time to write something
	if err := errors.Join(got.failed, got.err); !errors.As(err, &status) || status.ExitCode() != 3 {
		t.Errorf("%+v", got)
	}
}

func TestRecord_killed(t *testing.T) {
	got := record(t.Context(), t, "is killed", nil)
	if got.failed == nil || got.err != nil || got.report.Trace.Events == 0 ||
		got.report.Goroutines.Created < 10 {
		t.Errorf("%+v", got)
	}
}

func TestRecord_interrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no interrupts for one process")
	}
	for program, fails := range map[string]bool{
		"ends when asked": false, "dies of an interrupt": true, "does not end": true,
	} {
		t.Run(program, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			got := record(ctx, t, program, writer(func(text string) {
				if strings.Contains(text, "ready") {
					cancel()
				}
			}))
			if got.err != nil || (got.failed != nil) != fails || !fails && got.report.Trace.Truncated {
				t.Errorf("%+v", got)
			}
		})
	}
}
