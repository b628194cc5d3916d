package keyed_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/threadcall/threadcall/internal/access"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/keyed"
	"github.com/threadcall/threadcall/thread"
)

// What each method and option does, one test for each.

func TestNew_startsAThreadOnceForAKey(t *testing.T) {
	k := newThreads(t)
	for range 3 {
		k.do(t, 1, nop)
	}
	if k.counts(1) != "1 0" {
		t.Errorf("starts and stops: %s, want 1 0", k.counts(1))
	}
}

func TestCall_returnsWhatTheFunctionReturns(t *testing.T) {
	k := newThreads(t)
	if err := k.Call(ctx, 1, func() error { return errStart }); err != errStart {
		t.Errorf("Call returned %v", err)
	}
}

func TestCall_runsInPlaceOnTheThreadOfTheKey(t *testing.T) {
	k := newThreads(t)
	ends(t, func() {
		k.do(t, 1, func() {
			outer := here()
			k.do(t, 1, func() {
				if here() != outer {
					t.Error("a nested call is on another thread")
				}
			})
		})
	})
}

func TestCall_usesAThreadOfItsOwnForEachKey(t *testing.T) {
	k := newThreads(t)
	k.do(t, 1, func() {
		first := here()
		k.do(t, 2, func() {
			if here() == first && first != 0 {
				t.Error("two keys have one thread")
			}
		})
	})
}

func TestWithMaxThreads_allowsNoMore(t *testing.T) {
	k := newThreads(t, keyed.WithMaxThreads(2))
	for key := range 5 {
		k.do(t, key, nop)
	}
	if k.most > 2 {
		t.Errorf("there were %d threads at once", k.most)
	}
}

func TestWithThreadOptions_areThoseOfEachThread(t *testing.T) {
	ran := 0
	k := newThreads(t, keyed.WithThreadOptions(thread.WithStart(func() error { ran++; return nil })))
	for key := range 2 {
		k.do(t, key, nop)
	}
	if ran != 2 {
		t.Errorf("the function of WithStart ran %d times, want 2", ran)
	}
}

func TestClose_stopsTheThreadsAndRefusesCalls(t *testing.T) {
	k := newThreads(t)
	k.do(t, 1, nop)
	k.Close()
	if k.counts(1) != "1 1" {
		t.Errorf("starts and stops: %s, want 1 1", k.counts(1))
	}
	if err := k.Call(ctx, 1, ok); err != thread.ErrTerminated {
		t.Errorf("Call returned %v", err)
	}
	testutil.Arrives(t, k.Done())
}

// Each start that has succeeded is undone, although a later one of the same thread fails.
func TestCallWith_undoesTheStartOfNew(t *testing.T) {
	attached := 0
	option := keyed.WithThreadOptions(
		thread.WithStart(func() error { attached++; return nil }),
		thread.WithStop(func() { attached-- }))
	fails := func() error { return errStart }
	k := newThreads(t, option)
	if err := k.CallWith(ctx, 1, fails, ok); err != errStart {
		t.Errorf("CallWith returned %v", err)
	}
	ends(t, k.Close)
	if k.counts(1) != "1 1" || attached != 0 {
		t.Errorf("starts and stops: %s; %d options are not undone", k.counts(1), attached)
	}
	other := keyed.New(func(int) error { return errStart },
		keyed.WithStop(func(int) { t.Error("stop runs") }), option)
	if err := other.Call(ctx, 1, ok); err != errStart {
		t.Errorf("Call returned %v", err)
	}
	if ends(t, other.Close); attached != 0 {
		t.Errorf("%d options are not undone", attached)
	}
}

// Close on a thread runs what stop functions call there, and has waited for their end.
func TestClose_runsTheCallsOfStopFunctions(t *testing.T) {
	self := thread.New()
	defer self.Terminate()
	k := newThreads(t)
	calls := 0
	k.stop = func(int) { self.Call(func() { calls++ }) }
	ends(t, func() {
		self.Call(func() {
			k.do(t, 1, nop)
			k.do(t, 2, nop)
			if k.Close(); calls != 2 || k.alive() != 0 {
				t.Errorf("%d calls, %d threads are left", calls, k.alive())
			}
		})
	})
}

// Close does not wait for a call of its own thread, which has run and returns behind it.
func TestClose_doesNotWaitForItsOwnCaller(t *testing.T) {
	self, other := thread.New(), thread.New()
	defer self.Terminate()
	defer other.Terminate()
	k := newThreads(t)
	waits, giveUp := context.WithCancel(ctx)
	gate, called, closed := occupy(t, self.Go), make(chan bool), make(chan bool)
	self.Go(func() {
		eventually(t, twoWait, "key 1 waits for other, and that for this thread")
		k.do(t, 1, func() { close(called) })
	})
	first := k.later(t, 1, func() {
		other.Go(func() {
			self.Call(func() { // within the call for key 1, which others keep from running
				giveUp()
				<-called
				k.Close()
				close(closed)
			})
		})
		_ = other.CallContext(waits, nop)
	})
	gate.Open()
	testutil.Arrives(t, closed)
	testutil.Arrives(t, first)
}

