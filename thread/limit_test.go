package thread_test

import (
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/thread"
)

func limited(t *testing.T, n int) map[string]way {
	th, p := start(t, thread.WithQueueLimit(n)), startPool(t, 1, thread.WithQueueLimit(n))
	return map[string]way{
		"thread": ofThread(th),
		"pool":   ofPool(p),
	}
}

func TestWithALimitGoWaitsForAPlace(t *testing.T) {
	for name, w := range limited(t, 3) {
		t.Run(name, func(t *testing.T) {
			busy := occupy(t, w.post)
			var queued, ran atomic.Int32
			done := make(chan bool)
			go func() {
				for range 10 {
					w.post(func() { ran.Add(1) })
					queued.Add(1)
				}
				close(done)
			}()
			eventually(t, func() bool { return queued.Load() == 3 }, "three are queued")
			time.Sleep(10 * time.Millisecond)
			if n := queued.Load(); n != 3 {
				t.Errorf("%d functions are queued, and the limit is 3", n)
			}
			busy.Open()
			arrives(t, done)
			w.call(nop)
			if n := ran.Load(); n != 10 {
				t.Errorf("%d functions ran, want 10", n)
			}
		})
	}
}

func TestWithALimitTheThreadItselfNeverWaits(t *testing.T) {
	for name, w := range limited(t, 3) {
		t.Run(name, func(t *testing.T) {
			ran := 0
			ends(t, func() {
				w.call(func() {
					for range 100 {
						w.post(func() { ran++ })
					}
				})
				w.call(nop)
			})
			if ran != 100 {
				t.Errorf("%d functions ran, want 100", ran)
			}
		})
	}
}

func TestWithALimitACoroutineOnTheThreadNeverWaits(t *testing.T) {
	if here() == 0 {
		t.Skip("the system does not tell threads apart")
	}
	th := start(t, thread.WithQueueLimit(1))
	p := startPool(t, 1, thread.WithQueueLimit(1))
	for name, w := range map[string]struct{ call, post func(func()) bool }{"thread": {th.Call, th.Go}, "pool": {p.Call, p.Go}} {
		ran := 0
		ends(t, func() {
			w.call(func() {
				next, stop := iter.Pull(func(func(int) bool) {
					for range 3 {
						w.post(func() { ran++ })
					}
				})
				defer stop()
				next()
			})
			w.call(nop)
		})
		if ran != 3 {
			t.Errorf("%s: %d functions ran", name, ran)
		}
	}
}

func TestALimitDoesNotKeepCallsWaiting(t *testing.T) {
	for name, w := range limited(t, 1) {
		t.Run(name, func(t *testing.T) {
			busy := occupy(t, w.post)
			w.post(nop) // takes the place
			const callers = 10
			results := make(chan bool)
			for range callers {
				go func() { results <- w.call(nop) }()
			}
			busy.Open()
			for range callers {
				if !arrives(t, results) {
					t.Error("a call did not run")
				}
			}
		})
	}
}

func TestTerminateLetsThoseGoThatWaitForAPlace(t *testing.T) {
	for name, w := range limited(t, 1) {
		t.Run(name, func(t *testing.T) {
			busy := occupy(t, w.post)
			w.post(nop)
			results := make(chan bool)
			for range 5 {
				go func() { results <- w.post(func() { t.Error("ran after Terminate") }) }()
			}
			time.Sleep(5 * time.Millisecond)
			w.terminate()
			for range 5 {
				if arrives(t, results) {
					t.Error("told that it will run")
				}
			}
			if w.post(nop) {
				t.Error("told that it will run")
			}
			busy.Open()
		})
	}
}

func TestWithALimitNothingIsLostAndTheOrderHolds(t *testing.T) {
	for name, w := range limited(t, 2) {
		t.Run(name, func(t *testing.T) {
			r := seeded(t)
			ends(t, func() {
				var all group.Group
				for range 4 {
					r := fork(r)
					all.Go(func() { inOrder(t, r, w, scaled(5000)) })
				}
				all.Wait()
			})
		})
	}
}

func TestALimitBelowOneIsNone(t *testing.T) {
	for _, n := range []int{0, -1} {
		for _, w := range limited(t, n) {
			busy := occupy(t, w.post)
			ends(t, func() {
				for range 1000 {
					w.post(nop)
				}
			})
			busy.Open()
		}
	}
}

