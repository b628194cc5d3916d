package mainthread_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

// What the init function below found. The main goroutine runs it, and Init comes later.
var inInit struct {
	ran, on bool
	order   string
	other   chan bool
	early   atomic.Bool
	thread  uint64
}

func init() {
	mainthread.Go(func() { inInit.order += ", posted" })
	inInit.ran = mainthread.MustEval(func() bool {
		inInit.order += "called"
		return mainthread.CallContext(context.Background(), nop) == nil
	})
	inInit.on = mainthread.On()
	inInit.thread = ident.Thread()
	if os.Getenv("THREADCALL_PROGRAM") != "" {
		return // the programs are to have no other calls that wait
	}
	inInit.other = make(chan bool, 1)
	var ran atomic.Bool
	go func() { inInit.other <- mainthread.Call(func() { ran.Store(true) }) }()
	time.Sleep(5 * time.Millisecond)
	inInit.early.Store(ran.Load())
}

// In init functions, calls of the main goroutine run in place, and all else waits.
func TestCall_runsInPlaceBeforeInit(t *testing.T) {
	mainthread.Call(nop) // behind what was posted
	if !inInit.ran || !inInit.on || inInit.order != "called, posted" {
		t.Errorf("ran: %v, on the main thread: %v, order: %q", inInit.ran, inInit.on, inInit.order)
	}
	if inInit.early.Load() {
		t.Error("another goroutine's call ran before Init")
	}
	ran := testutil.Arrives(t, inInit.other)
	inInit.other <- ran // for the next run, with -count or -cpu
	if !ran {
		t.Error("another goroutine's call did not run with Init")
	}
}

// In tests, a further Init runs its function in place: on a test's goroutine, one that it has
// started, or the main thread.
func TestInit_runsInPlaceInTests(t *testing.T) {
	for range 2 {
		ran, ended := 0, false
		run := func() { mainthread.Init(func() { mainthread.Call(func() { ran++ }) }) }
		run()
		mainthread.Call(run)
		testutil.Ends(t, func() {
			defer func() { ended = true }()
			mainthread.Init(func() { mainthread.Call(func() { ran++ }); runtime.Goexit() })
		})
		if ran != 3 || !ended {
			t.Errorf("%d of 3 functions have run; Goexit has ended its goroutine: %v", ran, ended)
		}
		testutil.MustPanic(t, func() { mainthread.Init(func() { panic("boom") }) }, "boom")
	}
}

// The main thread is a Thread like others; what calls promise is tested there.
func TestCall_runsOnTheMainThread(t *testing.T) {
	for name, call := range map[string]func(f func()) bool{
		"Call": mainthread.Call,
		"MustEval": func(f func()) bool {
			return mainthread.MustEval(func() bool { f(); return true })
		},
		"CallContext": func(f func()) bool { return mainthread.CallContext(t.Context(), f) == nil },
		"Thread":      mainthread.Thread().Call,
		"nested":      func(f func()) bool { return mainthread.Call(func() { mainthread.Call(f) }) },
	} {
		on := false
		if !call(func() { on = mainthread.On() && ident.Thread() == inInit.thread }) || !on ||
			mainthread.On() {
			t.Errorf("%s: not on the main thread, or the test is", name)
		}
		boom := errors.New("boom")
		if v := recovered(func() { call(func() { panic(boom) }) }); v != boom {
			t.Errorf("%s: recovered %v", name, v)
		}
	}
	if mainthread.Call(nil) || mainthread.Go(nil) ||
		mainthread.CallContext(t.Context(), nil) != thread.ErrNil {
		t.Error("reported that a nil function ran")
	}
}

// A call that is made on the main thread runs at once, and nothing else.
func TestCall_runsInPlace(t *testing.T) {
	drawn := 0
	redraw := mainthread.Thread().Coalesce(func() { drawn++ })
	mainthread.Call(func() {
		var mu sync.Mutex
		mainthread.Go(func() { mu.Lock(); defer mu.Unlock() })
		mu.Lock()
		defer mu.Unlock()
		for range 10 {
			redraw()
			mainthread.Call(nop)
		}
		if drawn != 0 {
			t.Errorf("drawn %d times before the function has returned", drawn)
		}
	})
	if mainthread.Call(nop); drawn != 1 {
		t.Errorf("drawn %d times, want once", drawn)
	}
}

func draw() { mainthread.Assert() }

func TestAssert_namesMainthreadCall(t *testing.T) {
	mainthread.Call(draw)
	text := func() (v any) {
		defer func() { v = recover() }()
		draw()
		return nil
	}()
	want := regexp.MustCompile(`^thread: mainthread_test\.draw \(call_test\.go:\d+\) must run on ` +
		"the main thread;\n" + `it runs on goroutine \d+, started at testing\.go:\d+ by ` +
		`testing\.\(\*T\)\.Run\.` + "\n" +
		`Write mainthread\.Call\(func\(\) { draw\(\) }\)$`)
	if err, ok := text.(error); !ok || !want.MatchString(err.Error()) {
		t.Errorf("it panicked with\n%s", fmt.Sprint(text))
	}
}
