package callq

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/threadcall/threadcall/internal/list"
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

// What is before a mark is taken, and no more: functions of blocks, also if there is one.
func TestQueue_Mark(t *testing.T) {
	for name, c := range map[string]struct {
		push func(q *Queue)
		want int
	}{
		"calls":          {func(q *Queue) { q.mustPush(t, Posted, 1); q.mustPush(t, Awaited, 0) }, 2},
		"a post":         {func(q *Queue) { q.Post(nothing) }, 1},
		"a block":        {func(q *Queue) { q.Post(nothing); q.Post(nothing); q.Post(nothing) }, 3},
		"several blocks": {func(q *Queue) { q.postMany(2*blockOf + 1) }, 2*blockOf + 1},
	} {
		q := New()
		c.push(q)
		m, _ := q.Mark()
		if again, _ := q.Mark(); again != m {
			t.Errorf("%s: behind the same call there are marks %d and %d", name, m, again)
		}
		q.Post(nothing)
		q.mustPush(t, Posted, 2)
		if later, _ := q.Mark(); later == m {
			t.Errorf("%s: a later mark is the same", name)
		}
		n := 0
		for c := q.TakeUntil(m); c != nil; c = q.TakeUntil(m) {
			n++
			c.PostRun()
		}
		if left := q.runAll(); n != c.want || left != 2 || q.passed != q.marked {
			t.Errorf("%s: %d are taken before the mark, want %d; then %d, want 2; %d of %d marks are "+
				"passed", name, n, c.want, left, q.passed, q.marked)
		}
	}
}

// Calls are taken from anywhere in the list; what is left is in its order, and marks stay where
// they are. A call that has left is linked to none.
func TestQueue_TakeOutOfTurn(t *testing.T) {
	r := testutil.Seeded(t)
	for range 300 {
		q := New()
		var queued []*Call
		var marks []int // for each mark that is not passed, how many calls are before it
		left := func(i int) {
			if c := queued[i]; c.marks != 0 || c.Node.Before != nil || c.next.Load() != nil {
				t.Fatalf("a call has left with %+v", c)
			}
			queued = slices.Delete(queued, i, i+1)
			for m := range marks {
				if i < marks[m] {
					marks[m]--
				}
			}
		}
		for range 200 {
			switch n := len(queued); {
			case r.IntN(3) > 0 || n == 0:
				queued = append(queued, q.mustPush(t, Posted, 1))
			case r.IntN(2) == 0:
				i := r.IntN(n)
				if c := queued[i]; !q.TakeOutOfTurn(c) {
					t.Fatal("the queue is closed")
				}
				left(i)
			case r.IntN(3) == 0:
				if q.Take() != queued[0] {
					t.Fatal("not the oldest")
				}
				left(0)
			case r.IntN(2) == 0:
				q.Mark()
				if k := len(marks); k == 0 || marks[k-1] != n {
					marks = append(marks, n)
				}
			}
			marks = slices.DeleteFunc(marks, func(before int) bool { return before == 0 })
			if q.ready.Load() == nil && q.chained != nil || q.chained != nil && q.chained.Kind != Posted {
				t.Fatal("the end of the chain is not in the list")
			}
		}
		for m := range slices.Clone(marks) {
			want := 0
			if len(marks) > 0 {
				want = marks[0]
			}
			for range want {
				if c := q.TakeUntil(q.passed + 1); c != queued[0] {
					t.Fatalf("mark %d: not the oldest", m)
				}
				left(0)
			}
			if len(marks) > 0 && marks[0] == 0 {
				marks = marks[1:]
			}
		}
		if n := q.runAll(); n != len(queued) || q.passed != q.marked || q.chained != nil {
			t.Fatalf("%d calls are left, want %d; %d of %d marks are passed", n, len(queued), q.passed,
				q.marked)
		}
	}
}

// Of a queue that is closed, the caller of Close has the calls.
func TestQueue_TakeOutOfTurn_closed(t *testing.T) {
	for name, closes := range map[string]func(q *Queue){
		"closed":        func(q *Queue) { q.Close() },
		"closed, ready": func(q *Queue) { q.Mark(); q.head.Store(&closed) },
	} {
		q := New()
		q.mustPush(t, Posted, 0)
		c := q.mustPush(t, Awaited, 1)
		if closes(q); q.TakeOutOfTurn(c) {
			t.Errorf("%s: a call is taken", name)
		}
		if q.Close(); c.Outcome() != Refused {
			t.Errorf("%s: it is not refused", name)
		}
	}
}

