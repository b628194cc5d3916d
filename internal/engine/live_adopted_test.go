package engine

import (
	"context"
	"runtime"
	"runtime/pprof"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/list"
	"github.com/threadcall/threadcall/internal/testutil"
)

// hosts runs f on an adopted thread. events is what onWake has posted, and other runs a function
// elsewhere.
func hosts(t *testing.T, f func(e *Engine, events chan bool, other func(func()))) {
	done := make(chan bool)
	go func() {
		defer close(done)
		e, o := New(Config{})
		e.Adopt()
		defer func() { e.Terminate(); runtime.KeepAlive(o) }()
		events := make(chan bool, 100)
		e.OnWake(func() { events <- true })
		f(e, events, func(f func()) {
			ended := make(chan bool)
			go func() { f(); close(ended) }()
			<-ended
		})
	}()
	testutil.Arrives(t, done)
}

// A host takes the event of a wake-up when nothing is queued, and must be notified of the next call
// all the same.
func TestEngine_OnWake_superfluous(t *testing.T) {
	drain := func(events chan bool) {
		for len(events) > 0 {
			<-events
		}
	}
	serveContext := func(e *Engine, f func()) {
		ctx, cancel := context.WithCancel(context.Background())
		e.Post(func() { f(); cancel() })
		_ = e.ServeContext(ctx)
	}
	for name, late := range map[string]func(e *Engine, events chan bool, next func()){
		"a pusher's, after Serve": func(e *Engine, _ chan bool, _ func()) {
			e.q.Push(e.q.Get(callq.Posted, func() {}, 0))
			e.Serve(0, nil)
			e.wake(false)
		},
		"a pusher's, after Wait": func(e *Engine, events chan bool, next func()) {
			e.Wait(func() { e.q.Push(e.q.Get(callq.Posted, func() {}, 0)) })
			for e.q.Pending() { // a function has taken longer than loopBudget
				e.Serve(0, nil)
			}
			e.Wait(func() { e.wake(false); drain(events); next() })
		},
		"a pusher's, in block": func(e *Engine, events chan bool, next func()) {
			e.Wait(func() { e.Serve(0, nil); e.wake(false); drain(events); next() })
		},
		"the context's, after ServeContext": func(e *Engine, _ chan bool, _ func()) {
			serveContext(e, func() {})
			e.unpark()
		},
		"the context's, in a function": func(e *Engine, events chan bool, next func()) {
			serveContext(e, func() { e.unpark(); drain(events); next() })
		},
		"the context's, in block": func(e *Engine, events chan bool, next func()) {
			e.Wait(func() { serveContext(e, func() {}); e.unpark(); drain(events); next() })
		},
	} {
		hosts(t, func(e *Engine, events chan bool, other func(func())) {
			called := false
			next := func() {
				called = true
				if other(func() { e.Post(func() {}) }); len(events) != 1 {
					t.Errorf("%s: %d events for the next call, want 1", name, len(events))
				}
			}
			late(e, events, next)
			if !called {
				drain(events)
				next()
			}
		})
	}
}

// A host that waits natively is woken by the Terminate that ends its thread, although another
// goroutine owes the wake-up: a pusher, or a Terminate, that has not come to it, or the thread when
// it leaves calls.
func TestTerminate_wakesAHostForAnother(t *testing.T) {
	for name, first := range map[string]func(e *Engine){
		"a pusher":  func(e *Engine) { e.q.Push(e.q.Get(callq.Posted, func() {}, 0)) },
		"Terminate": func(e *Engine) { e.enter(closed); e.q.Close() },
		"the thread": func(e *Engine) { // in restInHost
			e.q.Push(e.q.Get(callq.Posted, func() {}, 0))
			e.q.Mark()
			e.q.Awake()
		},
	} {
		hosts(t, func(e *Engine, events chan bool, other func(func())) {
			other(func() { first(e); e.Terminate() })
			if n := e.Stats().EventLoops; len(events) != 1 || n != 1 {
				t.Errorf("%s: %d events, and %d are counted, want 1", name, len(events), n)
			}
			if other(func() { e.wake(false) }); len(events) != 1 || e.On() || !isClosed(e.Done()) {
				t.Errorf("%s: the thread has not ended, or is woken again", name)
			}
		})
	}
}

