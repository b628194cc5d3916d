// Package gotest lists, builds, runs and interrupts the tests of Go packages.
package gotest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/term"
)

const (
	grace         = 3 * time.Second // to end because of an interrupt; for output after the end
	terminalGrace = time.Second     // to end because of an interrupt that the terminal has sent
)

// Run runs cmd, which [exec.CommandContext] has made, to its end, and returns what its Wait
// returns.
//
// The process and what it starts are a process group, where the system has those. When the context
// is done, Run interrupts the group, and kills it if it does not end. What is left of the group
// when the process has ended, Run kills.
//
// A process that reads the standard input from a terminal stays in the group of this one, because a
// terminal stops those of other groups that read. An interrupt from the terminal reaches it without
// Run, and it must not take another one for a second, so it gets that only if it goes on.
func Run(cmd *exec.Cmd) error {
	g := &group{cmd: cmd, own: (cmd.Stdin != os.Stdin || !term.IsTerminal(int(os.Stdin.Fd()))) &&
		separate(cmd)}
	cmd.WaitDelay = grace
	cmd.Cancel = func() error {
		if !g.own {
			time.Sleep(terminalGrace)
		}
		g.interrupt()
		return os.ErrProcessDone // so that a process that ends with status 0 has not failed
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	running.Store(g, nil)
	defer running.Delete(g)
	err := cmd.Wait()
	if g.own { // the group outlives the process as long as anything is in it
		g.kill()
	}
	return err
}

// Output runs cmd by [Run] and returns what it writes. If its context, ctx, is done, the error is
// the cause.
func Output(ctx context.Context, cmd *exec.Cmd) (stdout, stderr []byte, err error) {
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err = Run(cmd); ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return out.Bytes(), bytes.TrimSpace(complaints.Bytes()), err
}

// A group is a process with what it has started.
type group struct {
	cmd *exec.Cmd
	own bool // it is a process group
}

// running has the groups that are running.
var running sync.Map

// ErrInterrupted is the cause of the contexts of [Interruptible].
var ErrInterrupted = errors.New("interrupted")

// sameSignal is how long after the first signal others count as the same: timeout(1) sends one to
// the process and one to its group.
const sameSignal = time.Second

// Interruptible returns a context that ends when the user asks for an end, of which report is
// called, or when the reader of the output is gone. What was measured until then can still be
// shown. When the user asks again, more than a second later, all processes are killed, all scratch
// directories removed, and this process exits with the status.
func Interruptible(status int, report func()) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, endSignals()...)
	go func() {
		var again time.Time
		for s := range signals {
			switch {
			case ctx.Err() == nil:
				if s != pipeSignal {
					report()
				}
				cancel(ErrInterrupted)
				again = time.Now().Add(sameSignal)
			case s != pipeSignal && time.Now().After(again):
				running.Range(func(g, _ any) bool {
					g.(*group).kill()
					return true
				})
				removeScratches()
				os.Exit(status)
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		cancel(nil)
	}
}

// A Scratch is a directory for binaries and other files that lasts as long as a run.
type Scratch struct{ Dir string } // absolute

// scratches has those that are not removed yet.
var scratches sync.Map

// NewScratch makes a directory where the go command makes its own: in GOTMPDIR or the system's.
func NewScratch() (*Scratch, error) {
	dir, err := os.MkdirTemp(os.Getenv("GOTMPDIR"), "threadcall-scratch-")
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot make a directory for binaries: %w; GOTMPDIR names another place "+
			"for them", err)
	}
	s := &Scratch{dir}
	scratches.Store(s, nil)
	return s, nil
}

// Remove removes the directory. It may be called again, and while another call is under way.
func (s *Scratch) Remove() (err error) {
	for range 2 { // a process that was killed may just have been writing into it
		err = os.RemoveAll(s.Dir)
	}
	scratches.Delete(s)
	return err
}

func removeScratches() {
	scratches.Range(func(s, _ any) bool {
		_ = s.(*Scratch).Remove()
		return true
	})
}
