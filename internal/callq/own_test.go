package callq

import (
	"context"
	"runtime"
	"testing"

	"github.com/threadcall/threadcall/internal/group"
)

// postOwn has the thread post n functions to itself, which append to ran.
func (q *Queue) postOwn(t *testing.T, n int, ran *[]int) {
	t.Helper()
	for i := range n {
		if _, ok := q.PushOwn(q.Get(Posted, func() { *ran = append(*ran, i) }, 1)); !ok {
			t.Fatal("an open queue refused a call")
		}
	}
}

// run runs a posted call.
func (q *Queue) run(c *Call) {
	fn := c.Fn
	c.Fn = nil
	q.Put(c)
	fn()
}

// takeAll runs all that Take returns.
func (q *Queue) takeAll() (n int) {
	for c := q.Take(); c != nil; c = q.Take() {
		q.run(c)
		n++
	}
	return n
}

func inOrder(t *testing.T, ran []int, n int) {
	t.Helper()
	if len(ran) != n {
		t.Errorf("%d functions ran, want %d", len(ran), n)
	}
	for i, v := range ran {
		if i != v {
			t.Fatalf("they ran in the order %v", ran)
		}
	}
}

// A function that never returns may post and call for ever.
func TestTheRecordsOfOwnCallsAreUsedAgain(t *testing.T) {
	q := New()
	q.mustPush(t, Posted, 2)
	var ran []int
	seen := map[*Call]bool{}
	for range 1000 {
		q.postOwn(t, 2, &ran)
		for c := q.TakeOwn(q.OwnUntil()); c != nil; c = q.TakeOwn(q.OwnUntil()) {
			seen[c] = true
			q.run(c)
		}
		if q.HasOwn() || q.takeAll() != 1 {
			t.Fatal("not one call of others is left")
		}
		q.mustPush(t, Posted, 2)
	}
	if len(seen) > 100 || len(ran) != 2000 {
		t.Errorf("%d calls used %d records", len(ran), len(seen))
	}
}

func TestASlabIsUsedUpBeforeTheNextIsMade(t *testing.T) {
	q := New()
	q.record()
	for n := range 31 {
		if q.free.Get() == nil {
			t.Fatalf("of the other 31 records of a slab, %d are free", n)
		}
	}
}

func TestAHostIsWokenForItsOwnCalls(t *testing.T) {
	q := New()
	if wake, _ := q.PushOwn(q.Get(Posted, func() {}, 1)); wake || q.Rest() {
		t.Error("a thread that looks by itself must be woken, or rests although there is something")
	}
	q.RestAlways(true)
	if wake, _ := q.PushOwn(q.Get(Posted, func() {}, 1)); !wake {
		t.Error("nothing wakes the host")
	}
}

// Close comes while the thread takes its own calls in both ways, and others. None runs twice, or after it was refused.
func TestCloseAndTakeOwnShareTheCallsBetweenThem(t *testing.T) {
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	divided := 0
	for round := range rounds {
		q := New()
		var ran []int
		q.postOwn(t, 50, &ran)
		var others group.Group
		others.Go(func() {
			for range round % 100 {
				runtime.Gosched()
			}
			q.Close()
		})
		others.Go(func() {
			for c := q.Get(Awaited, func() {}, 2); ; c = q.Get(Awaited, func() {}, 2) {
				if _, _, ok := q.Push(c); !ok {
					break
				}
				for c.Park() {
					c.Token().Wait(context.Background())
				}
				q.Put(c)
			}
		})
		for i := 0; !q.Closed(); i++ {
			var c *Call
			if i%2 == 0 {
				c = q.TakeOwn(q.OwnUntil())
			} else {
				c = q.Take()
			}
			switch {
			case c == nil:
				runtime.Gosched()
			case c.Kind == Awaited:
				c.Settle(Ran)
			default:
				q.run(c)
			}
		}
		others.Wait()
		inOrder(t, ran, len(ran))
		if len(ran) > 0 && len(ran) < 50 {
			divided++
		}
	}
	t.Logf("Close came in the midst of %d of %d rounds", divided, rounds)
}