// When a host has its locks back, its goroutine is on no thread, although the Terminate that is to
// end that has not come to it.
func TestGiveBack_endsTheIdentityForTerminate(t *testing.T) {
	hosts(t, func(e *Engine, _ chan bool, _ func(func())) {
		e.enter(closed)
		e.q.Close()
		if e.GiveBack(); e.On() || Self() != nil {
			t.Error("the goroutine is not locked any more, and on the thread")
		}
		next, _ := New(Config{})
		if err := next.AdoptLater(); err != nil {
			t.Error(err)
		}
		next.Terminate()
	})
}

// A cleanup that calls Goexit keeps no other from running, also if another goroutine has ended the
// thread.
func TestTerminate_runsEachCleanup(t *testing.T) {
	ran := make(chan bool, 1)
	go func() {
		e, _ := New(Config{})
		if err := e.AdoptLater(); err != nil {
			t.Error(err)
		}
		own := ident.Goroutine()
		for _, f := range []func(){func() { ran <- ident.Goroutine() == own }, runtime.Goexit} {
			e.AtExit.Add(&list.Node[func()]{Value: f})
		}
		var other testutil.Group
		other.Go(e.Terminate)
		other.Wait()
		defer func() {
			if e.pin.Held() {
				t.Error("the goroutine is still locked")
			}
			close(ran)
		}()
		e.Terminate()
	}()
	if !testutil.Arrives(t, ran) {
		t.Error("a cleanup has not run, or not on the thread")
	}
	testutil.Arrives(t, ran)
}

// A Shutdown that gives up touches nothing of a thread that is adopted at that time.
func TestShutdown_givesUpDuringAdoption(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 200 {
		e, _ := New(Config{})
		var both testutil.Group
		both.Go(func() {
			if err := e.Shutdown(ctx); err != nil && err != ctx.Err() {
				t.Error(err)
			}
		})
		both.Go(func() {
			runtime.Gosched()
			if err := e.AdoptLater(); err != nil {
				t.Error(err)
			}
			for !e.Terminated() {
				e.Serve(0, nil)
				runtime.Gosched()
			}
			if Self() != nil {
				t.Error("the thread has not ended")
			}
		})
		both.Wait()
	}
}

// When a host has served a thread that has been terminated, Done is closed, also if another
// goroutine is about to do that: else the host would wait natively again, and nothing would wake
// it.
func TestGiveBack_waitsForDone(t *testing.T) {
	hosts(t, func(e *Engine, _ chan bool, other func(func())) {
		other(func() { e.enter(closed); e.q.Close(); e.enter(over) })
		go func() {
			time.Sleep(10 * time.Millisecond)
			close(e.done)
		}()
		if !e.GiveBack() || !isClosed(e.Done()) {
			t.Error("GiveBack returns before Done is closed")
		}
	})
}

// A host that is up, and may have ended the library that onWake calls, gets no event when it
// terminates its thread.
func TestTerminate_wakesNoHostThatIsUp(t *testing.T) {
	hosts(t, func(e *Engine, events chan bool, _ func(func())) {
		e.Wait(func() {})
		if e.Terminate(); len(events) != 0 {
			t.Errorf("%d events, want none", len(events))
		}
	})
}

// A goroutine may ask for the User of its thread while another ends that.
func TestUser_whileTheThreadEnds(t *testing.T) {
	for range 100 {
		hosts(t, func(e *Engine, _ chan bool, _ func(func())) {
			var other testutil.Group
			other.Go(e.Terminate)
			for self := Self(); self != nil; self = Self() {
				if self.User != nil {
					t.Error("an adopted thread has a User")
				}
			}
			other.Wait()
		})
	}
}

