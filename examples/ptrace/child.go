//go:build linux && (amd64 || arm64)

package main

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

const childMark = "PTRACE_EXAMPLE_CHILD"

// child returns the command of a process that sends itself SIGSTOP, and then counts for ever. It is
// this program again.
func child() *exec.Cmd {
	cmd := exec.Command("/proc/self/exe")
	// no signals of the Go runtime
	cmd.Env = append(os.Environ(), childMark+"=1", "GODEBUG=asyncpreemptoff=1", "GOGC=off")
	return cmd
}

// init functions run on the main thread, which is the one that is traced.
func init() {
	if os.Getenv(childMark) == "" {
		return
	}
	runtime.LockOSThread()
	syscall.RawSyscall(syscall.SYS_TGKILL, uintptr(syscall.Getpid()), uintptr(syscall.Gettid()),
		uintptr(syscall.SIGSTOP))
	for n := 0; n >= 0; n++ {
	}
}
