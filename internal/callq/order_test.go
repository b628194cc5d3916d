package callq

import (
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"
)

// Many push while the thread takes in all ways at random: each pusher's calls arrive in its order, whatever is taken
// from among them and put back.
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
	const pushers, calls = 4, 400
	q := New()
	bell := make(chan bool, 1)
	var next [pushers]int // only the thread uses it, by running the calls
	var all sync.WaitGroup
	for p := range pushers {
		all.Go(func() {
			for i := range calls {
				if wake, _, _ := q.Push(q.Get(Posted, func() {
					if next[p] != i {
						t.Errorf("call %d of pusher %d came when it was the turn of %d", i, p, next[p])
					}
					next[p]++
				}, uintptr(p))); wake {
					bell <- true
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
	for ran < pushers*calls && !t.Failed() {
		switch r.IntN(6) {
		case 0:
			if q.Rest() {
				<-bell
			}
		case 1:
			q.Gather()
			for range r.IntN(10) {
				if c := q.TakeReady(); c != nil {
					run(c)
				}
			}
		case 2, 3:
			poster := uintptr(r.IntN(pushers))
			list := q.TakeFrom(poster, nil)
			for n := r.IntN(20); list != nil && n > 0; n-- {
				var c *Call
				if c, list = Pop(list); c.Poster != poster {
					t.Errorf("TakeFrom(%d) gave a call of %d", poster, c.Poster)
				}
				run(c)
			}
			q.Return(list)
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