func TestEngine_Wait_nested(t *testing.T) {
	hosts(t, func(e *Engine, _ chan bool, _ func(func())) {
		ran := false
		e.Wait(func() {
			e.Post(func() { ran = !e.eventLoop.blocked })
			e.eventLoop.seen = clock.Now() + time.Hour // so that it runs at once
			e.Wait(func() {})
		})
		if !ran {
			t.Error("what is queued does not run, or as if the thread were in block")
		}
	})
}

// While the thread is in its event loop, no call ends the yield of a poster.
func TestEngine_endYields(t *testing.T) {
	hosts(t, func(e *Engine, _ chan bool, _ func(func())) {
		e.yields.kind.Store(yieldAll)
		e.Serve(0, nil)
		served := e.yields.kind.Load()
		e.yields.kind.Store(yieldAll)
		e.Wait(func() {
			if waits := e.yields.kind.Load(); served != 0 || waits != 0 {
				t.Errorf("posters yield: %d after Serve, %d in Wait", served, waits)
			}
		})
	})
}

// Serve lets callers that it has woken run, once.
func TestServe_handsOnOnce(t *testing.T) {
	hosts(t, func(e *Engine, _ chan bool, _ func(func())) {
		e.idleState.woke = 1
		if e.Serve(0, nil); e.idleState.woke != 0 {
			t.Error("it would again, although it has woken none since")
		}
	})
}

// A wake-up that comes after ServeContext has returned does not keep a thread from resting.
func TestEngine_unpark_late(t *testing.T) {
	e := start(t)
	e.Call(func() {})
	e.unpark()
	eventually(t, e.q.Resting, "the thread rests")
}

// Nor does it keep one from resting that is in the next ServeContext.
func TestServeContext_wokenLate(t *testing.T) {
	e, _ := New(Config{})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan bool)
	go func() {
		defer close(ended)
		e.Adopt()
		_ = e.ServeContext(ctx)
		e.Terminate()
	}()
	eventually(t, func() bool { return e.serving.Load() >= loops }, "the thread serves")
	e.Call(nothing)
	e.unpark()
	eventually(t, e.q.Resting, "the thread rests")
	cancel()
	testutil.Arrives(t, ended)
}

// Nor one that is in its event loop; and when that has returned, no pusher wakes the thread.
func TestWait_wokenLate(t *testing.T) {
	hosts(t, func(e *Engine, _ chan bool, _ func(func())) {
		e.unpark()
		e.Wait(func() {
			if !e.q.Resting() {
				t.Error("the thread does not rest in its event loop")
			}
			e.unpark()
		})
		if wake, ok := e.Enqueue(nothing); wake || !ok {
			t.Errorf("it is up, and a pusher wakes it: %v", wake)
		}
	})
}

// What is to be done before several functions is done once, before the first, and not for one.
func TestServe_restsBeforeSeveral(t *testing.T) {
	hosts(t, func(e *Engine, _ chan bool, _ func(func())) {
		for n, want := range []string{"", "f", "rest ff", "rest fff"} {
			got := ""
			for range n {
				e.Go(func() { got += "f" })
			}
			if e.Serve(0, func() { got += "rest " }); got != want {
				t.Errorf("with %d functions it does %q, want %q", n, got, want)
			}
		}
	})
}

// Before the thread blocks in native code, its callers run: with one P nothing else would run them.
func TestServe_letsItsCallersRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	hosts(t, func(e *Engine, events chan bool, _ func(func())) {
		if _, ok := e.idleState.Load.Waiting(0); !ok {
			return // before Go 1.26 it is not known whether one waits, and the thread yields seldom
		}
		n := 0
		for range 100 {
			var returned atomic.Bool
			go func() {
				e.Call(func() {})
				returned.Store(true)
			}()
			<-events
			for e.q.Resting() || e.Serve(0, nil) == 0 {
			}
			if returned.Load() {
				n++
			}
		}
		if n < 50 { // not all: the collector runs, too
			t.Errorf("in %d of 100 cases the caller has run before Serve returned", n)
		}
	})
}

// Before the thread blocks in Wait, other goroutines run likewise.
func TestWait_letsOthersRun(t *testing.T) {
	hosts(t, func(e *Engine, _ chan bool, _ func(func())) {
		if _, ok := e.idleState.Load.Waiting(0); ok && !yields(func() { e.Wait(func() {}) }) {
			t.Error("a goroutine that is ready has not run")
		}
	})
}

