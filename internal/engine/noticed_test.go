package engine

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/testutil"
)

// A caller that finds its outcome at its first looks yields as well.
func TestCall_yieldsAfterItsFirstLooks(t *testing.T) {
	needsSpinning(t)
	e, _ := New(Config{})
	e.q.Awake() // as a thread that spins
	e.waits.Spin.Store(1)
	var served atomic.Pointer[callq.Call] // the last
	over := make(chan bool)
	serves := make(chan bool)
	go func() {
		defer close(serves)
		for {
			select {
			case <-over:
				return
			default:
			}
			for range 1000 {
				if c := e.q.Take(); c != nil {
					served.Store(c)
					c.Settle(callq.Ran)
				}
			}
		}
	}()
	eventually(t, func() bool {
		for range 1000 {
			e.yields.kind.Store(yieldOwn)
			if e.Call(func() {}); e.yields.kind.Load() != 0 {
				t.Error("a call has returned, and nothing has yielded")
				return true
			}
			if served.Load().Outcome() == callq.Ran { // else its record has been given back by await
				return true
			}
		}
		return false
	}, "a caller sees its outcome at the first looks")
	close(over)
	<-serves
}

// A thread that spins counts as up, whatever it did before: those that queue something owe it no
// wake-up.
func TestIdle_isUpWhileItSpins(t *testing.T) {
	needsSpinning(t)
	e, o := New(Config{})
	defer runtime.KeepAlive(o)
	looked := make(chan bool)
	go func() {
		defer close(looked)
		if !maySpin(e) {
			t.Error("there is no slot")
			return
		}
		e.idleState.Policy.Price = time.Hour // for which it spins
		e.idle()
		e.idleState.Stop()
	}()
	eventually(t, func() bool { return !e.q.Resting() }, "its queue says that it is up")
	e.Go(nothing)
	testutil.Arrives(t, looked)
	if n := e.idleState.sleeps; n > 0 {
		t.Errorf("it has parked %d times", n)
	}
}

// The calls of a thread are walked once for all that is run of them; again in another wait, and if
// the next has begun meanwhile.
func TestOldest_walksOnce(t *testing.T) {
	for name, c := range map[string]struct {
		change func(x *Engine, next *callq.Call)
		walks  bool
	}{
		"nothing":            {func(*Engine, *callq.Call) {}, false},
		"another wait":       {func(x *Engine, _ *callq.Call) { x.unpublish() }, true},
		"the next has begun": {func(_ *Engine, next *callq.Call) { next.Begun() }, true},
	} {
		e, x := newEngine(Config{}), newEngine(Config{})
		var calls [4]*callq.Call
		for i := range calls {
			calls[i] = e.q.Get(callq.Posted, nothing, x.id)
			x.link(calls[i])
			e.q.Push(calls[i])
		}
		last := calls[3]
		w := x.prepare(wait{call: last, of: &e.target})
		if !x.publish(w) || x.publish(w) {
			t.Fatalf("%s: the wait is not published once", name)
		}
		if c := w.oldest(x.id, false); c != calls[0] || !e.q.TakeOutOfTurn(c) {
			t.Fatalf("%s: the oldest call is not found, or has begun", name)
		}
		last.Earlier.Store(nil) // a walk finds the last alone
		c.change(x, calls[1])
		want := calls[1]
		if c.walks {
			want = last
		}
		if got := w.oldest(x.id, false); got != want {
			t.Errorf("%s: got call %d, walks is to be %v", name, slices.Index(calls[:], got), c.walks)
		}
		if x.unpublish(); x.prepare(wait{call: last, of: &e.target}) != w {
			t.Errorf("%s: the next wait for the same is another one", name)
		}
	}
}

