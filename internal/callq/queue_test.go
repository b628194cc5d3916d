package callq

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
)

func init() { go testutil.Collect() }

func (q *Queue) mustPush(t *testing.T, kind Kind, poster uintptr) *Call {
	t.Helper()
	c := q.Get(kind, func() {}, poster)
	if kind == Withdrawable {
		c.Ctx = context.Background()
	}
	if _, _, ok := q.Push(c); !ok {
		t.Fatal("Push to an open queue was refused")
	}
	return c
}

// A function that runs before a mark takes calls itself, up to a mark of its own or beyond.
func TestMarksInMarks(t *testing.T) {
	q := New()
	a := q.mustPush(t, Posted, 1)
	b := q.mustPush(t, Posted, 1)
	outer, _ := q.Mark()
	if q.TakeUntil(outer) != a {
		t.Fatal("not the oldest")
	}
	c := q.mustPush(t, Posted, 1)
	inner, _ := q.Mark()
	d := q.Get(Posted, func() {}, 2)
	q.PushOwn(d)
	if q.TakeUntil(inner) != b || q.TakeUntil(inner) != c || q.TakeUntil(inner) != nil {
		t.Error("not what was queued before the inner mark")
	}
	if q.TakeUntil(outer) != nil {
		t.Error("something is left before the outer mark")
	}
	again, _ := q.Mark()
	if q.Take() != d || q.Take() != nil || q.TakeUntil(again) != nil {
		t.Error("Take does not pass a mark")
	}
	q.Mark()
	q.mustPush(t, Posted, 1)
	q.Mark()
	q.Close()
	if q.Take() != nil || q.TakeUntil(everything) != nil {
		t.Error("a closed queue gives something")
	}
}

// Otherwise a thread that is in cycles with several others searches the whole queue again each time.
func TestWhatWasSkippedIsRememberedForSeveralPosters(t *testing.T) {
	q := New()
	var youngest *Call
	for poster := range uintptr(5) {
		youngest = q.Get(Posted, func() {}, poster)
		q.Push(youngest)
	}
	for _, poster := range []uintptr{6, 7, 6, 7} {
		if q.TakeFrom(poster, nil) != nil {
			t.Fatalf("a call of %d", poster)
		}
	}
	if *q.skipped.by(6) != youngest || *q.skipped.by(7) != youngest {
		t.Error("it is not remembered that all was searched")
	}
	if q.TakeFrom(4, nil) != youngest || *q.skipped.by(6) == youngest || *q.skipped.by(6) != *q.skipped.by(7) {
		t.Error("a call that was taken is remembered")
	}
	for q.Take() != nil {
	}
	if *q.skipped.by(6) != nil || *q.skipped.by(7) != nil {
		t.Error("a call that was taken in its turn is remembered")
	}
}

func TestCloseRefusesWhatHasNotBegun(t *testing.T) {
	q := New()
	begun := q.mustPush(t, Awaited, 1)
	ready := q.mustPush(t, Awaited, 1)
	if q.Take() != begun {
		t.Fatal("not the oldest")
	}
	queued := q.mustPush(t, Withdrawable, 1)
	q.mustPush(t, Posted, 1)
	q.Close()
	if o := begun.Outcome(); o != 0 {
		t.Errorf("the call that has begun was settled: %d", o)
	}
	for _, c := range []*Call{ready, queued} {
		if o := c.Outcome(); o != Refused {
			t.Errorf("a queued call is %d, want refused", o)
		}
	}
	if _, _, ok := q.Push(q.Get(Posted, nil, 0)); ok {
		t.Error("Push after Close")
	}
	if q.Take() != nil || q.TakeUntil(everything) != nil || q.TakeFrom(1, nil) != nil || q.Pending() || q.Rest() || !q.Closed() {
		t.Error("there is something in a closed queue")
	}
	if q.Close() {
		t.Error("the second Close wakes the thread")
	}
}

