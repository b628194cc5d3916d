//go:build !unix

package interrupt

import (
	"os"
	"os/exec"
)

// apart does nothing: here are no process groups.
func apart(*exec.Cmd) (is bool) { return false }

func signalGroup(cmd *exec.Cmd, s os.Signal) error { return cmd.Process.Signal(s) }