func (q *Queue) postMany(n int) {
	for range n {
		q.Post(nothing)
	}
}

// A lone call travels in one cache line, and what the thread writes has one that posters do not
// read. Objects of this size that have pointers begin eight bytes behind a line, after a header of
// the allocator's.
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
		writes, ends := uintptr(unsafe.Pointer(&q.ready)), uintptr(unsafe.Pointer(&q.chained))
		reads, taken := uintptr(unsafe.Pointer(&q.bubbled)), uintptr(unsafe.Pointer(&q.taken))
		lines := []uintptr{reads / 64, begin / 64, taken / 64, writes / 64}
		if !slices.IsSorted(lines) || len(slices.Compact(lines)) < 4 || writes/64 != ends/64 {
			t.Fatal("posters read a line that the thread writes")
		}
		posts, fns := uintptr(unsafe.Pointer(&q.firstBlock.posts)), unsafe.Pointer(&q.firstBlock.Later)
		if posts/64 != (uintptr(fns)-1)/64 {
			t.Fatal("the functions of a block are in two lines")
		}
		q.Get(Awaited, nothing, 0)
		for range slabSize {
			c := q.Get(Awaited, nothing, 0)
			begin, end := uintptr(unsafe.Pointer(c)), uintptr(unsafe.Pointer(&c.Ctx))
			if begin/64 != (end-1)/64 {
				t.Fatalf("a record at %#x has what is shared in two lines", begin)
			}
		}
	}
}

// While several goroutines call, each thread has its record again; a lone caller has the first.
func TestQueue_Several(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	q := New()
	first, other := q.Get(Awaited, nothing, 0), q.Get(Withdrawable, nothing, 0)
	for _, several := range []bool{true, false} {
		q.Several(several)
		q.Put(first)
		q.Put(other)
		c := q.Get(Awaited, nothing, 0)
		if (c == other) != several || (c == first) == several {
			t.Errorf("several: %v; neither the first record nor the thread's", several)
		}
		if d := q.Get(Withdrawable, nothing, 0); several && d != first {
			t.Error("without a record of the thread's, a caller does not get the first")
		}
	}
	q.Several(true)
	post := q.Get(Posted, nothing, 0)
	if q.Put(post); q.near.Get() != nil {
		t.Error("a record of a post is kept for calls")
	}
	kept, given := q.Get(Awaited, nothing, 0), q.Get(Awaited, nothing, 0)
	q.Put(kept)
	q.Put(given)
	q.Get(Posted, nothing, 0)
	if q.near.Get() != kept {
		t.Error("the thread's record is not kept, or a post has it")
	}
	c := q.free.Get()
	for c != given && c != nil {
		c = q.free.Get()
	}
	if c == nil {
		t.Error("a second record is lost")
	}
}

// Many goroutines push all kinds of calls, give up, and close, while one thread posts to itself,
// takes in all ways at random, puts back, rests and is woken. Sometimes it says that several call.
// Each call ends once, in the way that its caller was told, each pusher's calls run in its order,
// and each record has one owner.
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
	// what each pusher waits for, which it leaves under the lock
	leave   [pushers]sync.Mutex
	waiting [pushers]*Call
	own     int // calls that the thread has posted to itself
}

// get is Get. Worker, which only pools use, is 1 until the owner is about to give back the record.
func (q *trial) get(kind Kind, fn func(), poster uintptr) *Call {
	c := q.Get(kind, fn, poster)
	if c.Worker != 0 && !q.Closed() { // Close gives back what it refuses
		q.Error("a record in two hands")
	}
	c.Worker = 1
	return c
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
	case c.Kind == Posted || c.Kind == Posts:
		c.Worker = 0
		c.PostRun()()
	case c.Kind == Awaited || c.Start():
		if q.r.IntN(2) == 0 {
			c.Begun()
		}
		c.Fn()
		c.Settle(Ran)
	}
}

