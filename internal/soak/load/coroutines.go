package load

import (
	"iter"
	"time"
)

const msec = time.Millisecond

func coroutines(w *world) int {
	count := func(yield func(int) bool) {
		for i := 0; ; i++ {
			n := i
			w.gl.Call(func() { n++ }) // in place: the coroutine is on the thread
			if !yield(n) {
				return
			}
		}
	}
	sum := 0
	w.gl.Call(func() {
		next, stop := iter.Pull(count)
		defer stop()
		for range 5 {
			n, _ := next()
			sum += n
		}
	})
	w.must(sum == 1+2+3+4+5, "a coroutine inside a call calls in place")

	var next func() (int, bool)
	var stop func()
	w.gl.Call(func() { next, stop = iter.Pull(count) })
	last := 0
	for range 5 {
		w.gl.Call(func() { last, _ = next() })
	}
	w.gl.Call(func() { stop() })
	w.must(last == 5, "a coroutine lives from one call to the next")
	return 1 + 5 + 1 + 5 + 5 + 1
}