// A caller notes when it runs again only if the thread has asked for that.
func TestCall_timesItsReturnIfTheThreadAsks(t *testing.T) {
	hosts(t, func(e *Engine, events chan bool, _ func(func())) {
		for _, timed := range []bool{false, true, false} {
			e.waits.Timed.Store(timed)
			e.waits.Returned.Store(0)
			done := make(chan bool)
			go func() {
				e.Call(func() {})
				close(done)
			}()
			<-events // it has woken the thread, and so parks
			for e.Serve(0, nil) == 0 {
			}
			<-done
			if now := e.waits.Returned.Load() != 0; now != timed {
				t.Errorf("asked: %v, noted: %v", timed, now)
			}
		}
	})
}

// A goroutine is not left locked if another terminates the thread before Adopt has returned.
func TestAdoptLater_givesBackWhatIsTerminated(t *testing.T) {
	done := make(chan bool)
	go func() {
		defer close(done)
		e, _ := New(Config{})
		e.Post(nothing) // which AdoptLater announces last
		terminated := false
		terminate := func() {
			if !terminated {
				terminated = true
				var other testutil.Group
				other.Go(e.Terminate)
				other.Wait()
			}
		}
		e.onWake.Store(&terminate)
		if err := e.AdoptLater(); err == nil || !terminated || e.pin.Held() || Self() != nil {
			t.Errorf("error %v; the goroutine is locked: %v", err, e.pin.Held())
		}
	}()
	testutil.Arrives(t, done)
}

// While an event loop inside a function waits, the thread has nothing to do; after it, it has.
func TestWait_restsInAFunction(t *testing.T) {
	hosts(t, func(e *Engine, _ chan bool, _ func(func())) {
		ctx, cancel := context.WithCancel(context.Background())
		var before, inside, after bool
		e.Go(func() {
			before = e.Counts.Works()
			e.Wait(func() { inside = e.Counts.Works() })
			after = e.Counts.Works()
			cancel()
		})
		if _ = e.ServeContext(ctx); !before || inside || !after {
			t.Errorf("it works: before %v, inside %v, after %v", before, inside, after)
		}
	})
}

// A function that keeps a native loop from what is queued has run since that was announced.
func TestRunning_beginsWithWhatIsAnnounced(t *testing.T) {
	hosts(t, func(e *Engine, _ chan bool, other func(func())) {
		var idle, asked time.Duration
		e.Go(func() {
			e.Counts.At.Store(int64(clock.Now() - time.Hour)) // as if it had run for that
			idle = e.running(clock.Now())
			other(func() { e.Go(nothing) })
			asked = e.running(clock.Now())
		})
		if e.Serve(0, nil); idle != 0 || asked <= 0 || asked >= time.Hour {
			t.Errorf("it has run for %v before, and for %v after something was queued", idle, asked)
		}
	})
}

// Who waits for a place in the queue of a host, or for its end, counts as a caller that waits.
func TestUnserved_countsEachWay(t *testing.T) {
	for name, waits := range map[string]func(e *Engine){
		"for a place": func(e *Engine) { e.Go(nothing); e.Go(nothing) },
		"for the end": func(e *Engine) { _ = e.Shutdown(never) },
	} {
		e, _ := New(Config{Limit: 1})
		returned := make(chan bool)
		go func() { waits(e); close(returned) }()
		eventually(t, func() bool { return e.unserved.awaited() }, "%s: it is counted", name)
		e.Terminate()
		if testutil.Arrives(t, returned); e.unserved.awaited() {
			t.Errorf("%s: it still counts when it has returned", name)
		}
	}
}

// What a host leaves queued is announced, and what is queued behind that is not.
func TestServe_announcesWhatItLeavesOnce(t *testing.T) {
	hosts(t, func(e *Engine, events chan bool, other func(func())) {
		e.Go(nothing)
		e.Go(nothing)
		<-events
		if n := e.Serve(1, nil); n != 1 || len(events) != 1 {
			t.Fatalf("%d functions have run, and %d events come, want one of each", n, len(events))
		}
		if other(func() { e.Go(nothing) }); len(events) != 1 {
			t.Errorf("%d events, want 1", len(events))
		}
	})
}

