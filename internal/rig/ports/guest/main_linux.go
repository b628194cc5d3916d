// Command guest is the first program of the machine that package ports makes in order to have more
// cores. It runs what /programs names, a directory and a program with its arguments in each line,
// writes to the console what they write, and turns the machine off.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
)

func main() {
	if os.Getpid() != 1 {
		fmt.Fprintln(os.Stderr, "guest: this is for a machine of its own")
		os.Exit(2)
	}
	for _, m := range [][2]string{{"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"},
		{"tmpfs", "/tmp"}} {
		if err := os.MkdirAll(m[1], 0o777); err != nil {
			fmt.Println("guest:", err)
		}
		if err := syscall.Mount(m[0], m[1], m[0], 0, ""); err != nil {
			fmt.Println("guest: mount", m[1], err)
		}
	}
	programs, err := os.ReadFile("/programs")
	for line := range bytes.Lines(programs) {
		words := strings.Fields(string(line))
		c := exec.Command(words[1], words[2:]...)
		c.Dir = words[0]
		c.Stdout, c.Stderr = os.Stdout, os.Stdout
		fmt.Printf("\n%s\n", line)
		err = errors.Join(err, c.Run())
	}
	if err == nil {
		fmt.Printf("\nguest: all passed on %d cores\n", runtime.NumCPU())
	}
	fmt.Println("guest:", err)
	syscall.Sync()
	fmt.Println("guest:", syscall.Reboot(syscall.LINUX_REBOOT_CMD_POWER_OFF))
}