// What a thread waits for must not wait for a place in the thread's queue: the thread cannot make one free.
func TestACircleUnderALimit(t *testing.T) {
	post := func(t *testing.T, w way, n int) {
		for range n {
			if !w.post(nop) {
				t.Error("Go refused a function")
			}
		}
	}
	for name, circle := range map[string]func(t *testing.T, a, b, c way){
		"B posts to A, which waits for B": func(t *testing.T, a, b, _ way) {
			a.call(func() { b.call(func() { post(t, a, 3) }) })
		},
		"and calls A between": func(t *testing.T, a, b, _ way) {
			a.call(func() { b.call(func() { post(t, a, 2); a.call(nop); post(t, a, 2); a.call(nop) }) })
		},
		"C posts to A, which waits for B, which waits for C": func(t *testing.T, a, b, c way) {
			a.call(func() { b.call(func() { c.call(func() { post(t, a, 3); post(t, b, 3) }) }) })
		},
		"B waits for a place when A begins to wait for B": func(t *testing.T, a, b, _ way) {
			var both group.Group
			begun := make(chan bool)
			both.Go(func() {
				a.call(func() {
					close(begun)
					time.Sleep(2 * time.Millisecond)
					b.call(nop)
				})
			})
			both.Go(func() { b.call(func() { <-begun; post(t, a, 3) }) })
			both.Wait()
		},
		"A and B wait for places of each other": func(t *testing.T, a, b, _ way) {
			var both, inside group.Group
			inside.Add(2)
			meet := func(from, to way) func() {
				return func() { from.call(func() { inside.Done(); inside.Wait(); post(t, to, 5) }) }
			}
			both.Go(meet(a, b))
			both.Go(meet(b, a))
			both.Wait()
		},
		"three wait for places in a circle, and then call": func(t *testing.T, a, b, c way) {
			var all, inside group.Group
			inside.Add(3)
			meet := func(from, to way) func() {
				return func() {
					from.call(func() { inside.Done(); inside.Wait(); post(t, to, 3); to.call(nop); post(t, to, 3) })
				}
			}
			all.Go(meet(a, b))
			all.Go(meet(b, c))
			all.Go(meet(c, a))
			all.Wait()
		},
		"a coroutine posts": func(t *testing.T, a, b, _ way) {
			a.call(func() { inCoroutine(func() { b.call(func() { inCoroutine(func() { post(t, a, 3) }) }) }) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.Contains(name, "coroutine") {
				needsCoroutines(t)
			}
			limit := thread.WithQueueLimit(1)
			threads := func() way { th := start(t, limit); return ofThread(th) }
			pools := func(n int) way { p := startPool(t, n, limit); return ofPool(p) }
			for kinds, ways := range map[string][3]way{
				"threads":           {threads(), threads(), threads()},
				"pools":             {pools(1), pools(1), pools(1)},
				"a pool of two":     {pools(2), threads(), threads()},
				"a pool of two, BC": {threads(), pools(2), pools(2)},
			} {
				for range scaled(100) {
					ends(t, func() { circle(t, ways[0], ways[1], ways[2]) })
					if t.Failed() {
						t.Fatal(kinds)
					}
				}
			}
		})
	}
}

// A thread that nothing waits for does wait for a place, like any goroutine.
func TestAThreadWaitsForAPlaceOfAnother(t *testing.T) {
	a, b := start(t), start(t, thread.WithQueueLimit(1))
	busy := occupy(t, b.Go)
	posted := make(chan int, 10)
	go a.Call(func() {
		for i := range 3 {
			b.Go(nop)
			posted <- i
		}
	})
	arrives(t, posted)
	select {
	case <-posted:
		t.Error("the limit is 1, and two are queued")
	case <-time.After(20 * time.Millisecond):
	}
	busy.Open()
	arrives(t, posted)
	arrives(t, posted)

	busy = occupy(t, b.Go)
	refused := make(chan bool)
	go a.Call(func() {
		b.Go(nop)
		refused <- b.Go(func() { t.Error("ran after Terminate") })
	})
	time.Sleep(5 * time.Millisecond)
	b.Terminate()
	if arrives(t, refused) {
		t.Error("told that it will run")
	}
	busy.Open()
}
