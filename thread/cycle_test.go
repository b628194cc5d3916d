package thread_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/threadcall/threadcall/thread"
)

func startAll(t *testing.T, n int) (all []*thread.Thread) {
	for range n {
		all = append(all, start(t))
	}
	return all
}

// A cycle of calls comes back to the thread that waits, which runs it.
func TestCycle_ring(t *testing.T) {
	for _, size := range []int{2, 3, 5, 12, 70} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			ring := startAll(t, size)
			for range max(1, 100/size) {
				var trail []int
				var visit func(i int)
				visit = func(i int) {
					th := ring[i%size]
					if !th.Call(func() {
						if !th.On() {
							t.Error("ran on another thread")
						}
						trail = append(trail, i)
						if i < size+size/2 { // once round, and on
							visit(i + 1)
						}
					}) {
						t.Error("reported that it did not run")
					}
				}
				ends(t, func() { visit(0) })
				if len(trail) != size+size/2+1 || !slices.IsSorted(trail) {
					t.Fatalf("ran in the order %v", trail)
				}
			}
		})
	}
}

// What a call costs must not depend on how much others have queued. Here each of many calls would have to pass over a long
// queue, which would take minutes; it takes a second.
func TestLongQueue(t *testing.T) {
	backlog, calls := 200_000, 20_000
	if testing.Short() || raceEnabled || collecting {
		backlog, calls = 100_000, 5_000
	}
	flood := func(post func(func()) bool) {
		ends(t, func() { // not on the thread
			for range backlog {
				post(nop)
			}
		})
	}
	a, b, c := start(t), start(t), start(t)
	p, large := startPool(t, 1), startPool(t, 300)
	for name, f := range map[string]func(){
		"nested": func() {
			a.Call(func() {
				flood(a.Go)
				for range calls {
					a.Go(nop)
					a.Call(nop)
				}
			})
		},
		"a cycle": func() {
			a.Call(func() {
				flood(a.Go)
				for range calls / 10 {
					b.Call(func() { a.Call(nop); c.Call(func() { a.Call(nop) }) })
				}
			})
		},
		"a cycle through a pool": func() {
			p.Call(func() {
				b.Call(func() {
					for range backlog {
						p.Go(nop)
					}
					for range calls / 10 {
						p.Call(nop)
					}
				})
			})
		},
		"a large pool": func() {
			for range calls {
				large.Call(func() { large.Call(nop) })
			}
		},
	} {
		t.Run(name, func(t *testing.T) { ends(t, f) })
	}
}
