package mainthread_test

import (
	"bytes"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/self"
	"github.com/threadcall/threadcall/mainthread"
)

// The environment of the tests:
//
//	THREADCALL_COLLECT=1     the garbage collector runs all the time
//	THREADCALL_PROGRAM=name  run that program and no test: most of what Init promises is about the end of a process,
//	                         so the tests start themselves
func TestMain(m *testing.M) {
	if name := os.Getenv("THREADCALL_PROGRAM"); name != "" {
		programs[name]()
		return
	}
	if os.Getenv("THREADCALL_COLLECT") != "" {
		go func() {
			for {
				runtime.GC()
			}
		}()
	}
	mainthread.Init(func() { os.Exit(m.Run()) })
}

// patience is how long something may take that a slow machine cannot explain.
const patience = 45 * time.Second

// arrives receives from c and fails the test if nothing comes.
func arrives[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		stacks := make([]byte, 1<<20)
		t.Fatalf("nothing came within %v\n%s", patience, stacks[:runtime.Stack(stacks, true)])
		panic("not reached")
	}
}

// run runs one of the programs in a process of its own and returns what it wrote and its exit status.
func run(t *testing.T, program string, env ...string) (output string, status int) {
	t.Helper()
	if runtime.GOARCH == "wasm" {
		t.Skip("js/wasm cannot start a process")
	}
	cmd, err := self.Command()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(append(os.Environ(), "THREADCALL_PROGRAM="+program), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killer := time.AfterFunc(patience, func() { _ = cmd.Process.Signal(syscall.SIGQUIT) })
	defer killer.Stop()
	if err := cmd.Wait(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "SIGQUIT") {
		t.Fatalf("%q did not end by itself:\n%s", program, out.String())
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

func nop() {}

func recovered(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}
