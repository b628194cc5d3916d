//go:build !unix && !windows

package measure

import (
	"os"
	"os/exec"
)

func literally(*exec.Cmd, []string) {}

func peak(*os.ProcessState) int64 { return 0 }
