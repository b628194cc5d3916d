package thread_test

import (
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/thread"
)

func TestCallsOfOneGoroutineRunInTheOrderItMadeThem(t *testing.T) {
	for name, make := range map[string]func() way{
		"thread":        func() way { th := start(t); return ofThread(th) },
		"pool of one":   func() way { p := startPool(t, 1); return ofPool(p) },
		"deadline, too": func() way { th := start(t); return way{call: callWithContext(t, th), post: th.Go} },
	} {
		t.Run(name, func(t *testing.T) {
			r := seeded(t)
			w := make()
			ends(t, func() {
				var wg group.Group
				for range 4 {
					r := fork(r)
					wg.Go(func() { inOrder(t, r, w, scaled(20000)) })
				}
				wg.Wait()
			})
		})
	}
}

// inOrder makes n calls and posts of which each checks that it is the next.
func inOrder(t *testing.T, r *rand.Rand, w way, n int) {
	next := 0
	for i := range n {
		step := func() {
			if next != i {
				t.Errorf("number %d ran when it was the turn of number %d", i, next)
			}
			next++
		}
		if r.IntN(4) == 0 {
			w.call(step)
			if next != i+1 {
				t.Errorf("%d functions had run after call %d", next, i)
				return
			}
		} else {
			w.post(step)
		}
	}
	w.call(func() {
		if next != n {
			t.Errorf("%d functions ran, want %d", next, n)
		}
	})
}

func callWithContext(t *testing.T, th *thread.Thread) func(func()) bool {
	return func(f func()) bool { return th.CallContext(t.Context(), f) == nil }
}

// A pool promises no order: its threads run side by side, and a call made on one of them runs in place.
func TestOnTheThreadACallRunsAfterWhatWasPostedThere(t *testing.T) {
	inEveryWay(t, func(t *testing.T, w way) {
		if strings.Contains(t.Name(), "Pool") {
			return
		}
		r := seeded(t)
		ends(t, func() {
			w.call(func() { inOrder(t, r, w, 1000) })
			w.call(nop)
		})
	})
}

func TestOnTheThreadTheOrderHoldsAtEveryDepth(t *testing.T) {
	th := start(t)
	var order []int
	add := func(n int) func() { return func() { order = append(order, n) } }
	th.Call(func() {
		th.Go(add(1))
		th.Go(func() {
			add(2)()
			th.Go(add(5))
			th.Call(func() { add(6)() })
		})
		th.Go(add(3))
		th.Call(add(4))
	})
	th.Call(nop)
	// 3 was posted before 5 and 6, but 5 and 6 are asked for by a function that runs before 3.
	before := func(a, b int) bool { return slices.Index(order, a) < slices.Index(order, b) }
	if len(order) != 6 || !before(1, 2) || !before(2, 3) || !before(3, 4) || !before(2, 5) || !before(5, 6) {
		t.Errorf("ran in the order %v", order)
	}
}

func TestACoroutinesCallsRunInOrder(t *testing.T) {
	needsCoroutines(t)
	th := start(t)
	r := seeded(t)
	ends(t, func() {
		th.Call(func() {
			next, stop := iter.Pull(func(yield func(int) bool) {
				inOrder(t, r, way{call: th.Call, post: th.Go}, 1000)
				yield(1)
			})
			next()
			stop()
		})
	})
}

func TestOthersDoNotOvertakeEachOtherWhileTheThreadServesItself(t *testing.T) {
	th := start(t)
	busy := occupy(t, func(f func()) bool {
		return th.Go(func() {
			f()
			th.Go(nop)
			th.Call(nop) // takes its own out from among the others
		})
	})
	var order []int
	for i := range 100 {
		th.Go(func() { order = append(order, i) })
	}
	busy.Open()
	th.Call(nop)
	if len(order) != 100 || !slices.IsSorted(order) {
		t.Errorf("ran in the order %v", order)
	}
}

func TestWhatAGoexitInterruptedStillRunsInOrder(t *testing.T) {
	th := start(t)
	var order []int
	add := func(n int) func() { return func() { order = append(order, n) } }
	ends(t, func() {
		th.Call(func() {
			th.Go(add(1))
			th.Go(runtime.Goexit)
			th.Go(add(2))
			th.Go(add(3))
			th.Call(func() { t.Error("ran in a goroutine that had ended") })
		})
	})
	th.Call(add(4))
	if !slices.Equal(order, []int{1, 2, 3, 4}) {
		t.Errorf("ran in the order %v", order)
	}
}
