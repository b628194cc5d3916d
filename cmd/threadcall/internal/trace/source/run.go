package source

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

const (
	grace    = time.Second     // to end because of an interrupt that was not sent from here
	patience = 5 * time.Second // to end because of one that was
)

// period is how often the runtime completes a part of a trace, which can then be read even if the process is killed.
// It does so every second of itself.
const period = 200 * time.Millisecond

// run runs cmd, which records a trace, to its end.
//
// When ctx is done it interrupts cmd. An interrupt from a terminal has gone to cmd as well, which must not take it for
// a second one. So it has some time to end first, and some more before it is killed.
func (r Request) run(ctx context.Context, cmd *exec.Cmd) error {
	cmd.Stdout, cmd.Stderr = r.Stdout, r.Stderr
	cmd.Env = append(cmd.Env, "GODEBUG="+debugFlags(cmd.Env))
	cmd.WaitDelay = patience // for what it has started and left with its output
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
	}{{wait, os.Interrupt}, {patience, os.Kill}} {
		select {
		case err := <-ended:
			return interrupted(err)
		case <-time.After(then.after):
			_ = send(then.what) // it has just ended, or this system has no interrupts
		}
	}
	return interrupted(<-ended)
}

func interrupted(err error) error {
	if err == nil {
		return nil // as it should
	}
	return fmt.Errorf("interrupted: %w", err)
}

// debugFlags returns GODEBUG of env with the period added. Of two values the runtime takes the later one, the user's.
func debugFlags(env []string) string {
	users := ""
	for _, e := range env {
		if value, is := strings.CutPrefix(e, "GODEBUG="); is {
			users = value
		}
	}
	return strings.TrimSuffix(fmt.Sprintf("traceadvanceperiod=%d,%s", period.Nanoseconds(), users), ",")
}
