package callq

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/group"
)

// Many push, and the thread itself, while it takes in all ways at random: each pusher's calls arrive in its order, whatever
// is taken from among them, before its turn or put back.
func TestEachPushersOrderHoldsHoweverTheThreadTakes(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if s, err := strconv.ParseUint(os.Getenv("THREADCALL_SEED"), 10, 64); err == nil {
		seed = s
	}
	t.Logf("THREADCALL_SEED=%d", seed)
	for round := range uint64(10) {
		takeAtRandom(t, rand.New(rand.NewPCG(seed, round)))
	}
}

func takeAtRandom(t *testing.T, r *rand.Rand) {
	const pushers, calls = 12, 150 // more than skipped remembers
	q := New()
	wakeup := make(chan bool, 1)
	var next [pushers + 1]int // only the thread uses it, by running the calls; the last is its own
	posted := 0
	var all group.Group
	for p := range pushers {
		all.Go(func() {
			for i := range calls {
				if wake, _, _ := q.Push(q.Get(Posted, func() {
					if next[p] != i {
						t.Errorf("call %d of pusher %d came when it was the turn of %d", i, p, next[p])
					}
					next[p]++
				}, uintptr(p+1))); wake {
					wakeup <- true
				}
			}
		})
	}
	ran := 0
	run := func(c *Call) {
		fn := c.Fn
		c.Fn = nil
		q.Put(c)
		fn()
		ran++
	}
	for ran < (pushers+1)*calls && !t.Failed() {
		switch r.IntN(9) {
		case 0:
			if q.Rest() {
				<-wakeup
			}
		case 1:
			m, _ := q.Mark()
			for range r.IntN(10) {
				if c := q.TakeUntil(m); c != nil {
					run(c)
				}
			}
		case 2, 3:
			poster := uintptr(1 + r.IntN(pushers))
			list := q.TakeFrom(poster, nil)
			for n := r.IntN(20); list != nil && n > 0; n-- {
				var c *Call
				if c, list = Pop(list); c.Poster != poster {
					t.Errorf("TakeFrom(%d) gave a call of %d", poster, c.Poster)
				}
				run(c)
			}
			q.Return(list)
		case 4, 5:
			for range min(r.IntN(20), calls-posted) {
				i := posted
				posted++
				q.PushOwn(q.Get(Posted, func() {
					if next[pushers] != i {
						t.Errorf("the thread's own call %d came when it was the turn of %d", i, next[pushers])
					}
					next[pushers]++
				}, uintptr(pushers+1)))
			}
		case 6:
			until := q.OwnUntil()
			for n := r.IntN(10); n > 0; n-- {
				if c := q.TakeOwn(until); c != nil {
					run(c)
				}
			}
		default:
			if c := q.Take(); c != nil {
				run(c)
			}
		}
	}
	if t.Failed() {
		t.FailNow() // the pushers may wait for ever
	}
	all.Wait()
	if q.Take() != nil {
		t.Error("one too many")
	}
}
