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
)

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

func TestPushTellsWhomToWake(t *testing.T) {
	q := New()
	if wake, behind, ok := q.Push(q.Get(Posted, nil, 0)); !wake || behind || !ok {
		t.Errorf("first push to a resting thread: wake %v, behind %v, ok %v; want true, false, true", wake, behind, ok)
	}
	if wake, behind, ok := q.Push(q.Get(Posted, nil, 0)); wake || !behind || !ok {
		t.Errorf("second push: wake %v, behind %v, ok %v; want false, true, true", wake, behind, ok)
	}
	q.Take()
	if wake, behind, ok := q.Push(q.Get(Posted, nil, 0)); wake || behind || !ok {
		t.Errorf("push to a thread that is up: wake %v, behind %v, ok %v; want false, false, true", wake, behind, ok)
	}
}

func TestRestFailsWhileThereIsSomethingToTake(t *testing.T) {
	q := New()
	q.Awake()
	a := q.mustPush(t, Posted, 1)
	if q.Rest() {
		t.Error("the thread may rest behind a pushed call")
	}
	b := q.mustPush(t, Posted, 1)
	if q.Take() != a {
		t.Fatal("not the oldest")
	}
	if q.Rest() {
		t.Error("the thread may rest behind a call that is ready")
	}
	if q.Take() != b || q.Take() != nil {
		t.Fatal("not the rest")
	}
	if !q.Rest() || !q.Resting() {
		t.Error("the thread may not rest although there is nothing")
	}
}

func TestATakeAfterRestAlwaysLeavesTheThreadResting(t *testing.T) {
	q := New()
	q.RestAlways(true)
	q.mustPush(t, Posted, 1)
	q.Take()
	if wake, _, _ := q.Push(q.Get(Posted, nil, 0)); !wake {
		t.Error("nobody wakes the host")
	}
	q.RestAlways(false)
	q.Take()
	if wake, _, _ := q.Push(q.Get(Posted, nil, 0)); wake {
		t.Error("a thread that looks by itself is woken")
	}
}

func TestAMarkStandsBehindWhatWasQueuedBefore(t *testing.T) {
	q := New()
	a := q.mustPush(t, Posted, 1)
	b := q.mustPush(t, Posted, 1)
	if q.Take() != a {
		t.Fatal("not the oldest")
	}
	c := q.mustPush(t, Posted, 1)
	m, _ := q.Mark()
	own := q.Get(Posted, func() {}, 2)
	q.PushOwn(own)
	d := q.mustPush(t, Posted, 1)
	if q.TakeUntil(m) != b || q.TakeUntil(m) != c || q.TakeUntil(m) != nil || q.TakeUntil(m) != nil {
		t.Error("not the two calls that were queued before, in order")
	}
	if q.Take() != own || q.Take() != d || q.Take() != nil {
		t.Error("the calls that were queued later are gone")
	}
	if _, ok := q.Mark(); ok {
		t.Error("a mark behind nothing")
	}
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
	d := q.mustPush(t, Posted, 1)
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

func TestTakeFromKeepsBothOrders(t *testing.T) {
	q := New()
	var mine, others []*Call
	for i := range 9 {
		c := q.mustPush(t, Posted, uintptr(1+i%3))
		if i%3 == 0 {
			mine = append(mine, c)
		} else {
			others = append(others, c)
		}
		if i == 4 {
			others = append([]*Call{}, others...)
		}
	}
	list := q.TakeFrom(1, mine[1])
	for _, want := range mine[:2] {
		var c *Call
		if c, list = Pop(list); c != want {
			t.Fatal("not the poster's oldest call")
		}
	}
	if list != nil {
		t.Fatal("a call after the last that was asked for")
	}
	want := append([]*Call{}, others[:4]...)
	want = append(want, mine[2])
	want = append(want, others[4:]...)
	for i, w := range want {
		if c := q.Take(); c != w {
			t.Fatalf("call %d of those that stayed is out of order", i)
		}
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

// TakeFrom does not search again what it has searched in vain, as long as that is queued and the poster is the same.
func TestTakeFromFindsWhatComesAfterASearchInVain(t *testing.T) {
	q := New()
	a := q.mustPush(t, Posted, 1)
	b := q.mustPush(t, Posted, 2)
	if q.TakeFrom(3, nil) != nil || q.TakeFrom(2, nil) != b || q.TakeFrom(2, nil) != nil {
		t.Error("not the call of the second poster")
	}
	if q.Take() != a {
		t.Error("not the call of the first poster")
	}
	if c := q.mustPush(t, Posted, 2); q.TakeFrom(2, nil) != c {
		t.Error("not the next call of the second poster")
	}
}

func TestReturnPutsAListBackInFront(t *testing.T) {
	q := New()
	a := q.mustPush(t, Posted, 1)
	b := q.mustPush(t, Posted, 2)
	c := q.mustPush(t, Posted, 1)
	_, rest := Pop(q.TakeFrom(1, nil))
	q.Return(rest)
	if q.Take() != c || q.Take() != b || q.Take() != nil {
		t.Error("not what was left of the list, then the others")
	}
	_ = a
	q.Return(nil)
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

func TestAClosedQueueRefusesAListThatIsReturned(t *testing.T) {
	q := New()
	c := q.mustPush(t, Awaited, 1)
	list := q.TakeFrom(1, nil)
	q.Close()
	q.Return(list)
	if c.Outcome() != Refused {
		t.Error("the call is lost")
	}
}

func TestCloseWakesARestingThread(t *testing.T) {
	q := New()
	if !q.Close() {
		t.Error("nobody wakes the thread")
	}
}

func TestWithdrawOrStart(t *testing.T) {
	q := New()
	c := q.mustPush(t, Withdrawable, 1)
	if !c.Withdraw() {
		t.Fatal("a queued call cannot be withdrawn")
	}
	if q.Take() != c || c.Start() {
		t.Error("a withdrawn call starts")
	}
	c = q.mustPush(t, Withdrawable, 1)
	if !q.Take().Start() || c.Withdraw() {
		t.Error("a call that has started is withdrawn")
	}
	if c.Park(); c.Withdraw() {
		t.Error("a call that has started is withdrawn by a caller that is parked")
	}
	c.Settle(Ran)
	if c.Token().Wait(context.Background()); c.Outcome() != Ran || c.Withdraw() || c.Park() {
		t.Error("a settled call is not settled")
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
	var ran, told, posted atomic.Int64 // functions that somebody waited for, and what those were told; functions posted
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
