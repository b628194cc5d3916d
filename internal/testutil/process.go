package testutil

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Emulator is the variable with the program, and its arguments, under which this one runs.
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

// Run starts this program again, with env added to its environment, and returns what it wrote and
// its exit status. A program that has not ended after timeLimit is ended; the error has its stacks.
func Run(timeLimit time.Duration, env ...string) (output string, status int, err error) {
	cmd, err := Command()
	if err != nil {
		return "", 0, err
	}
	cmd.Env = append(os.Environ(), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return "", 0, err
	}
	killer := time.AfterFunc(timeLimit, func() {
		if cmd.Process.Signal(syscall.SIGQUIT) != nil { // Windows has no such signal
			_ = cmd.Process.Kill()
		}
	})
	defer killer.Stop()
	if err := cmd.Wait(); err != nil && cmd.ProcessState == nil {
		return "", 0, err
	}
	output = out.String()
	if strings.Contains(output, "SIGQUIT") {
		return output, 0, fmt.Errorf("it did not end by itself:\n%s", output)
	}
	return output, cmd.ProcessState.ExitCode(), nil
}

// Program starts this program again with the variable THREADCALL_PROGRAM of its environment set to
// name, as Run does, and fails the test if it does not end. On js/wasm it skips the test.
func Program(t testing.TB, name string, env ...string) (output string, status int) {
	t.Helper()
	if runtime.GOARCH == "wasm" {
		t.Skip("js/wasm cannot start a process")
	}
	output, status, err := Run(TimeLimit(), append(env, "THREADCALL_PROGRAM="+name)...)
	if err != nil {
		t.Fatalf("%q: %v", name, err)
	}
	return output, status
}
