//go:build unix

package gotest

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

func separate(cmd *exec.Cmd) bool {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return true
}

func (g *group) send(s syscall.Signal) {
	pid := g.cmd.Process.Pid
	if g.own {
		pid = -pid
	}
	_ = unix.Kill(pid, s) // it may have just ended
}

func (g *group) interrupt() { g.send(unix.SIGINT) }
func (g *group) kill()      { g.send(unix.SIGKILL) }

// pipeSignal means that the reader of the output is gone. It would end this process and leave its
// files.
const pipeSignal = syscall.SIGPIPE

// endSignals returns the signals that ask for an end. Under nohup a closed terminal does not.
func endSignals() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM, pipeSignal}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}
