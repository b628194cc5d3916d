package thread_test

import (
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

// With a limit, Go waits for a place, but neither on the thread itself nor where that would be a deadlock; calls need none.
func TestWithQueueLimit(t *testing.T) {
	for name, w := range limited(t, 3) {
		t.Run(name, func(t *testing.T) {
			other := start(t)
			for poster, post := range map[string]func(func()) bool{
				"a goroutine": w.post,
				"a thread":    func(f func()) (ok bool) { other.Call(func() { ok = w.post(f) }); return ok },
			} {
				busy := occupy(t, w.post)
				var queued, ran atomic.Int32
				done, called := make(chan bool), make(chan bool)
				go func() {
					for range 10 {
						post(func() { ran.Add(1) })
						queued.Add(1)
					}
					close(done)
				}()
				eventually(t, func() bool { return queued.Load() == 3 }, "three are queued")
				go func() { called <- w.call(nop) }()
				time.Sleep(10 * time.Millisecond)
				if n := queued.Load(); n != 3 {
					t.Errorf("%s: %d functions are queued, and the limit is 3", poster, n)
				}
				busy.Open()
				arrives(t, done)
				if w.call(nop); !arrives(t, called) || ran.Load() != 10 {
					t.Errorf("%s: %d functions ran, want 10", poster, ran.Load())
				}
			}
			ran := 0
			post := func() {
				for range 20 {
					w.post(func() { ran++ })
				}
			}
			ends(t, func() { w.call(post); w.call(nop) })
			want := 20
			if here() != 0 {
				want = 40
				ends(t, func() { w.call(func() { inCoroutine(post) }); w.call(nop) })
			}
			if ran != want {
				t.Errorf("on the thread: %d functions ran, want %d", ran, want)
			}
		})
	}
	for _, w := range limited(t, 0) { // is none
		busy := occupy(t, w.post)
		ends(t, func() {
			for range 1000 {
				w.post(nop)
			}
		})
		busy.Open()
	}
}

func TestWithQueueLimit_terminate(t *testing.T) {
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

// What a thread waits for must not wait for a place in the thread's queue: the thread cannot make one free.
func TestWithQueueLimit_cycle(t *testing.T) {
	post := func(t *testing.T, w way, n int) {
		for range n {
			if !w.post(nop) {
				t.Error("Go refused a function")
			}
		}
	}
	for name, cycle := range map[string]func(t *testing.T, a, b, c way){
		"B posts to A, which waits for B": func(t *testing.T, a, b, _ way) {
			a.call(func() { b.call(func() { post(t, a, 3) }) })
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
				"threads":       {threads(), threads(), threads()},
				"pools":         {pools(1), pools(1), pools(1)},
				"a pool of two": {pools(2), threads(), threads()},
			} {
				for range scaled(50) {
					ends(t, func() { cycle(t, ways[0], ways[1], ways[2]) })
					if t.Failed() {
						t.Fatal(kinds)
					}
				}
			}
		})
	}
}
