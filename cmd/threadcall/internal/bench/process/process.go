// Package process runs commands that end when they are told to, together with what they have started.
package process

import (
	"context"
	"os/exec"
	"time"
)

// grace is how long a command has to end after it was asked to, before it is killed.
const grace = 2 * time.Second

// Command is exec.CommandContext for a process that starts others: when ctx ends, all of them are asked to end and then
// killed, where the system has a way to reach them (everywhere but on Windows and Plan 9, where only the first is
// killed). A Ctrl-C on the terminal does not reach them: it is for this program to say when they end.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	separate(cmd)
	cmd.Cancel = func() error { return interrupt(cmd) }
	cmd.WaitDelay = grace
	return cmd
}

// End kills what is left of the processes that cmd has started. Call it after Wait.
func End(cmd *exec.Cmd) { kill(cmd) }