// A thread that is dropped before a goroutine has adopted it is terminated.
func TestRetire_terminatesAHost(t *testing.T) {
	e, _ := New(Config{})
	if e.Retire(); !e.Terminated() {
		t.Error("it is not")
	}
}

// A loop inside a function that has labels gives it those back.
func TestServeContext_givesTheLabelsBack(t *testing.T) {
	hosts(t, func(e *Engine, _ chan bool, _ func(func())) {
		of := func(who string) context.Context {
			return pprof.WithLabels(context.Background(), pprof.Labels("of", who))
		}
		caller, ran := of("the caller"), false
		_ = e.GoContext(caller, func() {
			over, cancel := context.WithCancel(of("the loop"))
			cancel()
			_ = e.ServeContext(over)
			ran = e.Labels.Now == caller
		})
		if e.Serve(0, nil); !ran {
			t.Error("the function goes on without its labels, or has not run")
		}
	})
}

// A Terminate elsewhere that has found that the thread does not serve may come to its end when the
// cleanups have begun. It leaves the end to them.
func TestGiveBack_freesBesideTerminate(t *testing.T) {
	hosts(t, func(e *Engine, _ chan bool, other func(func())) {
		freed := false
		e.AtExit.Add(&list.Node[func()]{Value: func() {
			other(e.forget)
			freed = e.On() && e.Call(func() {}) && !isClosed(e.Done())
		}})
		if e.Terminate(); !freed || e.On() || !isClosed(e.Done()) {
			t.Error("the thread has ended before its cleanups, or not after them")
		}
	})
}

// A goroutine whose locks have been given back is locked while it has the identity again.
func TestGiveBack_locksTheGoroutine(t *testing.T) {
	hosts(t, func(e *Engine, _ chan bool, other func(func())) {
		other(e.Terminate)
		e.pin.GiveBack() // as another engine does that adopts the goroutine
		locked := false
		e.AtExit.Add(&list.Node[func()]{Value: func() { locked = e.On() && ident.Locked() }})
		if e.GiveBack(); !locked || e.On() || ident.Locked() {
			t.Errorf("locked meanwhile: %v; afterwards: %v, on the thread %v", locked, ident.Locked(),
				e.On())
		}
	})
}

// One goroutine may be adopted again while the cleanups of its last thread are left.
func TestGiveBack_onAnotherThread(t *testing.T) {
	hosts(t, func(e *Engine, _ chan bool, other func(func())) {
		next, _ := New(Config{})
		on := false
		e.AtExit.Add(&list.Node[func()]{Value: func() { on = e.On() && next.On() && Self() == next }})
		other(e.Terminate)
		next.Adopt()
		defer next.Terminate()
		if e.GiveBack(); !on || e.On() || !next.On() || Self() != next {
			t.Errorf("on both threads: %v; afterwards on the first %v, on the second %v", on, e.On(),
				Self() == next)
		}
	})
}

// A goroutine gives the locks of an engine that another goroutine has terminated back once, also if
// it goes on on another thread from then on.
func TestAdopt_givesBackWhatIsLeftOnce(t *testing.T) {
	done := make(chan bool)
	go func() {
		defer close(done)
		for range 1000 {
			before, _ := New(Config{})
			before.Adopt()
			ended := make(chan bool)
			go func() { before.Terminate(); close(ended) }()
			<-ended
			m := ident.M()
			if left.Find(m) != before.pin {
				t.Error("no locks are left")
			}
			e, _ := New(Config{})
			if e.Adopt(); left.Find(m) == before.pin || before.pin.Held() {
				t.Error("the locks have not been given back, or would be again")
			}
			if e.Terminate(); left.Find(m) != nil {
				t.Error("locks that have been given back are left")
			}
			e.GiveBack()
		}
	}()
	testutil.Arrives(t, done)
}
