package callq

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/internal/fault"
	"github.com/threadcall/threadcall/internal/testutil"
)

// The tables in the comments of Queue and Call, row by row.

// heads are the states of a queue's head, and how it gets there. A queue with something ready has
// taken two calls at once and given out one.
var heads = []struct {
	name string
	make func() *Queue
}{
	{"resting", New},
	{"nil", func() *Queue { q := New(); q.Awake(); return q }},
	{"a Call", func() *Queue { q := New(); q.Push(q.Get(Posted, nil, 1)); return q }},
	{"closed", func() *Queue { q := New(); q.Close(); return q }},
	{"nil, ready", func() *Queue {
		q := New()
		q.Push(q.Get(Posted, nil, 1))
		q.Push(q.Get(Posted, nil, 1))
		q.Take()
		return q
	}},
	{"closed, ready", func() *Queue { // another Close is between its two steps
		q := New()
		q.Push(q.Get(Posted, nil, 1))
		q.Push(q.Get(Posted, nil, 1))
		q.Take()
		q.head.Store(&closed)
		return q
	}},
}

func (q *Queue) state() string {
	s := "a Call"
	switch q.head.Load() {
	case nil:
		s = "nil"
	case &resting:
		s = "resting"
	case &closed:
		s = "closed"
	}
	if r := q.ready.Load(); r != nil && r != &closed {
		s += ", ready"
	}
	return s
}

func TestQueue_transitions(t *testing.T) {
	push := func(q *Queue) string {
		wake, backlog, ok := q.Push(q.Get(Posted, nil, 1))
		return fmt.Sprint("wake ", wake, ", backlog ", backlog, ", ok ", ok)
	}
	operations := map[string]func(q *Queue) string{
		"Push":      push,
		"Take":      func(q *Queue) string { return fmt.Sprint(q.Take() != nil) },
		"TakeUntil": func(q *Queue) string { return fmt.Sprint(q.TakeUntil(everything) != nil) },
		"Mark":      func(q *Queue) string { _, ok := q.Mark(); return fmt.Sprint(ok) },
		"Rest":      func(q *Queue) string { return fmt.Sprint(q.Rest()) },
		"Awake":     func(q *Queue) string { q.Awake(); return "" },
		"Close":     func(q *Queue) string { return fmt.Sprint(q.Close()) },
		"Seal":      func(q *Queue) string { return fmt.Sprint(q.Seal()) },
		"Pending":   func(q *Queue) string { return fmt.Sprint(q.Pending()) },
		"Closed":    func(q *Queue) string { return fmt.Sprint(q.Closed()) },
		"Resting":   func(q *Queue) string { return fmt.Sprint(q.Resting()) },
		"a host's Take": func(q *Queue) string {
			q.RestAlways(true)
			return fmt.Sprint(q.Take() != nil)
		},
	}
	for operation, rows := range map[string]map[string]string{
		"Push": {
			"resting":    "a Call; wake true, backlog false, ok true",
			"nil":        "a Call; wake false, backlog false, ok true",
			"a Call":     "a Call; wake false, backlog true, ok true",
			"closed":     "closed; wake false, backlog false, ok false",
			"nil, ready": "a Call, ready; wake false, backlog false, ok true",
		},
		"Take": {"resting": "resting; false",
			"nil": "nil; false", "a Call": "nil; true",
			"closed": "closed; false", "nil, ready": "nil; true"},
		"TakeUntil": {"resting": "resting; false", "nil": "nil; false", "a Call": "a Call; false",
			"closed": "closed; false", "nil, ready": "nil; true"},
		"Mark": {"resting": "resting; false", "nil": "nil; false", "a Call": "nil, ready; true",
			"closed": "closed; false", "nil, ready": "nil, ready; true"},
		"Rest": {"resting": "resting; true", "nil": "resting; true", "a Call": "a Call; false",
			"closed": "closed; false", "nil, ready": "nil, ready; false"},
		"Awake": {"resting": "nil", "nil": "nil", "a Call": "a Call", "closed": "closed"},
		"Close": {"resting": "closed; true", "nil": "closed; false",
			"a Call": "closed; true", "closed": "closed; true", "nil, ready": "closed; true",
			"closed, ready": "closed; true"},
		"Seal": {"resting": "closed; true", "nil": "closed; true",
			"a Call": "a Call; false", "closed": "closed; true",
			"nil, ready": "nil, ready; false", "closed, ready": "closed, ready; false"},
		"Pending": {"resting": "resting; false", "nil": "nil; false", "a Call": "a Call; true",
			"closed": "closed; false", "nil, ready": "nil, ready; true"},
		"Closed": {"nil": "nil; false", "closed": "closed; true"},
		"Resting": {"resting": "resting; true",
			"nil": "nil; false", "closed": "closed; false"},
		"a host's Take": {"a Call": "resting; true", "closed": "closed; false",
			"nil": "resting; false"},
	} {
		for _, h := range heads {
			want, ok := rows[h.name]
			if !ok {
				continue
			}
			q := h.make()
			if s := q.state(); s != h.name {
				t.Fatalf("made %q, want %q", s, h.name)
			}
			result := operations[operation](q)
			got := q.state()
			if result != "" {
				got += "; " + result
			}
			if got != want {
				t.Errorf("%s, %s: becomes %q, want %q", h.name, operation, got, want)
			}
		}
	}
}

