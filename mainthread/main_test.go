package mainthread_test

import (
	"flag"
	"os"
	"testing"

	"github.com/threadcall/threadcall/internal/testutil"
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
	go testutil.Collect()
	flag.Parse()
	_ = flag.Set("test.parallel", "32") // of the processes of TestPrograms most wait, for up to six seconds
	mainthread.Init(func() { os.Exit(m.Run()) })
}

const raceEnabled = testutil.Race

func nop() {}

var recovered = testutil.Recovered