// A native loop in place of the thread's own has a thread that waits and does not spin, and is told
// what was queued before. After it the thread is as others are.
func TestServeIn_leavesTheThreadToTheLoop(t *testing.T) {
	needsSpinning(t)
	e, events := start(t), make(chan bool, 10)
	e.Call(func() { e.OnWake(func() { events <- true }) })
	e.Call(func() {
		if !maySpin(e) {
			t.Error("there is no slot")
		}
		e.ServeIn(func() {
			if e.Counts.Works() || e.idleState.Spins || !e.q.RestsAlways() {
				t.Error("the thread works, spins, or is not to be woken while the loop waits")
			}
			testutil.Arrives(t, events)
		})
		e.Go(func() {
			if !e.Counts.Works() || e.WakeOf() != nil || e.q.RestsAlways() {
				t.Error("the thread rests, or a loop that has ended is woken")
			}
		})
		for len(events) > 0 {
			<-events
		}
	})
	testutil.Arrives(t, e.Done())
}

// A function in a native loop of the thread's own may be another such loop, as in that of a host.
func TestServeIn_runsNoFunctionThatWaits(t *testing.T) {
	e, events := start(t), make(chan bool, 10)
	e.Call(func() { e.OnWake(func() { events <- true }) })
	e.ServeIn(func() {
		testutil.Arrives(t, events)
		e.Serve(0, nil)
	})
	e.Go(func() {
		before, queued := e.running(clock.Now()), clock.Now()
		testutil.Ends(t, func() { e.Go(nothing) })
		now := clock.Now()
		if after := e.running(now); before != 0 || after == 0 || after > max(1, now-queued) {
			t.Errorf("it has run for %v before, and for %v after something was queued", before, after)
		}
		if !e.AsksHost() {
			t.Error("it is not asked whether it is such a loop")
		}
	})
	testutil.Arrives(t, e.Done())
}

// A thread that has waited in the scheduler, and then has a host, is woken by that.
func TestOnWake_ofAThreadThatHasWaited(t *testing.T) {
	e, events := start(t), make(chan bool, 10)
	e.rests(t)
	e.ServeIn(func() {
		e.OnWake(func() { events <- true })
		e.Go(nothing)
		testutil.Arrives(t, events)
	})
	testutil.Arrives(t, e.Done())
}

// A function that calls Goexit in a native loop ends that, and the thread begins it again.
func TestServeIn_beginsAgainAfterAGoexit(t *testing.T) {
	e, events := start(t), make(chan bool, 10)
	e.Call(func() { e.OnWake(func() { events <- true }) })
	began := 0
	e.ServeIn(func() {
		for began++; began == 1; {
			testutil.Arrives(t, events)
			e.Serve(0, nil)
		}
	})
	e.Go(runtime.Goexit)
	if testutil.Arrives(t, e.Done()); began != 2 {
		t.Errorf("the loop has begun %d times, want twice", began)
	}
}

// What a deferred call panics with while Goexit unwinds a function, its caller panics with, too.
func TestCall_raisesThePanicOfAGoexit(t *testing.T) {
	e, raised := start(t), make(chan any, 1)
	go func() {
		defer func() { raised <- recover() }()
		e.Call(func() {
			defer func() { panic("deferred") }()
			runtime.Goexit()
		})
		t.Error("the caller goes on")
	}()
	if v := testutil.Arrives(t, raised); v != "deferred" {
		t.Errorf("the caller panics with %v", v)
	}
}

// A record whose call is not settled is still the thread's.
func TestFinish_panicsBeforeTheEnd(t *testing.T) {
	e, _ := New(Config{})
	c := e.q.Get(callq.Awaited, nothing, 0)
	testutil.MustPanic(t, func() { finish(c, c.Outcome()) }, "before the call is settled")
}

// A post that comes between the two steps of an end, its phase and its queue, is counted.
func TestGo_countsWhatTheQueueRefuses(t *testing.T) {
	e, _ := New(Config{})
	e.q.Close()
	if ok, n := e.Go(nothing), e.Tally.Refused.Load(); ok || n != 1 {
		t.Errorf("accepted: %v; %d were refused, want 1", ok, n)
	}
}

