package thread_test

import (
	"iter"
	"testing"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/thread"
)

// Terminate comes from elsewhere while a coroutine on the thread calls it, with a queue before it.
func TestCoroutine_terminate(t *testing.T) {
	needsCoroutines(t)
	for name, call := range map[string]func(th *thread.Thread, f func()) bool{
		"Call":        (*thread.Thread).Call,
		"CallContext": func(th *thread.Thread, f func()) bool { return th.CallContext(t.Context(), f) == nil },
		"Go and Call": func(th *thread.Thread, f func()) bool { th.Go(nop); return th.Call(f) },
	} {
		t.Run(name, func(t *testing.T) {
			for range scaled(50) {
				th := thread.New()
				ran, told := 0, 0
				ends(t, func() {
					var all group.Group
					inside := make(chan bool)
					all.Go(func() {
						th.Call(func() {
							inCoroutine(func() {
								close(inside)
								for call(th, func() { ran++ }) {
									told++
								}
							})
						})
					})
					<-inside
					for range 5000 { // so that Terminate takes a while
						th.Go(nop)
					}
					th.Terminate()
					all.Wait()
				})
				if ran != told {
					t.Fatalf("%d functions ran, and the coroutine was told of %d", ran, told)
				}
			}
		})
	}
}

func TestCoroutine_outlives(t *testing.T) {
	needsCoroutines(t)
	th := start(t)
	var next func() (int, bool)
	var stop func()
	th.Call(func() {
		next, stop = iter.Pull(func(yield func(int) bool) {
			for i := 0; yield(i); i++ {
				th.Call(nop)
			}
		})
	})
	for i := range 100 {
		ends(t, func() {
			th.Call(func() {
				if n, _ := next(); n != i {
					t.Errorf("got %d, want %d", n, i)
				}
			})
		})
	}
	th.Call(stop)
}

func TestCoroutine_new(t *testing.T) {
	next, stop := iter.Pull(func(yield func(int) bool) { _ = yield(1) && yield(2) })
	defer stop()
	next()
	th := start(t) // while a coroutine lives
	if n, ok := next(); !th.Call(nop) || n != 2 || !ok {
		t.Errorf("the coroutine returned %d, %v", n, ok)
	}
}
