//go:build !unix

package process

import (
	"os"
	"os/exec"
)

func separate(*exec.Cmd) {}

func interrupt(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func quit(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func kill(*exec.Cmd) {}

// Alive reports whether a process has the id.
func Alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release()
	return true
}