// A thread that calls many others remembers those alone for which something is queued.
func TestLink_forgetsWhatHasBegun(t *testing.T) {
	e := newEngine(Config{})
	for range 100 {
		c := callq.New().Get(callq.Awaited, nothing, e.id)
		e.link(c)
		c.Begun()
	}
	if n := len(e.sent); n > 1 {
		t.Errorf("it remembers %d threads", n)
	}
	e = newEngine(Config{})
	for i, leave := range []func(c *callq.Call){
		func(c *callq.Call) {}, func(c *callq.Call) { c.Withdraw() }, func(c *callq.Call) {},
	} {
		c := callq.New().Get(callq.Withdrawable, nothing, e.id)
		e.link(c)
		if leave(c); len(e.sent) != i+1 {
			t.Errorf("it has forgotten what is queued: %d threads of %d are left", len(e.sent), i+1)
		}
	}
}

// A call that leaves the queue and does not run is counted, and its caller told.
func TestRun_countsWhatItDrops(t *testing.T) {
	e := newEngine(Config{})
	gone, unwanted := e.q.Get(callq.Withdrawable, nothing, 0), e.q.Get(callq.Awaited, nothing, 0)
	gone.Withdraw()
	unwanted.Abandon()
	for i, c := range []*callq.Call{gone, unwanted} {
		if e.run(c, nil) || e.Counts.Dropped != uint(i+1) {
			t.Errorf("call %d has run, or %d are counted", i, e.Counts.Dropped)
		}
	}
	if o := unwanted.Outcome(); o != callq.Refused || e.Counts.Calls != 0 {
		t.Errorf("the outcome is %d, and %d calls have begun", o, e.Counts.Calls)
	}
}

// What the engine has run for itself is not kept until its record is used again.
func TestControl_keepsNothing(t *testing.T) {
	e := start(t)
	p := func() weak.Pointer[[64]int] {
		large := new([64]int)
		ran := make(chan bool)
		e.Control(func() { large[0]++; close(ran) })
		testutil.Arrives(t, ran)
		return weak.Make(large)
	}()
	eventually(t, func() bool { runtime.GC(); return p.Value() == nil }, "it is collected")
}

// A call that has begun is waited for, and its context is not looked at again.
func TestWaitToken_looksAtAContextOnce(t *testing.T) {
	e, _ := New(Config{})
	ended := make(chan struct{})
	close(ended)
	for _, begun := range []bool{false, true} {
		c := e.q.Get(callq.Withdrawable, nothing, 0)
		if c.Park(); begun {
			c.Begun()
		}
		cancel := (<-chan struct{})(ended)
		if waits := waitToken(c, &cancel); waits != begun || (cancel == nil) != begun {
			t.Errorf("begun: %v; waits: %v, for the context as well: %v", begun, waits, cancel != nil)
		}
	}
}

// The thread of an engine that has ended, which waits for another one, keeps nothing of it.
func TestStart_keepsNoEngineThatHasEnded(t *testing.T) {
	of := func() weak.Pointer[Engine] {
		e, o := New(Config{Keep: true, Own: true})
		e.Start()
		e.Terminate()
		testutil.Arrives(t, e.Done())
		runtime.KeepAlive(o)
		return weak.Make(e)
	}()
	eventually(t, func() bool { runtime.GC(); return of.Value() == nil }, "it is collected")
}

// Nor does the timer of a watch keep one, which is due much later. The Go runtime keeps some timers
// that were stopped, up to a quarter of those that it has.
func TestWatch_keepsNoEngineThatHasEnded(t *testing.T) {
	var all []weak.Pointer[Engine]
	for range 100 {
		e, o := New(Config{Own: true})
		o.Watch(time.Hour, func(Slow) {})
		e.Start()
		e.Call(nothing)
		e.Terminate()
		testutil.Arrives(t, e.Done())
		all = append(all, weak.Make(e))
		runtime.KeepAlive(o)
	}
	eventually(t, func() bool {
		runtime.GC()
		all = slices.DeleteFunc(all, func(p weak.Pointer[Engine]) bool { return p.Value() == nil })
		return len(all) < 50
	}, "most are collected")
}

