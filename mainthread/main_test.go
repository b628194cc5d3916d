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
//	THREADCALL_PROGRAM=name  run that program and no test: Init promises much of the end,
//	                         so the tests start themselves
func TestMain(m *testing.M) {
	name := os.Getenv("THREADCALL_PROGRAM")
	if main := testPrograms[name].main; main != nil {
		_ = flag.Set("test.run", "^TestInit_hasATest$")
		main(m)
		return
	}
	if name != "" {
		flag.CommandLine = flag.NewFlagSet(name, flag.ExitOnError) // or it were a program of tests
		if unserved[name] != nil {
			reports()
		}
		programs[name]()
		return
	}
	go testutil.Collect()
	flag.Parse()
	// of the processes of TestInit_endsProgramsAsItSays most wait, for up to six seconds
	_ = flag.Set("test.parallel", "32")
	mainthread.Init(func() { os.Exit(m.Run()) })
	panic("Init has returned, and no test has run") // else it were a success
}

var raceEnabled = testutil.Race

func nop() {}

var recovered = testutil.Recovered
