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

// endSignals returns the signals that ask for an end: SIGPIPE does because the reader of the output
// is gone, and would end this process and leave its files. Under nohup a closed terminal does not.
func endSignals() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGPIPE}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}