// A stop function that has run is not kept by what still refers to the thread.
func TestRunStops_keepsNoStopFunction(t *testing.T) {
	e, o := New(Config{Own: true})
	p := func() weak.Pointer[[64]int] {
		large := new([64]int)
		if err := e.Prepare([]Hook{{Stop: func() { large[0]++ }}}); err != nil {
			t.Fatal(err)
		}
		return weak.Make(large)
	}()
	e.Start()
	e.Terminate()
	testutil.Arrives(t, e.Done())
	eventually(t, func() bool { runtime.GC(); return p.Value() == nil }, "it is collected")
	runtime.KeepAlive(e)
	runtime.KeepAlive(o)
}

// A post that is refused gives its record back on another thread as well.
func TestGo_refusedOfAThreadKeepsNothing(t *testing.T) {
	e, _ := New(Config{})
	e.enter(closing)
	x := start(t)
	x.Call(func() { allocatesNothing(t, func() { e.Go(nothing) }) })
	x.Call(func() {
		if n := len(x.sent); n > 0 {
			t.Errorf("it remembers %d threads", n)
		}
	})
}

// Callers of the period before have waited for long, and not those of this one.
func TestCheckUnserved_asksWhoHasWaited(t *testing.T) {
	for period := range uint32(2) {
		for before, looks := range []bool{false, true} {
			e, _ := New(Config{})
			u := &e.unserved
			u.alarm.Init(nothing, false)
			u.period.Store(period + uint32(before))
			u.watched.Store(true)
			u.waits[period].Add(1)
			e.checkUnserved()
			next := u.period.Load() != period+uint32(before)
			if u.looked != looks || next == looks {
				t.Errorf("called in period %d, in %d: looks at the thread: %v, a period begins: %v", period,
					period+uint32(before), u.looked, next)
			}
			u.alarm.Stop()
		}
	}
}

// A post whose context ends after it has got a place gives that back.
func TestGoContext_givesItsPlaceBack(t *testing.T) {
	e, _ := New(Config{Limit: 1})
	err := e.GoContext(&endsSecond{Context: t.Context()}, nothing)
	if err == nil || !e.TryGo(nothing) {
		t.Errorf("the post ends with %v, or there is no place for another", err)
	}
}

// The thread does not ask a context that cannot end.
func TestGoContext_asksNoContextWithoutAChannel(t *testing.T) {
	e, _ := New(Config{})
	ctx, ran := &counted{Context: context.Background()}, false
	_ = e.GoContext(ctx, func() { ran = true })
	before := ctx.asked
	if e.Serve(0, nil); !ran || ctx.asked != before {
		t.Errorf("it has run: %v; asked %d times by the thread", ran, ctx.asked-before)
	}
}

type counted struct {
	context.Context
	asked int
}

func (c *counted) Err() error { c.asked++; return nil }

// An endsSecond is done when it has been asked once whether it is.
type endsSecond struct {
	context.Context
	asked bool
}

func (c *endsSecond) Done() <-chan struct{} {
	done := make(chan struct{})
	if c.asked {
		close(done)
	}
	c.asked = true
	return done
}

// The main goroutine never ends, so its m is enough to know its thread.
func TestAdopt_theMainGoroutineIsKnownDirectly(t *testing.T) {
	if directOnMain != ident.Trusted() {
		t.Errorf("on the main goroutine, direct is %v", directOnMain)
	}
	if adoptHere() {
		t.Error("another goroutine is taken for one that never ends")
	}
}

var directOnMain = adoptHere() // package variables are initialised there

func adoptHere() (direct bool) {
	e, _ := New(Config{})
	e.Adopt()
	defer e.Terminate()
	return e.direct
}

// A call to a thread that serves has no timer, and one to another thread has.
func TestBeginWait_watchesWhatNothingServes(t *testing.T) {
	e, _ := New(Config{})
	u := &e.unserved
	for _, serves := range []bool{true, false} {
		e.serving.Store(0)
		if serves {
			e.serving.Store(loops)
		}
		_, first := e.beginWait()
		if first == serves || u.watched.Load() == serves {
			t.Errorf("serves: %v; the caller sets the timer: %v, it is set: %v", serves, first,
				u.watched.Load())
		}
	}
	u.alarm.Stop()
}

