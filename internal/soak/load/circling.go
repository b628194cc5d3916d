package load

import "sync"

var circling = []kind{
	{"circle", "two threads that call each other, from both ends at once", 10 * msec, circle},
	{"circle with a pool", "a thread that calls a pool that calls the thread", 20 * msec, poolCircle},
	{"coroutines", "coroutines inside a call, and from one call to another", 20 * msec, coroutines},
}

func circle(w *world) int {
	const rounds = 20
	var ran [2]int
	var both sync.WaitGroup
	both.Go(func() {
		for range rounds {
			w.a.Call(func() { w.b.Call(func() { w.a.Call(func() { ran[0]++ }) }) })
		}
	})
	both.Go(func() {
		for range rounds {
			w.b.Call(func() { w.a.Call(func() { w.b.Call(func() { ran[1]++ }) }) })
		}
	})
	both.Wait()
	w.must(ran == [2]int{rounds, rounds}, "calls in a circle come back")
	return 2 * 3 * rounds
}

func poolCircle(w *world) int {
	ran := 0
	for range 10 {
		w.a.Call(func() { w.pool.Call(func() { w.a.Call(func() { ran++ }) }) })
	}
	w.must(ran == 10, "calls in a circle with a pool come back")
	return 30
}
