package thread_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/thread"
)

func TestNewPool(t *testing.T) {
	for _, n := range []int{0, -1} {
		mustPanic(t, func() { thread.NewPool(n) }, fmt.Sprint(n))
	}
	for _, size := range []int{1, 2, 7} {
		p := startPool(t, size)
		if p.Size() != size {
			t.Errorf("Size is %d, want %d", p.Size(), size)
		}
		for range 20 {
			ends(t, func() { // each function waits for all others to have begun
				var inside, all group.Group
				inside.Add(size)
				for i := range size {
					meet := func() { inside.Done(); inside.Wait() }
					if i%2 == 0 {
						p.Go(meet)
					} else {
						all.Go(func() { p.Call(meet) })
					}
				}
				inside.Wait()
				all.Wait()
			})
		}
	}
}

// A pool runs no more at once than it has threads, and a nested call in place though others are
// idle.
func TestPool_Size(t *testing.T) {
	const size = 3
	p := startPool(t, size)
	var inside, most, threadsSeen atomic.Int32
	var seen sync.Map
	ends(t, func() {
		var all group.Group
		for range 20 {
			all.Go(func() {
				for range 20 {
					p.Call(func() {
						n := inside.Add(1)
						for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
						}
						its := here()
						if _, known := seen.LoadOrStore(its, true); !known {
							threadsSeen.Add(1)
						}
						check := func() {
							if here() != its {
								t.Error("a nested call ran on another thread of the pool")
							}
						}
						if p.Call(check); its != 0 {
							inCoroutine(func() { p.Call(check) })
						}
						inside.Add(-1)
					})
				}
			})
		}
		all.Wait()
	})
	if most.Load() > size || threadsSeen.Load() > size {
		t.Errorf("%d functions ran at once, on %d threads; the pool has %d", most.Load(),
			threadsSeen.Load(), size)
	}
}
