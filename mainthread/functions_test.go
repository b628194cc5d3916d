package mainthread_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

// What each function does, one test for each. Package thread has the tests of the methods that they
// call.

var errBoom = errors.New("boom")

func TestThread_isTheMainThread(t *testing.T) {
	main := mainthread.Thread()
	if !thread.MustEval(main, mainthread.On) || main.On() {
		t.Error("Thread is another thread")
	}
	for name, end := range map[string]func(){"Close": main.Close, "Terminate": main.Terminate} {
		testutil.MustPanic(t, end, name+" on the main thread")
	}
}

func TestMustCall_runsOnTheMainThread(t *testing.T) {
	on := false
	if mainthread.MustCall(func() { on = mainthread.On() }); !on {
		t.Error("it ran elsewhere, or not at all")
	}
}

func TestGo_doesNotWait(t *testing.T) {
	release, ran := make(chan bool), false
	if !mainthread.Go(func() { <-release; ran = true }) {
		t.Error("Go returned false")
	}
	close(release)
	if mainthread.Call(nop); !ran {
		t.Error("the function did not run before a later call")
	}
}

func TestGoContext_leavesOutWhatIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if mainthread.GoContext(ctx, func() { t.Error("the function runs") }) {
		t.Error("GoContext returned true")
	}
	mainthread.Call(nop)
}

func TestCoalesce_queuesTheFunctionOnce(t *testing.T) {
	n := 0
	post := mainthread.Coalesce(func() { n++ })
	mainthread.Call(func() { post(); post() })
	if mainthread.Call(nop); n != 1 {
		t.Errorf("the function ran %d times", n)
	}
}

func TestAfter_runsOnce(t *testing.T) {
	on := make(chan bool, 2)
	mainthread.After(time.Millisecond, func() { on <- mainthread.On() })
	if !testutil.Arrives(t, on) {
		t.Error("it ran off the main thread")
	}
}

func TestEvery_runsUntilStop(t *testing.T) {
	ticks := make(chan bool, 1000)
	timer := mainthread.Every(time.Millisecond, func() { ticks <- mainthread.On() })
	for range 2 {
		if !testutil.Arrives(t, ticks) {
			t.Error("a tick is off the main thread")
		}
	}
	timer.Stop()
	for len(ticks) > 0 {
		<-ticks
	}
	if time.Sleep(5 * time.Millisecond); len(ticks) > 0 {
		t.Error("a tick after Stop")
	}
}

func TestOnPanic_takesPanicsOfPostedFunctions(t *testing.T) {
	handled := make(chan *thread.PanicError, 1)
	mainthread.OnPanic(func(p *thread.PanicError) { handled <- p })
	defer mainthread.OnPanic(nil)
	mainthread.Go(func() { panic(errBoom) })
	if p := testutil.Arrives(t, handled); p.Value != errBoom {
		t.Errorf("handled %v", p)
	}
	if p := mainthread.TakePanic(); p == nil || p.Value != errBoom {
		t.Errorf("TakePanic returned %v", p)
	}
}

func TestError_isTakePanicWithANilError(t *testing.T) {
	mainthread.OnPanic(func(*thread.PanicError) {})
	defer mainthread.OnPanic(nil)
	mainthread.Go(func() { panic(errBoom) })
	mainthread.Call(nop)
	if err := mainthread.Error(); !errors.Is(err, errBoom) {
		t.Errorf("Error returned %v", err)
	}
	if err := mainthread.Error(); err != nil {
		t.Errorf("and then %v", err)
	}
}

func TestOnSlowCall_reportsAFunctionThatRunsForLong(t *testing.T) {
	slow := make(chan thread.SlowCall, 100)
	mainthread.OnSlowCall(time.Millisecond, func(s thread.SlowCall) { slow <- s })
	defer mainthread.OnSlowCall(0, nil)
	release := make(chan bool)
	mainthread.Go(func() { <-release })
	testutil.Arrives(t, slow)
	close(release)
}

func TestStats_countsCalls(t *testing.T) {
	before := mainthread.Stats()
	mainthread.Call(nop)
	if after := mainthread.Stats(); after.Calls != before.Calls+1 {
		t.Errorf("%d calls, and one more than %d were made", after.Calls, before.Calls)
	}
}

func TestServe_runsWhatIsQueued(t *testing.T) {
	for name, serve := range map[string]func(){
		"Serve":    func() { mainthread.Serve() },
		"ServeFor": func() { mainthread.ServeFor(time.Second) },
		"ServeContext": func() {
			ctx, cancel := context.WithCancelCause(t.Context())
			mainthread.Go(func() { cancel(errBoom) })
			if err := mainthread.ServeContext(ctx); err != errBoom {
				t.Errorf("ServeContext returned %v", err)
			}
		},
		"Wait": func() { mainthread.Wait(nop) },
	} {
		mainthread.Call(func() {
			ran := false
			mainthread.Go(func() { ran = true })
			if serve(); !ran {
				t.Errorf("%s: the function did not run", name)
			}
		})
		testutil.MustPanic(t, func() { serve() }, "off the thread")
	}
}
