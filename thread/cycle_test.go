package thread_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/thread"
)

func startAll(t *testing.T, n int) (all []*thread.Thread) {
	for range n {
		all = append(all, start(t))
	}
	return all
}

func TestACircleOfCallsComesBackToTheThreadThatWaits(t *testing.T) {
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
						t.Error("told that it did not run")
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

func TestTwoThreadsMayPlayPingPongToAnyDepth(t *testing.T) {
	a, b := start(t), start(t)
	depth := 0
	var ping, pong func()
	ping = func() {
		if depth++; depth < 1000 {
			b.Call(pong)
		}
	}
	pong = func() {
		if depth++; depth < 1000 {
			a.Call(ping)
		}
	}
	ends(t, func() { a.Call(ping) })
	if depth != 1000 {
		t.Errorf("%d calls ran", depth)
	}
}

func TestThreadsMayCallEachOtherAtTheSameMoment(t *testing.T) {
	for _, n := range []int{2, 3} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			ring := startAll(t, n)
			rounds := scaled(5000)
			var ran atomic.Int32
			ends(t, func() {
				var all group.Group
				for i := range ring {
					next := ring[(i+1)%n]
					all.Go(func() {
						for range rounds {
							ring[i].Call(func() { next.Call(func() { ran.Add(1) }) })
						}
					})
				}
				all.Wait()
			})
			if int(ran.Load()) != n*rounds {
				t.Errorf("%d functions ran, want %d", ran.Load(), n*rounds)
			}
		})
	}
}

// Here each thread is inside its function before either calls, so that they cannot help but wait for each other.
func TestThreadsThatWaitForEachOtherServeEachOther(t *testing.T) {
	a, b := start(t), start(t)
	for range scaled(5000) {
		ends(t, func() {
			var both, calls group.Group
			both.Add(2)
			meet := func(from, to *thread.Thread) {
				from.Call(func() {
					both.Done()
					both.Wait()
					to.Call(nop)
				})
			}
			calls.Go(func() { meet(a, b) })
			calls.Go(func() { meet(b, a) })
			calls.Wait()
		})
	}
}

func TestRoundACircleTheOrderHolds(t *testing.T) {
	a, b := start(t), start(t)
	for range 500 {
		var order []int
		add := func(n int) func() { return func() { order = append(order, n) } }
		ends(t, func() {
			a.Call(func() {
				a.Go(add(5)) // a's own goroutine posts this and waits for something else
				b.Call(func() {
					a.Go(add(1))
					a.Go(add(2))
					a.Call(add(3))
					a.Go(add(4)) // nobody waits for this one
				})
			})
			a.Call(nop)
		})
		order = slices.DeleteFunc(order, func(n int) bool { return n == 5 })
		if !slices.Equal(order, []int{1, 2, 3, 4}) {
			t.Fatalf("ran in the order %v", order)
		}
	}
}

func TestACircleMayLeadThroughAPool(t *testing.T) {
	for _, size := range []int{1, 2, 4} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			p, th := startPool(t, size), start(t)
			ran := 0
			ends(t, func() {
				for range 300 {
					p.Call(func() { th.Call(func() { p.Call(func() { th.Call(func() { ran++ }) }) }) })
					th.Call(func() { p.Call(func() { th.Call(func() { p.Call(func() { ran++ }) }) }) })
				}
			})
			if ran != 600 {
				t.Errorf("%d functions ran", ran)
			}
		})
	}
}

func TestACircleThroughAPoolWhoseThreadsAllWait(t *testing.T) {
	const size = 3
	p, th := startPool(t, size), start(t)
	for range scaled(500) {
		var ran atomic.Int32
		ends(t, func() {
			var inside, callers group.Group
			inside.Add(size)
			for range size {
				callers.Go(func() {
					p.Call(func() {
						inside.Done()
						inside.Wait()
						th.Call(func() { p.Call(func() { ran.Add(1) }) })
					})
				})
			}
			callers.Wait()
		})
		if ran.Load() != size {
			t.Fatalf("%d functions ran", ran.Load())
		}
	}
}

