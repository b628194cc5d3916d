package thread_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/thread"
)

func TestAPoolNeedsAThread(t *testing.T) {
	for _, n := range []int{0, -1} {
		mustPanic(t, func() { thread.NewPool(n) }, fmt.Sprint(n))
	}
}

func TestAPoolUsesAllItsThreads(t *testing.T) {
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

func TestAPoolRunsNoMoreAtOnceThanItHasThreads(t *testing.T) {
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
						if _, known := seen.LoadOrStore(here(), true); !known {
							threadsSeen.Add(1)
						}
						time.Sleep(10 * time.Microsecond)
						inside.Add(-1)
					})
				}
			})
		}
		all.Wait()
	})
	if most.Load() > size || threadsSeen.Load() > size {
		t.Errorf("%d functions ran at once, on %d threads; the pool has %d", most.Load(), threadsSeen.Load(), size)
	}
}

func TestAPoolGoesOnWhileSomeOfItsThreadsAreBlocked(t *testing.T) {
	p := startPool(t, 3)
	a, b := occupy(t, p.Go), occupy(t, p.Go)
	ends(t, func() {
		for range 1000 {
			p.Call(nop)
		}
	})
	a.Open()
	b.Open()
}

func TestABacklogIsWorkedOffInOrderOnceAThreadIsFree(t *testing.T) {
	p := startPool(t, 2)
	a, b := occupy(t, p.Go), occupy(t, p.Go)
	var mu sync.Mutex
	var order []int
	for i := range 100 {
		p.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, i)
		})
	}
	a.Open() // the other thread stays blocked
	ends(t, func() { p.Call(nop) })
	b.Open()
	mu.Lock()
	defer mu.Unlock()
	for i, n := range order {
		if i != n {
			t.Fatalf("ran in the order %v", order)
		}
	}
	if len(order) != 100 {
		t.Errorf("%d functions ran before a later call", len(order))
	}
}

func TestTerminateReachesABacklog(t *testing.T) {
	p := startPool(t, 2)
	a, b := occupy(t, p.Go), occupy(t, p.Go)
	results := make(chan bool)
	for range 10 {
		go func() { results <- p.Call(func() { t.Error("ran after Terminate") }) }()
	}
	time.Sleep(5 * time.Millisecond)
	p.Terminate()
	for range 10 {
		if arrives(t, results) {
			t.Error("told that it ran")
		}
	}
	a.Open()
	b.Open()
}

func TestAPoolsNestedCallRunsInPlaceThoughOthersAreIdle(t *testing.T) {
	p := startPool(t, 3)
	ends(t, func() {
		for range 100 {
			p.Call(func() {
				its := here()
				p.Call(func() {
					if here() != its {
						t.Error("ran on another thread of the pool")
					}
				})
			})
		}
	})
}
