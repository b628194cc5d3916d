package thread_test

import (
	"testing"
	"time"

	"github.com/threadcall/threadcall/thread"
)

// What a call costs must not depend on how much others have queued. Here each of many calls would have to pass over a long
// queue, which would take minutes; it takes a second.
func TestALongQueueCostsTheOthersNothing(t *testing.T) {
	backlog, calls := 200_000, 20_000
	if testing.Short() || raceEnabled || collecting {
		backlog, calls = 100_000, 10_000
	}
	flood := func(t *testing.T, post func(func()) bool) {
		for range backlog {
			if !post(nop) {
				t.Error("Go refused a function")
			}
		}
	}
	inTime := func(t *testing.T, f func()) {
		t.Helper()
		begin := time.Now()
		ends(t, f)
		t.Logf("%v", time.Since(begin))
	}
	a, b := start(t), start(t)
	p := startPool(t, 1)
	t.Run("nested calls after Go", func(t *testing.T) {
		inTime(t, func() {
			a.Call(func() {
				flooded := make(chan bool)
				go func() { flood(t, a.Go); close(flooded) }()
				<-flooded
				for range calls {
					a.Go(nop)
					a.Call(nop)
				}
			})
		})
	})
	t.Run("Serve in Serve", func(t *testing.T) {
		inTime(t, func() {
			a.Call(func() {
				for range calls {
					a.Go(func() { a.Serve() })
				}
				a.Serve()
			})
		})
	})
	t.Run("calls round a circle", func(t *testing.T) {
		inTime(t, func() {
			a.Call(func() {
				b.Call(func() {
					flood(t, func(f func()) bool { return otherGoroutine(func() bool { return a.Go(f) }) })
					for range calls / 10 {
						a.Call(nop)
					}
				})
			})
		})
	})
	t.Run("calls of several threads round a circle", func(t *testing.T) {
		c := start(t)
		inTime(t, func() {
			a.Call(func() {
				otherGoroutine(func() bool { flood(t, a.Go); return true })
				for range calls / 10 {
					b.Call(func() { a.Call(nop); c.Call(func() { a.Call(nop) }) })
				}
			})
		})
	})
	t.Run("posts and calls round a circle", func(t *testing.T) {
		inTime(t, func() {
			a.Call(func() {
				b.Call(func() {
					flood(t, a.Go)
					for range calls / 10 {
						a.Go(nop)
						a.Call(nop)
					}
				})
			})
		})
	})
	t.Run("calls round a circle through a pool", func(t *testing.T) {
		inTime(t, func() {
			p.Call(func() {
				b.Call(func() {
					flood(t, p.Go)
					for range calls / 10 {
						p.Call(nop)
					}
				})
			})
		})
	})
	t.Run("a large pool", func(t *testing.T) {
		const size = 300
		p := startPool(t, size)
		inTime(t, func() {
			for range calls {
				p.Call(func() { p.Call(nop) })
			}
		})
	})
}

// otherGoroutine runs f on a goroutine of its own.
func otherGoroutine[T any](f func() T) T {
	c := make(chan T)
	go func() { c <- f() }()
	return <-c
}

func BenchmarkBacklog(b *testing.B) {
	for _, n := range []int{0, 100_000} {
		name := map[int]string{0: "empty", 100_000: "100000"}[n]
		b.Run("queue="+name, func(b *testing.B) {
			t := thread.New()
			defer t.Terminate()
			t.Call(func() {
				flooded := make(chan bool)
				go func() {
					for range n {
						t.Go(nop)
					}
					close(flooded)
				}()
				<-flooded
				repeat(b, func() { t.Go(nop); t.Call(nop) })
			})
		})
	}
}
