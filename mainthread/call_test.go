package mainthread_test

import (
	"context"
	"errors"
	"iter"
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

func TestInInitFunctionsCallsRunInPlaceAndOthersWait(t *testing.T) {
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

func TestFunctionsRunOnTheMainThread(t *testing.T) {
	if mainthread.On() {
		t.Error("a test is on the main thread")
	}
	for name, call := range map[string]func(f func()) bool{
		"Call":        mainthread.Call,
		"CallV":       func(f func()) bool { return mainthread.CallV(func() bool { f(); return true }) },
		"CallContext": func(f func()) bool { return mainthread.CallContext(t.Context(), f) == nil },
		"Go":          func(f func()) bool { return mainthread.Go(f) && mainthread.Call(nop) },
		"Thread":      mainthread.Thread().Call,
		"nested":      func(f func()) bool { return mainthread.Call(func() { mainthread.Call(f) }) },
	} {
		runs := 0
		if !call(func() {
			runs++
			if !mainthread.On() || !mainthread.Thread().On() || ident.Thread() != inInit.thread {
				t.Errorf("%s: On is %v, on thread %d, want %d", name, mainthread.On(), ident.Thread(), inInit.thread)
			}
		}) || runs != 1 {
			t.Errorf("%s: the function ran %d times", name, runs)
		}
	}
}

func TestNilIsNotRun(t *testing.T) {
	if mainthread.Call(nil) || mainthread.Go(nil) || mainthread.CallV[bool](nil) || mainthread.CallContext(t.Context(), nil) == nil {
		t.Error("told that a nil function ran")
	}
}

func TestADeadlineHoldsOnTheMainThread(t *testing.T) {
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

func TestAPanicReachesTheCaller(t *testing.T) {
	boom := errors.New("boom")
	for name, call := range map[string]func(f func()){
		"Call":        func(f func()) { mainthread.Call(f) },
		"CallV":       func(f func()) { mainthread.CallV(func() bool { f(); return true }) },
		"CallContext": func(f func()) { _ = mainthread.CallContext(t.Context(), f) },
	} {
		if v := recovered(func() { call(func() { panic(boom) }) }); v != boom {
			t.Errorf("%s: recovered %v", name, v)
		}
	}
	mainthread.Go(func() { panic(boom) })
	mainthread.Call(nop)
	err := mainthread.Error()
	var pe *thread.PanicError
	if !errors.Is(err, boom) || !errors.As(err, &pe) || !strings.Contains(pe.Stack(), "mainthread_test") {
		t.Errorf("Error returned %v", err)
	}
	if err := mainthread.Error(); err != nil {
		t.Errorf("and then %v", err)
	}
}

func TestAGoexitEndsTheCallerAndTheMainThreadLivesOn(t *testing.T) {
	for range 1000 {
		ended := make(chan bool)
		go func() {
			defer close(ended)
			mainthread.Call(runtime.Goexit)
			t.Error("the goroutine went on")
		}()
		arrives(t, ended)
	}
	if !mainthread.Call(nop) {
		t.Error("the main thread did not live on")
	}
}

func TestASkipOnTheMainThreadEndsTheTest(t *testing.T) {
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

func TestACoroutineOnTheMainThreadMayCallIt(t *testing.T) {
	if ident.Thread() == 0 {
		t.Skip("the system does not tell threads apart, and so not where a coroutine is")
	}
	done := make(chan int, 1)
	go func() {
		done <- mainthread.CallV(func() int {
			next, stop := iter.Pull(func(yield func(int) bool) { yield(mainthread.CallV(func() int { return 42 })) })
			defer stop()
			n, _ := next()
			return n
		})
	}()
	if n := arrives(t, done); n != 42 {
		t.Errorf("the result is %d", n)
	}
}

func TestMainThreadAndThreadsInACircle(t *testing.T) {
	th := thread.New()
	defer th.Terminate()
	done := make(chan int, 1)
	go func() {
		ran := 0
		for range 200 {
			mainthread.Call(func() { th.Call(func() { mainthread.Call(func() { ran++ }) }) })
			th.Call(func() { mainthread.Call(func() { th.Call(func() { ran++ }) }) })
		}
		done <- ran
	}()
	if n := arrives(t, done); n != 400 {
		t.Errorf("%d functions ran", n)
	}
}

func TestCallsOfManyKeepTheirOrder(t *testing.T) {
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
}

func TestServeInsideACallRunsWhatIsQueued(t *testing.T) {
	n := mainthread.CallV(func() int {
		for range 3 {
			mainthread.Go(nop)
		}
		return mainthread.Serve() + mainthread.Serve()
	})
	if n != 3 {
		t.Errorf("Serve ran %d functions", n)
	}
}

func TestServeContextInsideACallLetsOthersIn(t *testing.T) {
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

func TestNothingAllocatesInTheSteadyState(t *testing.T) {
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
		"Call":        func() { mainthread.Call(nop) },
		"CallV":       func() { mainthread.CallV(answer) },
		"large CallV": func() { mainthread.CallV(largeAnswer) },
		"mixed CallV": func() { mainthread.CallV(answer); mainthread.CallV(largeAnswer) },
		"CallContext": func() { _ = mainthread.CallContext(ctx, nop) },
		"Go":          func() { mainthread.Go(nop); mainthread.Go(nop); mainthread.Call(nop) },
		"nested":      func() { mainthread.Call(nest) },
		"On, Error":   func() { mainthread.On(); _ = mainthread.Error() },
	} {
		if n := testing.AllocsPerRun(1000, f); n != 0 {
			t.Errorf("%s: %v allocations a run", name, n)
		}
	}
}
