// Package process runs commands that end when they are told to, together with what they have started.
package process

import (
	"context"
	"os/exec"
	"sync"
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
	cmd.Cancel = func() error {
		ending.Store(cmd, nil)
		return interrupt(cmd)
	}
	cmd.WaitDelay = grace
	return cmd
}

// Quit makes a Go program that runs write where its goroutines are and end, where the system has a way to say so; elsewhere
// it just ends. What it has started is left to End.
func Quit(cmd *exec.Cmd) error {
	ending.Store(cmd, nil)
	return quit(cmd)
}

// End kills what is left of the processes that cmd has started. Call it after Wait.
func End(cmd *exec.Cmd) {
	kill(cmd)
	ending.Delete(cmd)
}

// ending are the commands that were asked to end and for which End was not called.
var ending sync.Map

// KillAll kills, without waiting, the processes that were asked to end and have perhaps not. It is for a program that
// is about to exit.
func KillAll() {
	ending.Range(func(cmd, _ any) bool {
		kill(cmd.(*exec.Cmd))
		return true
	})
}