// A call that a Goexit unwinds is withdrawn from the queue of another thread.
func TestAbandon_withdraws(t *testing.T) {
	e, _ := New(Config{})
	on, _ := New(Config{})
	c := on.q.Get(callq.Withdrawable, func() { t.Error("it ran") }, e.id)
	on.q.Push(c)
	w := &wait{call: c, of: &on.target}
	for range 2 { // as it asks again whether it has
		if !w.abandon() {
			t.Error("the thread waits for it")
		}
	}
	on.Serve(0, nil)
}

// A function that a thread runs while it waits, and that calls Goexit, ends the thread's wait for a
// call that has not begun before its own caller goes on.
func TestRun_abandonsTheWaitThatAGoexitUnwinds(t *testing.T) {
	e, on := newEngine(Config{}), newEngine(Config{})
	w := &wait{call: on.q.Get(callq.Awaited, nothing, e.id), of: &on.target}
	c := e.q.Get(callq.Awaited, runtime.Goexit, 0)
	unwound := make(chan bool)
	go func() {
		defer close(unwound)
		e.run(c, w)
	}()
	testutil.Arrives(t, unwound)
	if !w.call.Unwanted() || c.Outcome() != callq.Exited {
		t.Errorf("the call may begin, or the outcome of what has exited is %d", c.Outcome())
	}
}

// The record of a call whose caller a Goexit has unwound, after the call had begun, is used again.
func TestWaitOn_givesBackTheRecordOfWhatItUnwinds(t *testing.T) {
	a, b := start(t), start(t)
	first := b.q.Get(callq.Awaited, nil, 0)
	first.Drop()
	unwound := make(chan bool)
	go func() {
		defer close(unwound)
		a.Call(func() { b.Call(func() { a.Call(runtime.Goexit) }) })
	}()
	testutil.Arrives(t, unwound)
	if b.q.Get(callq.Awaited, nil, 0) != first {
		t.Error("it is not")
	}
}

// A thread whose context ends while it goes to rest does not wait, and is up when ServeContext has
// returned.
func TestServeContext_endsBeforeItRests(t *testing.T) {
	e, _ := New(Config{})
	cancel := make(chan struct{})
	close(cancel)
	e.cancel = cancel
	testutil.Ends(t, func() { e.sleep(clock.Now()) })
	if len(e.wakeup) > 0 {
		t.Error("it has been woken")
	}
	ended := make(chan bool)
	go func() {
		defer close(ended)
		e.Adopt()
		defer e.Terminate()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _ = e.ServeContext(ctx); !e.q.Resting() { // its host may wait natively
			t.Error("a host that was up before is up")
		}
		e.Post(func() {
			outer := e.cancel
			ctx, cancel := context.WithCancel(context.Background())
			go func() {
				for !e.q.Resting() {
					runtime.Gosched()
				}
				cancel()
			}()
			if _ = e.ServeContext(ctx); e.q.Resting() || e.cancel != outer || outer == nil {
				t.Error("a function that has served counts as resting, or its loop has another context")
			}
		})
		ctx, cancel = context.WithCancel(context.Background())
		e.Post(cancel)
		_ = e.ServeContext(ctx)
	}()
	testutil.Arrives(t, ended)
}

// What is said about a loop that has ended: the main thread's is ended otherwise.
func TestMissing_namesTheLoop(t *testing.T) {
	for _, permanent := range []bool{false, true} {
		e, _ := New(Config{})
		serves, over, ended := make(chan bool), make(chan bool), make(chan bool)
		go func() {
			defer close(ended)
			e.Adopt()
			e.Serve(0, nil)
			close(serves)
			<-over
			e.Terminate()
			e.GiveBack()
		}()
		<-serves
		e.Main = permanent
		eventually(t, func() bool {
			todo, _ := e.missing()
			return strings.Contains(todo, "waits for something else") &&
				strings.Contains(todo, "mainthread.Loop().Close()") == permanent
		}, "it says what to call; permanent: %v", permanent)
		e.Main = false
		close(over)
		<-ended
	}
}
