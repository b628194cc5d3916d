package measure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/lock"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/machine"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// Lock waits for the lock that one run at a time has, which is when the run begins.
func Lock(ctx context.Context, command string, l *plan.Log) (release func(), waited bool, err error) {
	release, err = lock.Acquire(ctx, command, func(holder string) {
		waited = true
		l.Trouble("Waiting for " + ui.Plain(holder))
	})
	switch {
	case err == nil:
	case errors.Is(err, errors.ErrUnsupported):
		l.Note("This system has no locks that a crash releases, so other benchmarks may run at the same time.")
		release = func() {}
	default:
		return nil, waited, err
	}
	return release, waited, nil
}

// Scratch makes the directory for what lasts as long as the run.
func Scratch(l *plan.Log) (_ *gotest.Scratch, remove func(), err error) {
	scratch, err := gotest.NewScratch()
	if err != nil {
		return nil, nil, fmt.Errorf("cannot make a directory for binaries: %w; GOTMPDIR names another place for them", err)
	}
	return scratch, func() {
		if err := scratch.Remove(); err != nil {
			l.Trouble(fmt.Sprintf("cannot remove what was built: %v", err))
		}
	}, nil
}

// Observe measures for a second what the machine does when nothing of the run's own does anything.
func Observe(ctx context.Context, procs []int, l *plan.Log) (*machine.Watch, []machine.Finding) {
	watch := machine.NewWatch()
	l.Progress("measuring the background load")
	found := watch.Before(ctx, time.Second, procs)
	l.Progress("")
	return watch, found
}
