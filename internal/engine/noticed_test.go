package engine

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/callq"
	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/testutil"
)

// A caller that finds its outcome at its first looks yields as well.
func TestCall_yieldsAfterItsFirstLooks(t *testing.T) {
	needsSpinning(t)
	e, _ := New(0)
	e.q.Awake() // as a thread that spins
	e.waits.spin.Store(1)
	e.NeverSpin() // so a caller that has not found it parks, and is counted
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
					c.Settle(callq.Ran)
				}
			}
		}
	}()
	eventually(t, func() bool {
		for range 1000 {
			before := e.unserved.waits.Load()
			e.yields.kind.Store(yieldOwn)
			if e.Call(func() {}); e.yields.kind.Load() != 0 {
				t.Error("a call has returned, and nothing has yielded")
				return true
			}
			if e.unserved.waits.Load() == before {
				return true
			}
		}
		return false
	}, "a caller sees its outcome without parking")
	close(over)
	<-serves
}

// How long callers have looked for a thread that they have woken is what the next attempt costs.
func TestMeet_remembersItsTime(t *testing.T) {
	needsSpinning(t)
	e, _ := New(0)
	c := e.q.Get(callq.Awaited, nil, 0)
	eventually(t, func() bool {
		before := e.waits.met.Load()
		e.waits.meet(c, time.Millisecond)
		return e.waits.met.Load() > before
	}, "a look in vain makes the mean longer")
}

// A thread that spins counts as up, whatever it did before: those that queue something owe it no
// wake-up.
func TestIdle_isUpWhileItSpins(t *testing.T) {
	needsSpinning(t)
	e, o := New(0)
	defer runtime.KeepAlive(o)
	looked := make(chan bool)
	go func() {
		defer close(looked)
		if !maySpin(e) {
			t.Error("there is no slot")
			return
		}
		e.idleState.policy.price = time.Hour // for which it spins
		e.idle()
		e.stopSpinning()
	}()
	eventually(t, func() bool { return !e.q.Resting() }, "its queue says that it is up")
	e.Go(nothing)
	testutil.Arrives(t, looked)
	if n := e.idleState.sleeps; n > 0 {
		t.Errorf("it has parked %d times", n)
	}
}

// The calls of a thread are walked once for all that is run of them; again for another thread,
// after another wait, and if the next has begun meanwhile.
func TestOldest_walksOnce(t *testing.T) {
	for name, c := range map[string]struct {
		change func(e, x *Engine, next *callq.Call)
		walks  bool
	}{
		"nothing":                  {func(_, _ *Engine, _ *callq.Call) {}, false},
		"another wait":             {func(_, x *Engine, _ *callq.Call) { x.publish(&wait{}) }, true},
		"the next has begun":       {func(_, _ *Engine, next *callq.Call) { next.Begun() }, true},
		"a call of another thread": {func(e, _ *Engine, _ *callq.Call) { e.next.of = e }, true},
	} {
		e, x := newEngine(), newEngine()
		var calls [4]*callq.Call
		for i := range calls {
			calls[i] = e.q.Get(callq.Posted, nothing, x.id)
			x.link(calls[i])
			e.q.Push(calls[i])
		}
		last := calls[3]
		if c := e.oldest(x, last, false); c != calls[0] || !c.BeginOutOfTurn(x.id) {
			t.Fatalf("%s: the oldest call is not found, or has begun", name)
		}
		last.Earlier.Store(nil) // a walk finds the last alone
		c.change(e, x, calls[1])
		want := calls[1]
		if c.walks {
			want = last
		}
		if got := e.oldest(x, last, false); got != want {
			t.Errorf("%s: got call %d, walks is to be %v", name, slices.Index(calls[:], got), c.walks)
		}
	}
}

// A native loop in place of the thread's own has a thread that waits and does not spin, and is told
// what was queued before. After it the thread is as others are.
func TestServeIn_leavesTheThreadToTheLoop(t *testing.T) {
	needsSpinning(t)
	e, events := start(t), make(chan bool, 10)
	e.OnWake(func() { events <- true })
	e.Call(func() {
		if !maySpin(e) {
			t.Error("there is no slot")
		}
		e.ServeIn(func() {
			if e.counts.works() || e.idleState.slot != nil || !e.q.RestsAlways() {
				t.Error("the thread works, spins, or is not to be woken while the loop waits")
			}
			testutil.Arrives(t, events)
		})
		e.Go(func() {
			if !e.counts.works() || e.WakeOf() != nil || e.q.RestsAlways() {
				t.Error("the thread rests, or a loop that has ended is woken")
			}
		})
		for len(events) > 0 {
			<-events
		}
	})
	testutil.Arrives(t, e.Done())
}

// The main goroutine never ends, so its m is enough to know its thread.
func TestAdopt_theMainGoroutineIsExact(t *testing.T) {
	if want := [2]bool{true, ident.Trusted()}; exactOnMain != want {
		t.Errorf("on the main goroutine, exact and direct are %v, want %v", exactOnMain, want)
	}
	if adoptHere() != [2]bool{} {
		t.Error("another goroutine is taken for one that never ends")
	}
}

var exactOnMain = adoptHere() // package variables are initialised there

func adoptHere() (exactAndDirect [2]bool) {
	e, _ := New(0)
	e.Adopt(false)
	defer e.Terminate()
	return [2]bool{e.exact, e.direct}
}
