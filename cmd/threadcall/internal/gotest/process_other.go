//go:build !unix

package gotest

import (
	"os"
	"os/exec"
	"syscall"
)

// separate does nothing, because there are no process groups. A console interrupts what runs in it
// by itself.
func separate(*exec.Cmd) bool { return false }

// Windows does not support interrupt.
func (g *group) interrupt() { _ = g.cmd.Process.Signal(os.Interrupt) }
func (g *group) kill()      { _ = g.cmd.Process.Kill() }

func endSignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

var pipeSignal os.Signal // nil: there is none for an output without a reader
