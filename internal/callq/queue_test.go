package callq

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/threadcall/threadcall/internal/rig/testutil"
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

// A function that runs before a mark takes calls itself, up to a mark of its own.
func TestQueue_Mark_nested(t *testing.T) {
	q := New()
	a, b := q.mustPush(t, Posted, 1), q.mustPush(t, Posted, 1)
	outer, _ := q.Mark()
	if q.TakeUntil(outer) != a {
		t.Fatal("not the oldest")
	}
	c := q.mustPush(t, Posted, 1)
	inner, _ := q.Mark()
	q.mustPush(t, Posted, 2)
	if q.TakeUntil(inner) != b || q.TakeUntil(inner) != c || q.TakeUntil(inner) != nil ||
		q.TakeUntil(outer) != nil {
		t.Error("not what was queued before the inner mark")
	}
}

// A lone call travels in one cache line. The allocator aligns objects of this size so; larger ones
// that have pointers begin eight bytes later, after a header of its own.
func TestQueue_line(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("there is more room with pointers of four bytes")
	}
	for range 100 {
		q := New()
		begin, end := uintptr(unsafe.Pointer(&q.head)), uintptr(unsafe.Pointer(&q.first.Ctx))
		if begin/64 != (end-1)/64 {
			t.Fatalf("a queue of %d bytes at %#x has them in two", unsafe.Sizeof(*q), begin)
		}
	}
}

// Many goroutines push all kinds of calls, give up, and close, while one thread posts to itself,
// takes in all ways at random, puts back, rests and is woken. Each call ends once, in the way that
// its caller was told, and each pusher's calls run in its order.
func TestQueue_random(t *testing.T) {
	r, rounds := testutil.Seeded(t), 300
	if testing.Short() {
		rounds = 100
	}
	for range rounds {
		takeAtRandom(t, r.Uint64())
	}
}

const (
	pushers = 12
	calls   = 100 // of each
)

// A trial is one queue. The thread alone uses the last three.
type trial struct {
	*testing.T
	*Queue
	wakeup chan bool
	// functions that callers waited for, and of which they were told; posts
	ran, told, posted, accepted atomic.Int64
	r                           *rand.Rand
	// that ran; the thread's own calls are those of the last pusher
	last [pushers + 1]int
	own  int // calls that the thread has posted to itself
}

func (q *trial) wake(wake bool) {
	if wake {
		select {
		case q.wakeup <- true:
		default: // that of Close and that of a pusher are one
		}
	}
}

// function returns call i of pusher p.
func (q *trial) function(p, i int, counter *atomic.Int64) func() {
	return func() {
		if i <= q.last[p] {
			q.Errorf("call %d of pusher %d ran after call %d", i, p, q.last[p])
		}
		q.last[p] = i
		counter.Add(1)
	}
}

func (q *trial) run(c *Call) {
	switch {
	case c.Kind == Posted:
		fn := c.Fn
		c.Fn = nil
		q.Put(c)
		fn()
	case c.Kind == Awaited || c.Start():
		c.Fn()
		c.Settle(Ran)
	}
}

// take does one thing that a thread does.
func (q *trial) take() {
	switch q.r.IntN(8) {
	case 0:
		if q.Rest() {
			<-q.wakeup
		}
	case 1:
		m, _ := q.Mark()
		for range q.r.IntN(10) {
			if c := q.TakeUntil(m); c != nil {
				q.run(c)
			}
		}
	case 2, 3:
		poster := uintptr(1 + q.r.IntN(pushers))
		list := q.TakeFrom(poster, nil)
		for n := q.r.IntN(20); list != nil && n > 0; n-- {
			var c *Call
			if c, list = Pop(list); c.Poster != poster {
				q.Errorf("TakeFrom(%d) gave a call of %d", poster, c.Poster)
			}
			q.run(c)
		}
		q.Return(list)
	case 4, 5:
		for range min(q.r.IntN(20), calls-q.own) {
			q.own++
			c := q.Get(Posted, q.function(pushers, q.own, &q.posted), pushers+1)
			if wake, _, ok := q.Push(c); ok {
				q.wake(wake) // the thread does not rest then
				q.accepted.Add(1)
			}
		}
	default:
		if c := q.Take(); c != nil {
			q.run(c)
		}
	}
}

// push is a goroutine that pushes calls.
func (q *trial) push(p int, r *rand.Rand) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for i := range calls {
		kind, counter := Posted, &q.posted
		if r.IntN(3) == 0 {
			kind, counter = []Kind{Awaited, Withdrawable}[r.IntN(2)], &q.ran
		}
		c := q.Get(kind, q.function(p, i+1, counter), uintptr(p+1))
		if c.Ctx = nil; kind == Withdrawable {
			c.Ctx = ctx
		}
		w, _, ok := q.Push(c)
		if !ok {
			return
		}
		q.wake(w)
		switch {
		case kind == Posted:
			q.accepted.Add(1)
		case kind == Withdrawable && r.IntN(2) == 0 && c.Withdraw():
		default:
			q.await(c)
		}
	}
}

func (q *trial) await(c *Call) {
	for c.Park() {
		c.Token().Wait(nil)
	}
	if c.Outcome() == Ran {
		q.told.Add(1)
	}
	q.Put(c)
}

func takeAtRandom(t *testing.T, seed uint64) {
	q := &trial{T: t, Queue: New(), wakeup: make(chan bool, 1), r: rand.New(rand.NewPCG(seed, 0))}
	var serving, all testutil.Group
	serving.Go(func() {
		for !q.Closed() {
			q.take()
		}
	})
	for p := range pushers {
		all.Go(func() { q.push(p, rand.New(rand.NewPCG(seed, uint64(p+1)))) })
	}
	closes := seed%3 == 0
	if closes {
		for range seed % 1000 {
			runtime.Gosched()
		}
		q.wake(q.Close())
	}
	all.Wait()
	if !closes { // the thread runs what was posted
		c := q.Get(Awaited, func() { q.ran.Add(1) }, 0)
		w, _, _ := q.Push(c)
		q.wake(w)
		q.await(c)
	}
	q.wake(q.Close())
	serving.Wait()
	ran, told, posted, accepted := q.ran.Load(), q.told.Load(), q.posted.Load(), q.accepted.Load()
	if ran != told || posted > accepted || !closes && posted < accepted-calls {
		t.Fatalf("%d functions ran, callers were told of %d; %d were posted, %d of these ran", ran,
			told, accepted, posted)
	}
}
