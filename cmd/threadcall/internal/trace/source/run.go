package source

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/interrupt"
)

// period is how often the runtime completes a part of a trace, which can then be read even if the process is killed.
// It does so every second of itself.
const period = 200 * time.Millisecond

// run runs cmd, which records a trace, to its end. When ctx is done it is interrupted.
func (r Request) run(ctx context.Context, cmd *exec.Cmd) error {
	cmd.Stdout, cmd.Stderr = r.Stdout, r.Stderr
	cmd.Env = append(cmd.Env, "GODEBUG="+debugFlags(cmd.Env))
	err := interrupt.Run(ctx, cmd)
	if err != nil && cmd.Process != nil && ctx.Err() != nil {
		return fmt.Errorf("interrupted: %w", err)
	}
	return err
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