func TestACallWhoseContextIsDoneExpires(t *testing.T) {
	q := New()
	c := q.mustPush(t, Withdrawable, 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c.Ctx = ctx
	if q.Take().Start() || c.Outcome() != Expired {
		t.Error("it started")
	}
}

// Many goroutines push all kinds of calls, give up, and close, while one thread takes, rests and is woken. Every call
// must end once, in the way that its caller was told.
func TestNothingIsLostOrRunTwice(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if s, err := strconv.ParseUint(os.Getenv("THREADCALL_SEED"), 10, 64); err == nil {
		seed = s
	}
	t.Logf("THREADCALL_SEED=%d", seed)
	rounds := 300
	if testing.Short() {
		rounds = 50
	}
	for round := range rounds {
		stress(t, seed+uint64(round))
	}
}

func stress(t *testing.T, seed uint64) {
	q := New()
	wakeup := make(chan struct{}, 1)
	wake := func(w bool) {
		if w {
			wakeup <- struct{}{} // only one owes a wake-up at a time, so there is room
		}
	}
	var ran, told, posted atomic.Int64 // functions that a caller waited for, and what those were told; functions posted
	var accepted atomic.Int64          // posts
	served := make(chan struct{})
	go func() {
		defer close(served)
		r := rand.New(rand.NewPCG(seed, 0))
		for !q.Closed() {
			c := q.Take()
			switch {
			case c == nil:
				if q.Rest() {
					<-wakeup
				}
			case r.IntN(8) == 0:
				c.next.Store(nil)
				q.Return(c)
				q.TakeFrom(99, nil)
			case c.Kind == Posted:
				fn := c.Fn
				c.Fn = nil
				q.Put(c)
				fn()
			case c.Kind == Withdrawable && !c.Start():
			default:
				c.Fn()
				c.Settle(Ran)
			}
		}
	}()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r := rand.New(rand.NewPCG(seed, uint64(g+1)))
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			for range 100 {
				kind := Kind(r.IntN(3))
				counter := &ran
				if kind == Posted {
					counter = &posted
				}
				c := q.Get(kind, func() { counter.Add(1) }, uintptr(g))
				if c.Ctx = nil; kind == Withdrawable {
					c.Ctx = ctx
				}
				w, _, ok := q.Push(c)
				if !ok {
					return
				}
				wake(w)
				if kind == Posted {
					accepted.Add(1)
					continue
				}
				if kind == Withdrawable && r.IntN(2) == 0 && c.Withdraw() {
					continue
				}
				for c.Park() {
					c.Token().Wait(context.Background())
				}
				if c.Outcome() == Ran {
					told.Add(1)
				}
				q.Put(c)
			}
		}()
	}
	if seed%3 == 0 {
		wake(q.Close())
	}
	wg.Wait()
	if seed%3 != 0 { // let the thread run what was posted
		c := q.Get(Awaited, func() {}, 0)
		w, _, _ := q.Push(c)
		for wake(w); c.Park(); {
			c.Token().Wait(context.Background())
		}
		if posted.Load() != accepted.Load() {
			t.Fatalf("seed %d: %d functions were posted, %d ran", seed, accepted.Load(), posted.Load())
		}
	}
	wake(q.Close())
	<-served
	if ran.Load() != told.Load() {
		t.Fatalf("seed %d: %d functions ran, callers were told of %d", seed, ran.Load(), told.Load())
	}
	if posted.Load() > accepted.Load() {
		t.Fatalf("seed %d: %d functions were posted, %d ran", seed, accepted.Load(), posted.Load())
	}
}

// TakeFrom takes one poster's calls, in order and no further than it is told; those of the others stay in order.
func TestTakeFromKeepsBothOrders(t *testing.T) {
	q := New()
	var calls [9]*Call
	for i := range calls {
		calls[i] = q.mustPush(t, Posted, uintptr(1+i%3))
	}
	list := q.TakeFrom(1, calls[3])
	for _, want := range []*Call{calls[0], calls[3]} {
		var c *Call
		if c, list = Pop(list); c != want {
			t.Fatal("not the poster's oldest call")
		}
	}
	if list != nil {
		t.Fatal("a call after the last that was asked for")
	}
	for _, i := range []int{1, 2, 4, 5, 6, 7, 8} {
		if q.Take() != calls[i] {
			t.Fatalf("call %d of those that stayed is out of order", i)
		}
	}
}