func TestPoolsMayCallEachOtherAtTheSameMoment(t *testing.T) {
	for _, size := range []int{2, 3, 8} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			var ring []*thread.Pool
			for range size {
				ring = append(ring, startPool(t, 1))
			}
			var ran atomic.Int32
			rounds := scaled(1000)
			for range rounds {
				ends(t, func() {
					var inside, all group.Group
					inside.Add(size)
					for i, p := range ring {
						all.Go(func() {
							p.Call(func() {
								inside.Done()
								inside.Wait()
								ring[(i+1)%size].Call(func() { ran.Add(1) })
							})
						})
					}
					all.Wait()
				})
			}
			if int(ran.Load()) != size*rounds {
				t.Errorf("%d functions ran, want %d", ran.Load(), size*rounds)
			}
		})
	}
}

func TestACircleMayLeadThroughACoroutine(t *testing.T) {
	needsCoroutines(t)
	a, b := start(t), start(t)
	ran := 0
	ends(t, func() {
		for range 100 {
			a.Call(func() {
				for range pulled(func(yield func(int) bool) {
					b.Call(func() { a.Call(func() { b.Call(func() { ran++ }) }) })
					yield(0)
				}) {
				}
			})
		}
	})
	if ran != 100 {
		t.Errorf("%d functions ran", ran)
	}
}

func coroutineCallsAThreadJustMade() {
	a := thread.New() // the only one that the process has
	a.Call(func() {
		for range pulled(func(yield func(int) bool) {
			b := thread.New()
			b.Call(func() { a.Call(func() { fmt.Println("ran") }) })
			yield(0)
		}) {
		}
	})
}

func TestACircleMayLeadThroughACoroutineAndAThreadJustMade(t *testing.T) {
	needsCoroutines(t)
	if out, status := run(t, "a coroutine calls a thread just made"); status != 0 || out != "ran\n" {
		t.Errorf("exit status %d:\n%s", status, out)
	}
}

func TestADeadlineHoldsOnAThreadThatWaits(t *testing.T) {
	a, b := start(t), start(t)
	busy := occupy(t, b.Go)
	ends(t, func() {
		a.Call(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
			defer cancel()
			if err := b.CallContext(ctx, func() { t.Error("ran") }); err != context.DeadlineExceeded {
				t.Errorf("CallContext returned %v", err)
			}
		})
	})
	busy.Open()
	ends(t, func() {
		a.Call(func() {
			ran := false
			err := b.CallContext(t.Context(), func() { a.CallContext(t.Context(), func() { ran = true }) })
			if err != nil || !ran {
				t.Errorf("ran: %v, error: %v", ran, err)
			}
		})
	})
}

func TestTerminateReachesAThreadThatWaits(t *testing.T) {
	a, b := start(t), start(t)
	busy := occupy(t, b.Go)
	result := make(chan bool)
	go a.Call(func() { result <- b.Call(func() { t.Error("ran on a terminated thread") }) })
	time.Sleep(5 * time.Millisecond)
	b.Terminate()
	if arrives(t, result) {
		t.Error("told that it ran")
	}
	busy.Open()
}

func TestAPanicTravelsRoundACircle(t *testing.T) {
	a, b := start(t), start(t)
	boom := errors.New("boom")
	ends(t, func() {
		a.Call(func() {
			got := recovered(func() {
				b.Call(func() { a.Call(func() { b.Call(func() { panic(boom) }) }) })
			})
			if got != boom {
				t.Errorf("recovered %v", got)
			}
		})
		if !a.Call(nop) || !b.Call(nop) {
			t.Error("a thread did not live on")
		}
	})
}

