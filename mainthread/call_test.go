package mainthread_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/internal/ident"
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
	mainthread.Go(func() { inInit.order += "posted, " })
	inInit.ran = mainthread.Call(func() { inInit.order += "called" })
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

// In init functions, calls of the main goroutine run in place, and others wait.
func TestInit_before(t *testing.T) {
	if !inInit.ran || !inInit.on || inInit.order != "posted, called" {
		t.Errorf("ran: %v, on the main thread: %v, order: %q", inInit.ran, inInit.on, inInit.order)
	}
	if inInit.early.Load() {
		t.Error("another goroutine's call ran before Init")
	}
	ran := arrives(t, inInit.other)
	inInit.other <- ran // for the next run, with -count or -cpu
	if !ran {
		t.Error("another goroutine's call did not run with Init")
	}
}

func TestCall(t *testing.T) {
	if mainthread.On() {
		t.Error("a test is on the main thread")
	}
	th := thread.New()
	defer th.Terminate()
	for name, call := range map[string]func(f func()) bool{
		"Call":        mainthread.Call,
		"CallV":       func(f func()) bool { return mainthread.CallV(func() bool { f(); return true }) },
		"CallContext": func(f func()) bool { return mainthread.CallContext(t.Context(), f) == nil },
		"Thread":      mainthread.Thread().Call,
		"nested":      func(f func()) bool { return mainthread.Call(func() { mainthread.Call(f) }) },
		"cycle": func(f func()) (ok bool) {
			return mainthread.Call(func() { th.Call(func() { ok = mainthread.Call(f) }) }) && ok
		},
	} {
		t.Run(name, func(t *testing.T) {
			for range 20 {
				runs := 0
				if !call(func() {
					runs++
					if !mainthread.On() || !mainthread.Thread().On() || ident.Thread() != inInit.thread {
						t.Errorf("On is %v, on thread %d, want %d", mainthread.On(), ident.Thread(), inInit.thread)
					}
				}) || runs != 1 {
					t.Errorf("the function ran %d times", runs)
				}
				boom := errors.New("boom")
				if v := recovered(func() { call(func() { panic(boom) }) }); v != boom {
					t.Errorf("recovered %v", v)
				}
				ended := make(chan bool)
				go func() {
					defer close(ended)
					call(runtime.Goexit)
					t.Error("the goroutine went on after Goexit")
				}()
				arrives(t, ended)
			}
		})
	}
	if mainthread.Call(nil) || mainthread.Go(nil) || mainthread.CallV[bool](nil) || mainthread.CallContext(t.Context(), nil) != thread.ErrNil {
		t.Error("told that a nil function ran")
	}
	skipped := false
	t.Run("skipped", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		mainthread.Call(t.SkipNow)
		t.Error("the test went on")
	})
	if !skipped {
		t.Error("the test was not skipped")
	}
}

func TestCallContext(t *testing.T) {
	begun, release := make(chan bool), make(chan bool)
	mainthread.Go(func() { close(begun); <-release })
	arrives(t, begun)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if err := mainthread.CallContext(ctx, func() { t.Error("ran after its deadline") }); err != context.DeadlineExceeded {
		t.Errorf("CallContext returned %v", err)
	}
	close(release)
	mainthread.Call(nop)
}

func TestGo(t *testing.T) {
	var all group.Group
	for range 4 {
		all.Go(func() {
			next := 0
			for i := range 2000 {
				step := func() {
					if next != i {
						t.Errorf("number %d ran when it was the turn of number %d", i, next)
					}
					next++
				}
				if i%5 == 0 {
					mainthread.Call(step)
				} else {
					mainthread.Go(step)
				}
			}
			mainthread.Call(nop)
		})
	}
	done := make(chan bool)
	go func() { all.Wait(); close(done) }()
	arrives(t, done)
	boom := errors.New("boom")
	mainthread.Go(func() { panic(boom) })
	mainthread.Call(nop)
	if p := mainthread.TakePanic(); p == nil || p.Value != boom || !strings.Contains(p.Stack(), "mainthread_test") {
		t.Errorf("TakePanic returned %v", p)
	}
	if p, err := mainthread.TakePanic(), mainthread.Error(); p != nil || err != nil {
		t.Errorf("and then %v, %v", p, err)
	}
}

// A function on the main thread may let others in.
func TestServe(t *testing.T) {
	n := mainthread.CallV(func() int {
		for range 3 {
			mainthread.Go(nop)
		}
		return mainthread.Serve() + mainthread.Serve()
	})
	if n != 3 {
		t.Errorf("Serve ran %d functions", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- mainthread.CallV(func() error {
			go mainthread.Call(cancel)
			return mainthread.ServeContext(ctx)
		})
	}()
	if err := arrives(t, done); err != context.Canceled {
		t.Errorf("ServeContext returned %v", err)
	}
}

func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	answer := func() int { return 42 }
	type large [128]int
	largeAnswer := func() large { return large{} }
	nest := func() { mainthread.Call(nop); mainthread.CallV(answer) }
	for name, f := range map[string]func(){
		"Call":          func() { mainthread.Call(nop) },
		"CallV":         func() { mainthread.CallV(answer); mainthread.CallV(largeAnswer) },
		"CallContext":   func() { _ = mainthread.CallContext(ctx, nop) },
		"EvalContext":   func() { _, _ = thread.EvalContext(ctx, mainthread.Thread(), answer) },
		"Go":            func() { mainthread.Go(nop); mainthread.Go(nop); mainthread.Call(nop) },
		"nested":        func() { mainthread.Call(nest) },
		"On, TakePanic": func() { mainthread.On(); mainthread.TakePanic() },
	} {
		if n := testing.AllocsPerRun(1000, f); n != 0 {
			t.Errorf("%s: %v allocations a run", name, n)
		}
	}
}
