package callq

import (
	"context"
	"runtime"
	"testing"
	"time"
	"weak"
)

// free reports whether the first record of a queue has been given back.
func (q *Queue) firstFree() bool { return !q.firstTaken.Load() }

// A record that its caller withdraws must be given back once, by the caller or the thread, and refer to nothing before.
func TestAWithdrawnRecordIsFreedOnce(t *testing.T) {
	take := func(q *Queue) {
		if c := q.Take(); c == nil || c.Start() {
			t.Error("a withdrawn call starts, or is not taken")
		}
	}
	for name, c := range map[string]struct {
		before func(q *Queue, c *Call)
		after  func(q *Queue)
	}{
		"withdrawn, then taken":       {after: take},
		"withdrawn, then closed":      {after: func(q *Queue) { q.Close() }},
		"parked, then taken":          {before: func(_ *Queue, c *Call) { c.Park() }, after: take},
		"ready, then taken":           {before: func(q *Queue, c *Call) { q.Mark() }, after: take},
		"ready, then closed":          {before: func(q *Queue, c *Call) { q.Mark() }, after: func(q *Queue) { q.Close() }},
		"in a list that was returned": {before: func(q *Queue, c *Call) { q.Return(q.TakeFrom(1, nil)) }, after: take},
	} {
		q := New()
		call := q.mustPush(t, Withdrawable, 1)
		if call != &q.first {
			t.Fatal("not the first record")
		}
		if c.before != nil {
			c.before(q, call)
		}
		if !call.Withdraw() {
			t.Fatalf("%s: not withdrawn", name)
		}
		if q.firstFree() || call.Fn != nil || call.Ctx != nil {
			t.Errorf("%s: given back too early: %v, or it still refers to something", name, q.firstFree())
		}
		if c.after(q); !q.firstFree() {
			t.Errorf("%s: never given back", name)
		}
	}
}

// The thread takes a call before its caller has let go of it.
func TestAThreadThatTakesACallWhileItIsWithdrawnLeavesTheRecordToItsCaller(t *testing.T) {
	q := New()
	c := q.mustPush(t, Withdrawable, 1)
	c.state.Store(withdrawn) // the first half of Withdraw
	if q.Take().Start() || q.firstFree() {
		t.Error("it starts, or is given back while its caller still uses it")
	}
	if c.letGo(callerLetGo); !q.firstFree() {
		t.Error("never given back")
	}
}

func TestAnUnwantedCallIsSettledWithoutRunning(t *testing.T) {
	q := New()
	c := q.mustPush(t, Awaited, 1)
	if c.Park(); c.Leave() {
		t.Error("the record is no longer its caller's, although the thread may have begun")
	}
	if taken := q.Take(); taken != c || !c.Unwanted() || !c.Settle(Refused) || c.Outcome() != Refused {
		t.Error("the thread does not see it, or its caller is not told")
	}
	q.Put(c)
	if again := q.mustPush(t, Awaited, 1); again != c || again.Unwanted() {
		t.Error("the next call of the same record is unwanted as well")
	}
	q.Take()
	q.Put(c)
	c = q.mustPush(t, Withdrawable, 1)
	if !c.Leave() || q.Take().Start() {
		t.Error("a call that can be withdrawn is not")
	}
}

// A thread that hangs takes nothing. What a caller has given up must be collectable all the same.
func TestAWithdrawnCallLetsGoOfItsFunctionAndContextAtOnce(t *testing.T) {
	q := New()
	type large [1 << 20]byte
	var captured, context_ weak.Pointer[large]
	func() {
		in, with := new(large), new(large)
		captured, context_ = weak.Make(in), weak.Make(with)
		c := q.Get(Withdrawable, func() { in[0]++ }, 1)
		c.Ctx = context.WithValue(context.Background(), new(int), with)
		q.Push(c)
		if !c.Withdraw() {
			t.Fatal("not withdrawn")
		}
	}()
	for start := time.Now(); captured.Value() != nil || context_.Value() != nil; runtime.GC() {
		if time.Since(start) > 20*time.Second {
			t.Fatal("they are not collected")
		}
	}
	runtime.KeepAlive(q)
}