// take does one thing that a thread does.
func (q *trial) take() {
	switch q.r.IntN(9) {
	case 8:
		q.Several(q.r.IntN(3) > 0)
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
		p := q.r.IntN(pushers)
		for range q.r.IntN(20) {
			q.leave[p].Lock()
			var c *Call
			if last := q.waiting[p]; last != nil {
				c = Oldest(uintptr(p+1), last, false)
			}
			if c != nil && !q.TakeOutOfTurn(c) {
				c = nil
			}
			if q.leave[p].Unlock(); c == nil {
				break
			}
			q.run(c)
		}
	case 4, 5:
		for range min(q.r.IntN(20), calls-q.own) {
			q.own++
			c := q.get(Posted, q.function(pushers, q.own, &q.posted), pushers+1)
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

// plain is whether a pusher is on no thread, and so in no cycle.
func plain(p int) bool { return p%2 == 0 }

// push is a goroutine that pushes calls.
func (q *trial) push(p int, r *rand.Rand) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var last *Call
	for i := range calls {
		kind, counter := Posted, &q.posted
		poster := uintptr(p + 1)
		if plain(p) {
			poster = 0
		}
		if poster == 0 && r.IntN(3) > 0 {
			w, ok := q.Post(q.function(p, i+1, &q.posted))
			if !ok {
				return
			}
			q.wake(w)
			q.accepted.Add(1)
			continue
		}
		if r.IntN(3) == 0 {
			kind, counter = []Kind{Awaited, Withdrawable}[r.IntN(2)], &q.ran
		}
		c := q.get(kind, q.function(p, i+1, counter), poster)
		if c.Ctx = nil; kind == Withdrawable {
			c.Ctx = ctx
		}
		c.Earlier.Store(last)
		last = c
		w, _, ok := q.Push(c)
		if !ok {
			return
		}
		q.wake(w)
		switch {
		case kind == Posted:
			q.accepted.Add(1)
		case kind == Withdrawable && r.IntN(2) == 0 && q.withdraw(c):
		default:
			q.setWaiting(p, c)
			q.await(c, func() { q.setWaiting(p, nil) })
		}
	}
}

func (q *trial) withdraw(c *Call) bool {
	c.Worker = 0
	if c.Withdraw() {
		return true
	}
	c.Worker = 1
	return false
}

func (q *trial) setWaiting(p int, c *Call) {
	q.leave[p].Lock()
	if !plain(p) {
		q.waiting[p] = c
	}
	q.leave[p].Unlock()
}

func (q *trial) await(c *Call, over func()) {
	for c.Park() {
		c.Token().Wait(nil)
	}
	over()
	if c.Outcome() == Ran {
		q.told.Add(1)
	}
	c.Worker = 0
	c.Drop()
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
		c := q.get(Awaited, func() { q.ran.Add(1) }, 0)
		w, _, _ := q.Push(c)
		q.wake(w)
		q.await(c, func() {})
	}
	q.wake(q.Close())
	serving.Wait()
	ran, told, posted, accepted := q.ran.Load(), q.told.Load(), q.posted.Load(), q.accepted.Load()
	if ran != told || posted > accepted || !closes && posted < accepted-calls {
		t.Fatalf("%d functions ran, callers were told of %d; %d were posted, %d of these ran", ran,
			told, accepted, posted)
	}
}

// The calls of one thread are found, and begun out of their turn, without a look at what others
// have queued before, between and behind them.
func TestOldest_passesOverNothing(t *testing.T) {
	const poster = 1
	q := New()
	var others, mine []*Call
	push := func(kind Kind, by uintptr) *Call {
		c := q.mustPush(t, kind, by)
		if by != poster {
			others = append(others, c)
			return c
		}
		if len(mine) > 0 {
			c.Earlier.Store(mine[len(mine)-1])
		}
		mine = append(mine, c)
		return c
	}
	for i := range 1000 {
		push(Posted, uintptr(i%5))
	}
	last := push(Awaited, poster)
	push(Posted, 0)
	want := slices.Clone(mine)
	for _, c := range want {
		if oldest := Oldest(poster, last, false); oldest != c || !q.TakeOutOfTurn(c) {
			t.Fatalf("the oldest call is %p, want %p", oldest, c)
		}
		if c != last {
			c.PostRun()
		}
	}
	if last.Begun(); Oldest(poster, last, false) != nil {
		t.Error("a call is found that has begun")
	}
	for _, c := range others {
		if c.walk != 0 && c.state.Load()>>posterBits != poster {
			t.Fatal("a call of another thread was passed over")
		}
	}
	last.Settle(Ran)
	last.Drop()
	if n := q.Len(); n != 801 {
		t.Errorf("%d calls are queued, want 801", n)
	}
	for range 801 {
		c := q.Take()
		if c == nil {
			t.Fatal("none is taken")
		}
		c.PostRun()
	}
	if q.Take() != nil {
		t.Error("a call is left, or was taken again")
	}
	free := 0
	for q.free.Get() != nil {
		free++
	}
	if made := int(q.made.Load()); free != made || !q.firstFree() {
		t.Errorf("%d of %d records are given back, and the first: %v", free, made, q.firstFree())
	}
}

// A thread of a pool has taken a call from the backlog that it has not begun yet, or the record is
// another thread's by now.
func TestOldest_leavesTheCallsOfOthers(t *testing.T) {
	q := New()
	taken, last := q.mustPush(t, Posted, 1), q.mustPush(t, Awaited, 1)
	last.Earlier.Store(taken)
	new(list.List[*Call]).Append(&last.Node)
	if c := Oldest(1, last, true); c != last {
		t.Errorf("the oldest in the backlog is %p, want %p", c, last)
	}
	if c := Oldest(1, last, false); c != taken {
		t.Errorf("the oldest in the queue is %p, want %p", c, taken)
	}
}

// Calls that have begun out of their turn have left the list, so that a thread whose function waits
// in cycles for ever needs no more memory than what is queued.
func TestQueue_TakeOutOfTurn_leavesNothing(t *testing.T) {
	for _, before := range []int{0, 50} {
		q := New()
		for range before {
			q.mustPush(t, Posted, 0)
		}
		posts := before
		for i := range 100_000 {
			if i%1000 == 500 {
				q.mustPush(t, Posted, 0)
				posts++
			}
			c := q.mustPush(t, Awaited, 1)
			if Oldest(1, c, false) != c || !q.TakeOutOfTurn(c) {
				t.Fatal("the only call is not found")
			}
			c.Settle(Ran)
			c.Drop()
		}
		if n := q.made.Load(); n > 512 || q.Len() != posts {
			t.Errorf("%d records for %d calls, want %d", n, q.Len(), posts)
		}
		if n := q.runAll(); n != posts {
			t.Errorf("%d functions are left, want %d", n, posts)
		}
	}
}

// A link may lead to a record that is free. It must not look like a call that is queued still.
func TestCall_isNotQueuedWhenItIsFree(t *testing.T) {
	const poster = 5
	q := New()
	dropped, run := q.Get(Posted, func() {}, poster), q.Get(Posted, func() {}, poster)
	dropped.Drop()
	q.Push(run)
	q.Take().PostRun()
	for name, c := range map[string]*Call{"dropped": dropped, "run": run} {
		if c.Queued(poster) || c.Linked(poster) {
			t.Errorf("a call that was %s is queued", name)
		}
	}
}

type refusals int

func (r *refusals) Refused() { *r++ }

// Close tells the Owner of what users have posted, and not of the engine's own calls.
func TestQueue_Close_tellsOfPosts(t *testing.T) {
	q, told := New(), new(refusals)
	q.Owner = told
	posted := q.mustPush(t, Posted, 1)
	q.Post(func() {})
	q.Post(func() {})
	if _, ok := q.Mark(); !ok {
		t.Fatal("nothing to mark")
	}
	q.Push(q.Get(Control, nil, 0))
	q.Push(q.Get(Placed, func() {}, 0))
	if q.Close(); *told != 4 {
		t.Errorf("told of %d, want 4", *told)
	}
	if posted.Fn != nil {
		t.Error("a post that was refused keeps its function")
	}
}

// A call that comes while the thread seals its queue is taken, or is refused.
func TestQueue_Seal_losesNoPost(t *testing.T) {
	for range 1000 {
		q, queued := New(), make(chan bool)
		first := q.mustPush(t, Awaited, 0)
		go func() {
			queued <- true
			for first.Outcome() == 0 {
				runtime.Gosched()
			}
			_, ok := q.Post(nothing)
			queued <- ok
		}()
		<-queued
		ran := false
		for !q.Seal() {
			if c := q.Take(); c == first {
				c.Refuse()
			} else if c != nil {
				c.PostRun()
				ran = true
			}
		}
		if ok := <-queued; ok != ran {
			t.Fatalf("Post was %v, and the function ran: %v", ok, ran)
		}
	}
}
