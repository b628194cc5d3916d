package mainthread_test

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
)

// The environment of the tests:
//
//	THREADCALL_COLLECT=1     the garbage collector runs all the time
//	THREADCALL_PROGRAM=name  run that program and no test: most of what Init promises is about the end of a process,
//	                         so the tests start themselves
func TestMain(m *testing.M) {
	tests = m
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

var tests *testing.M

// patience is how long something may take that a slow machine cannot explain.
var patience = testutil.Patience()

const raceEnabled = testutil.Race

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
	output, status, err := testutil.Run(patience, append([]string{"THREADCALL_PROGRAM=" + program}, env...)...)
	if err != nil {
		t.Fatalf("%q: %v", program, err)
	}
	return output, status
}

func nop() {}

func recovered(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}