func TestAGoexitEndsAllThatWaitForItInACircle(t *testing.T) {
	a, b := start(t), start(t)
	for range scaled(1000) {
		after := false
		ends(t, func() {
			a.Call(func() {
				b.Call(func() {
					a.Call(runtime.Goexit)
					after = true
				})
				after = true
			})
			after = true
		})
		if after {
			t.Fatal("somebody went on after the Goexit of a function that he had called")
		}
		ends(t, func() {
			if !a.Call(nop) || !b.Call(nop) {
				t.Error("a thread did not live on")
			}
		})
	}
}

// Here e is busy with a call for w, so that it does not count as waiting, when y, e and x come to wait in a circle.
func TestACircleThatClosesWhileOneOfItsThreadsServesAnother(t *testing.T) {
	all := startAll(t, 5)
	w, x, y, z, e := all[0], all[1], all[2], all[3], all[4]
	for range scaled(250) {
		ends(t, func() {
			inside := make(chan bool)
			var both group.Group
			both.Go(func() {
				w.Call(func() {
					<-inside
					e.Call(func() { time.Sleep(4 * time.Millisecond) })
				})
			})
			both.Go(func() {
				y.Call(func() {
					e.Call(func() {
						x.Call(func() {
							z.Call(func() {
								close(inside)
								time.Sleep(500 * time.Microsecond)
								w.Call(nop) // closes a circle of w, e, x and z
							})
							y.Call(nop)
						})
					})
				})
			})
			both.Wait()
		})
	}
}

// A web is threads and pools that call each other at random.
type web []func(f func()) bool

// walk calls one of them, which calls others.
func (w web) walk(r *rand.Rand, depth int, ran *int) {
	w[r.IntN(len(w))](func() {
		*ran++
		for range r.IntN(3) {
			if depth > 0 {
				w.walk(r, depth-1, ran)
			}
		}
	})
}

func TestThreadsThatCallEachOtherAtRandomNeverDeadlock(t *testing.T) {
	r := seeded(t)
	for _, c := range []struct {
		threads int
		pools   []int
		walkers int
	}{
		{threads: 2, walkers: 6},
		{threads: 4, walkers: 2},
		{threads: 6, walkers: 3},
		{threads: 1, pools: []int{1}, walkers: 4},
		{threads: 3, pools: []int{1, 2}, walkers: 4},
		{pools: []int{1, 1, 1}, walkers: 3},
		{pools: []int{2, 3}, walkers: 8},
	} {
		t.Run(fmt.Sprintf("%d threads, pools of %v, %d walkers", c.threads, c.pools, c.walkers), func(t *testing.T) {
			var w web
			for _, th := range startAll(t, c.threads) {
				w = append(w, th.Call, callWithContext(t, th))
			}
			for _, n := range c.pools {
				w = append(w, startPool(t, n).Call)
			}
			end := time.Now().Add(600 * time.Millisecond)
			ends(t, func() {
				var walkers group.Group
				for range c.walkers {
					r := fork(r)
					walkers.Go(func() {
						for time.Now().Before(end) {
							ran := 0
							w.walk(r, 4, &ran)
							if ran == 0 {
								t.Error("nothing ran")
							}
						}
					})
				}
				walkers.Wait()
			})
		})
	}
}

// A thread that waits runs only what closes a circle, not what the thread that it waits for has posted to it before.
func TestAWaitThatIsOverIsNoPartOfACircle(t *testing.T) {
	a, b := start(t), start(t)
	ends(t, func() {
		for range scaled(50) {
			a.Call(func() { b.Call(func() { time.Sleep(time.Millisecond) }) }) // a waits for b, but not any more
			b.Call(func() {
				ran := false
				posted := make(chan bool)
				a.Go(func() { b.Go(func() { ran = true }); close(posted) })
				<-posted
				a.Call(func() { time.Sleep(time.Millisecond) })
				if ran {
					t.Error("a posted function ran inside another")
				}
			})
		}
	})
}
