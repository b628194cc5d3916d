// Package interrupt runs commands that record something about themselves and must have time to write it when the user
// wants an end.
package interrupt

import (
	"context"
	"os"
	"os/exec"
	"time"
)

const (
	grace    = time.Second     // to end because of an interrupt that was not sent from here
	Patience = 5 * time.Second // to end because of one that was
)

// Run runs cmd, which must not belong to a context, to its end, and returns what its Wait does.
//
// When ctx is done it interrupts cmd. An interrupt from a terminal has gone to cmd as well, which must not take it for
// a second one. So it has some time to end first, and some more before it is killed.
func Run(ctx context.Context, cmd *exec.Cmd) error {
	cmd.WaitDelay = Patience // for what it has started and left with its output
	wait, send := grace, func(s os.Signal) error { return cmd.Process.Signal(s) }
	if apart(cmd) {
		wait, send = 0, func(s os.Signal) error { return signalGroup(cmd, s) }
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	for _, then := range []struct {
		after time.Duration
		what  os.Signal
	}{{wait, os.Interrupt}, {Patience, os.Kill}} {
		select {
		case err := <-ended:
			return err
		case <-time.After(then.after):
			_ = send(then.what) // it has just ended, or this system has no interrupts
		}
	}
	return <-ended
}
