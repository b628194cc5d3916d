package mainthread

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
)

func TestMain(m *testing.M) {
	if os.Getenv("THREADCALL_GOEXIT") != "" {
		Run(func() {
			exited := make(chan bool)
			go func() { defer close(exited); Call(runtime.Goexit) }()
			<-exited
			Call(func() { fmt.Println("lives on:", mainthread.On()) })
		})
		fmt.Println("returned")
		return
	}
	mainthread.Init(func() { os.Exit(m.Run()) })
}

func TestRun_endsTheProcessAfterAGoexit(t *testing.T) {
	out, status, err := testutil.Run(time.Minute, "THREADCALL_GOEXIT=1")
	if status != 2 || err != nil ||
		!strings.HasPrefix(out, "lives on: true\nmainthread: a function on the main thread") {
		t.Errorf("status %d, error %v\n%s", status, err, out)
	}
}

// Where TestMain calls Init of threadcall, Run in a test leaves functions on the main thread.
func TestRun_isUnderInit(t *testing.T) {
	for range 2 {
		ran := false
		Run(func() { Call(func() { ran = mainthread.On() }) })
		if !ran || CallV(mainthread.On) != true {
			t.Error("a function does not run on the main thread")
		}
	}
}

// A call allocates nothing. In gopxl/mainthread v2.1.1 each takes 1 and CallVal of a type that is
// not a pointer 2, in faiface/mainthread each takes 2, in golang.design/x/mainthread CallV 2.
func TestCalls_allocateNoMoreThanTheOriginals(t *testing.T) {
	if testutil.Race {
		t.Skip("the race detector has sync.Pool lose records")
	}
	err := errors.New("err")
	fail := func() error { return err }
	var gotErr error
	var got [8]int
	for name, f := range map[string]func(){
		"Call":         func() { Call(nop) },
		"CallNonBlock": func() { CallNonBlock(nop); Call(nop) },
		"Go":           func() { Go(nop); Call(nop) },
		"CallV":        func() { got[6] = CallV(func() int { return 42 }) },
		"CallErr":      func() { gotErr = CallErr(fail) },
		"CallVal":      func() { got = CallVal(func() [8]int { return [8]int{7: 42} }) },
		"CallVal, nested": func() {
			got[7] = CallVal(func() int { return CallVal(func() int { return 42 }) })
		},
	} {
		if n := testing.AllocsPerRun(1000, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	if gotErr != err || got[7] != 42 {
		t.Errorf("the results are %v and %v", gotErr, got)
	}
}

func nop() {}

func TestCalls_ofNil(t *testing.T) {
	for name, f := range map[string]func(){
		"Call":    func() { Call(nil) },
		"CallErr": func() { _ = CallErr(nil) },
		"CallVal": func() { CallVal[int](nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of nil does not panic", name)
				}
			}()
			f()
		}()
	}
}
