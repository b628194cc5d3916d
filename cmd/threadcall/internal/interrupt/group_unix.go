//go:build unix

package interrupt

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/term"
)

// apart gives cmd and what it starts a process group of their own, so that an interrupt reaches all of them: go run, for
// one, does not pass it on. It does not if there is a terminal, which interrupts them by itself, and stops those of
// another group that read from it.
func apart(cmd *exec.Cmd) (is bool) {
	if term.IsTerminal(int(os.Stdin.Fd())) {
		return false
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return true
}

func signalGroup(cmd *exec.Cmd, s os.Signal) error {
	return syscall.Kill(-cmd.Process.Pid, s.(syscall.Signal))
}
