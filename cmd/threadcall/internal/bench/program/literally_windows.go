package program

import (
	"os/exec"
	"strings"
	"syscall"
)

// literally gives cmd its command as it is: cmd does not know the quoting by which os/exec passes arguments.
func literally(cmd *exec.Cmd, args []string) {
	if len(args) == 3 && args[1] == "/c" {
		cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: strings.Join([]string{`"` + args[0] + `"`, "/s", "/c", `"` + args[2] + `"`}, " ")}
	}
}
