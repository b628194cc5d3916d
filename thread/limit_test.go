package thread_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

func limited(t *testing.T, n int) map[string]way {
	limit := thread.WithQueueLimit(n)
	return map[string]way{"thread": wayOf(start(t, limit)), "pool": wayOf(startPool(t, 1, limit))}
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
				testutil.Arrives(t, done)
				if w.call(nop); !testutil.Arrives(t, called) || ran.Load() != 10 {
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
			w.Terminate()
			for range 5 {
				if testutil.Arrives(t, results) {
					t.Error("reported that it will run")
				}
			}
			if w.post(nop) {
				t.Error("reported that it will run")
			}
			busy.Open()
		})
	}
}

// What a thread waits for must not wait for a place in the thread's queue: the thread cannot make one free.
func TestWithQueueLimit_cycle(t *testing.T) {
	limit := thread.WithQueueLimit(1)
	threads := func() way { return wayOf(start(t, limit)) }
	pools := func(n int) way { return wayOf(startPool(t, n, limit)) }
	for kinds, ways := range map[string][2]way{
		"threads":       {threads(), threads()},
		"pools":         {pools(1), pools(1)},
		"a pool of two": {pools(2), threads()},
	} {
		a, b := ways[0], ways[1]
		post := func(w way) {
			for range 3 {
				if !w.post(nop) {
					t.Errorf("%s: Go refused a function", kinds)
				}
			}
		}
		for range scaled(50) {
			ends(t, func() { a.call(func() { b.call(func() { post(a) }) }) }) // b posts to a, which waits for b
			ends(t, func() {                                                  // each waits for a place in the other's queue
				var both, inside group.Group
				inside.Add(2)
				meet := func(from, to way) func() {
					return func() { from.call(func() { inside.Done(); inside.Wait(); post(to) }) }
				}
				both.Go(meet(a, b))
				both.Go(meet(b, a))
				both.Wait()
			})
		}
	}
}

// TryGo refuses what has no place, at once, on the thread itself, too, and takes functions again when there is one.
func TestTryGo(t *testing.T) {
	limit := thread.WithQueueLimit(2)
	th, pool := start(t, limit), startPool(t, 1, limit)
	for name, c := range map[string]struct {
		way
		try func(func()) bool
	}{"thread": {wayOf(th), th.TryGo}, "pool": {wayOf(pool), pool.TryGo}} {
		t.Run(name, func(t *testing.T) {
			ran := 0
			add := func() { ran++ }
			busy := occupy(t, c.post)
			try := func() (taken int) {
				for range 3 {
					if c.try(add) {
						taken++
					}
				}
				return taken
			}
			if n := try(); n != 2 || c.try(nil) {
				t.Errorf("%d functions are taken, or a nil one, and there are 2 places", n)
			}
			busy.Open()
			if c.call(nop); ran != 2 {
				t.Errorf("%d functions ran, want 2", ran)
			}
			c.call(func() {
				if n := try(); n != 2 {
					t.Errorf("on the thread %d functions are taken, and there are 2 places", n)
				}
			})
			if c.call(nop); ran != 4 {
				t.Errorf("%d functions ran, want 4", ran)
			}
		})
	}
	free := start(t)
	occupy(t, wayOf(free).post)
	for range 100 {
		if !free.TryGo(nop) {
			t.Fatal("refused without a limit")
		}
	}
	free.Terminate()
	if free.TryGo(nop) {
		t.Error("a terminated thread takes a function")
	}
}
