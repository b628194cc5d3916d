// Package self starts the running program once more, for tests and measurements that need a process of their own.
package self

import (
	"os"
	"os/exec"
	"strings"
)

// Emulator is the variable of the environment that names the program, and its arguments, under which this one runs. The
// system cannot start a program for another processor; make ports says here what can.
const Emulator = "THREADCALL_EMULATOR"

// Command returns what starts this program again.
func Command() (*exec.Cmd, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	words := append(strings.Fields(os.Getenv(Emulator)), program)
	return exec.Command(words[0], words[1:]...), nil
}