func TestCall_transitions(t *testing.T) {
	// Each state that a caller who waits can be in.
	states := map[string]func(c *Call){
		"queued":          func(*Call) {},
		"queued, parked":  func(c *Call) { c.Park() },
		"started":         func(c *Call) { c.Start() },
		"started, parked": func(c *Call) { c.Start(); c.Park() },
		"parked, started": func(c *Call) { c.Park(); c.Start() },
		"withdrawn":       func(c *Call) { c.Withdraw() },
		"settled":         func(c *Call) { c.Settle(Ran) },
		"parked, settled": func(c *Call) { c.Park(); c.Settle(Panicked) },
	}
	for name, want := range map[string]struct {
		outcome               Outcome
		park, start, withdraw bool
		token                 int // that settling it sends
	}{
		"queued":          {park: true, start: true, withdraw: true},
		"queued, parked":  {park: true, start: true, withdraw: true, token: 1},
		"started":         {park: true},
		"started, parked": {park: true, token: 1},
		"parked, started": {park: true, token: 1},
		"withdrawn":       {park: true}, // its record is no longer the caller's
		"settled":         {outcome: Ran},
		"parked, settled": {outcome: Panicked},
	} {
		fresh := func() *Call {
			q := New()
			c := q.Get(Withdrawable, nil, 1)
			c.Ctx = context.Background()
			states[name](c)
			return c
		}
		if o := fresh().Outcome(); o != want.outcome {
			t.Errorf("%s: the outcome is %d, want %d", name, o, want.outcome)
		}
		if want.outcome != 0 {
			if fresh().Park() || fresh().Withdraw() {
				t.Errorf("%s: it can be parked on or withdrawn", name)
			}
			testutil.MustPanic(t, func() { fresh().Settle(Ran) }, "settled twice")
			continue
		}
		if got := fresh().Withdraw(); got != want.withdraw {
			t.Errorf("%s: Withdraw is %v, want %v", name, got, want.withdraw)
		}
		if got := fresh().Start(); got != want.start {
			t.Errorf("%s: Start is %v, want %v", name, got, want.start)
		}
		if got := fresh().Park(); got != want.park {
			t.Errorf("%s: Park is %v, want %v", name, got, want.park)
		}
		if c := fresh(); name != "withdrawn" {
			c.Settle(Ran)
			got := 0
			if token := c.token.Load(); token != nil {
				got = len(token.C())
			}
			if got != want.token {
				t.Errorf("%s: settling sends %d tokens, want %d", name, got, want.token)
			}
		}
	}
}

// firstFree reports whether the first record of a queue has been given back.
func (q *Queue) firstFree() bool { return !q.taken.Load() }

// A record that its caller withdraws must be given back once, by the caller or the thread, and
// refer to nothing before.
func TestCall_Withdraw(t *testing.T) {
	take := func(q *Queue) {
		if c := q.Take(); c == nil || c.Start() {
			t.Error("a withdrawn call starts, or is not taken")
		}
	}
	for name, c := range map[string]struct {
		before func(q *Queue, c *Call)
		after  func(q *Queue)
	}{
		"withdrawn, then taken":  {after: take},
		"withdrawn, then closed": {after: func(q *Queue) { q.Close() }},
		"parked, then taken":     {before: func(_ *Queue, c *Call) { c.Park() }, after: take},
		"ready, then taken":      {before: func(q *Queue, c *Call) { q.Mark() }, after: take},
		"ready, then closed": {before: func(q *Queue, c *Call) { q.Mark() },
			after: func(q *Queue) { q.Close() }},
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
			t.Errorf("%s: given back too early: %v, or it still refers to something", name,
				q.firstFree())
		}
		if c.after(q); !q.firstFree() {
			t.Errorf("%s: never given back", name)
		}
	}
}

// The thread takes a call before its caller has let go of it.
func TestCall_Withdraw_taken(t *testing.T) {
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

// A record that is not in use refers to nothing that it has carried, nor to a function that has run
// when its caller has not come back to it.
func TestCall_keepsNothing(t *testing.T) {
	settled := func(c *Call) {
		c.Fault = new(fault.Fault)
		if c.Settle(Panicked); c.Fn != nil {
			t.Error("a call that is settled refers to its function")
		}
		c.Drop()
	}
	outOfTurn := func(q *Queue, c *Call) {
		if q.Push(c); Oldest(1, c, false) != c || !q.TakeOutOfTurn(c) {
			t.Fatal("the only call is not found")
		}
	}
	for name, end := range map[string]func(q *Queue, c *Call){
		"not queued":           func(_ *Queue, c *Call) { c.Drop() },
		"settled":              func(q *Queue, c *Call) { q.Push(c); settled(q.Take()) },
		"settled, out of turn": func(q *Queue, c *Call) { outOfTurn(q, c); settled(c); q.Take() },
		"a post":               func(q *Queue, c *Call) { q.Push(c); q.Take().PostRun() },
		"a post, out of turn":  func(q *Queue, c *Call) { outOfTurn(q, c); c.PostRun(); q.Take() },
	} {
		q := New()
		c := q.Get(Awaited, func() {}, 1)
		if strings.HasPrefix(name, "a post") {
			c.Kind = Posted
		} else {
			c.Ctx = context.Background()
		}
		if end(q, c); c.Fn != nil || c.Fault != nil || c.Ctx != nil || !q.firstFree() {
			t.Errorf("%s: %+v, free: %v", name, c, q.firstFree())
		}
	}
}

func TestCall_Abandon(t *testing.T) {
	q := New()
	c := q.mustPush(t, Awaited, 1)
	if c.Park(); c.Abandon() {
		t.Error("the record is no longer its caller's, although the thread may have begun")
	}
	if taken := q.Take(); taken != c || !c.Unwanted() || !c.Settle(Refused) ||
		c.Outcome() != Refused {
		t.Error("the thread does not see it, or its caller is not told")
	}
	q.Put(c)
	c = q.mustPush(t, Withdrawable, 1)
	if !c.Abandon() || q.Take().Start() {
		t.Error("a call that can be withdrawn is not")
	}
}