// twoWait reports whether two threads wait for another one.
func twoWait() bool {
	n := 0
	states, _ := access.States()
	for _, s := range states {
		if s.Threads[0].Waits != "" {
			n++
		}
	}
	return n == 2
}

// The thread of a start that has failed ends, whatever those that have called it do meanwhile.
func TestCall_duringTheEndOfAFailedStart(t *testing.T) {
	for _, cyclic := range []bool{false, true} {
		self, other := thread.New(), thread.New()
		defer self.Terminate()
		defer other.Terminate()
		waits, giveUp := context.WithCancel(ctx)
		stops, stop := make(chan bool, 2), make(chan bool)
		fails := true
		k := keyed.New(func(int) error {
			if !fails {
				return nil
			}
			fails = false
			_ = other.CallContext(waits, nop)
			return errStart
		}, keyed.WithThreadOptions(thread.WithStart(func() error { return nil }), thread.WithStop(func() {
			if stops <- true; cyclic {
				self.Call(nop)
			}
			<-stop
		})))
		gate, inner, outer := occupy(t, self.Go), make(chan error, 1), make(chan error, 1)
		self.Go(func() {
			eventually(t, twoWait, "key 1 waits for other, and that for this thread")
			outer <- k.Call(ctx, 1, ok)
		})
		other.Go(func() {
			self.Call(func() { // within the call for key 1
				giveUp()
				<-stops
				if !cyclic {
					go func() { stop <- true }()
				}
				inner <- k.Call(ctx, 1, ok)
			})
		})
		first := make(chan error, 1)
		go func() { first <- k.Call(ctx, 1, ok) }()
		gate.Open()
		want := map[bool]error{true: thread.ErrTerminated}[cyclic]
		if err := testutil.Arrives(t, inner); err != want {
			t.Errorf("the stop function waits for the caller: %v; Call returned %v", cyclic, err)
		}
		for _, c := range []chan error{outer, first} {
			if err := testutil.Arrives(t, c); err != errStart {
				t.Errorf("Call returned %v, want that of the start", err)
			}
		}
		close(stop)
		ends(t, k.Close)
	}
}

// A silentContext is done when the channel is closed, and does not say why.
type silentContext struct {
	context.Context
	done chan struct{}
}

func (c silentContext) Done() <-chan struct{} { return c.done }

func TestCall_endsWithAContextThatGivesNoError(t *testing.T) {
	k := newThreads(t, keyed.WithMaxThreads(1))
	entered, release := make(chan bool), make(chan bool)
	first := k.later(t, 1, func() { close(entered); <-release })
	testutil.Arrives(t, entered)
	waits := silentContext{ctx, make(chan struct{})}
	returned := make(chan error, 1)
	blocks(t, func() { returned <- k.Call(waits, 2, ok) })
	close(waits.done)
	if err := testutil.Arrives(t, returned); err != context.Canceled {
		t.Errorf("Call returned %v", err)
	}
	close(release)
	testutil.Arrives(t, first)
}

// A panicking context loses no thread that it waited for.
func TestCall_panicsIfTheContextDoes(t *testing.T) {
	k := newThreads(t, keyed.WithMaxThreads(1))
	for n := range int32(20) {
		entered, release := make(chan bool), make(chan bool)
		first := k.later(t, 1, func() { close(entered); <-release })
		testutil.Arrives(t, entered)
		parent, cancel := context.WithCancel(ctx)
		faulty := &faultyContext{Context: parent}
		faulty.left.Store(n + 1)
		second := blocks(t, func() {
			_ = testutil.Recovered(func() { _ = k.Call(faulty, 2, ok) })
		})
		cancel()
		testutil.Arrives(t, second)
		close(release)
		testutil.Arrives(t, first)
		k.do(t, 3, nop)
	}
}

// A faultyContext panics when its methods are called for the nth time.
type faultyContext struct {
	context.Context
	left atomic.Int32
}

func (c *faultyContext) count() {
	if c.left.Add(-1) == 0 {
		panic(errStart)
	}
}

func (c *faultyContext) Err() error            { c.count(); return c.Context.Err() }
func (c *faultyContext) Done() <-chan struct{} { c.count(); return c.Context.Done() }
func (c *faultyContext) Value(key any) any     { c.count(); return c.Context.Value(key) }

// WithStop is for keys of the type that New has, and New says so.
func TestWithStop_hasTheKeysOfNew(t *testing.T) {
	mustPanic(t, func() { keyed.New[int](nil, keyed.WithStop(func(string) {})) },
		"WithStop of a func(string); its keys are of another type, write a func(int)")
	var stopped []int
	add := func(key int) { stopped = append(stopped, key) }
	k := keyed.New[int](nil, keyed.WithStop(func(int) { t.Error("replaced, and runs") }),
		keyed.WithStop(add))
	none := keyed.New[int](nil, keyed.WithStop[int](nil))
	if k.Call(ctx, 1, ok) != nil || none.Call(ctx, 1, ok) != nil {
		t.Error("a call failed")
	}
	if ends(t, k.Close); len(stopped) != 1 {
		t.Errorf("stopped %v", stopped)
	}
	ends(t, none.Close)
}
