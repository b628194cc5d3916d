package load

import (
	"sync"
	"time"

	"github.com/threadcall/threadcall/thread"
)

var calling = []kind{
	{"hot main", "5 ms of calls to the main thread in a closed loop", 45 * time.Millisecond,
		func(w *world) int { return hot(5*time.Millisecond, w.main.Call) }},
	{"hot thread", "3 ms of the same to another thread", 47 * time.Millisecond,
		func(w *world) int { return hot(3*time.Millisecond, w.gl.Call) }},
	{"hot pool", "3 ms of the same to a pool of two", 47 * time.Millisecond,
		func(w *world) int { return hot(3*time.Millisecond, w.pool.Call) }},
	{"frame", "200 calls to the main thread, as a frame makes them", 16 * time.Millisecond, frame},
	{"lone", "one call to a thread that has slept", 20 * time.Millisecond, lone},
	{"crowd", "64 goroutines, 20 calls each", 50 * time.Millisecond, crowd},
	{"stream", "1,000 Go and a Call that comes after them", 30 * time.Millisecond, stream},
	{"bounded stream", "300 Go to a thread whose queue takes 64", 40 * time.Millisecond, boundedStream},
	{"values", "Eval and EvalPool of five types", 5 * time.Millisecond, values},
	{"nested", "calls inside calls, eight deep", 10 * time.Millisecond, nested},
}

func hot(d time.Duration, call func(func()) bool) (calls int) {
	for start := time.Now(); time.Since(start) < d; calls += 50 {
		for range 50 {
			call(nop)
		}
	}
	return calls
}

func frame(w *world) int {
	ran := 0
	draw := func() { ran++ }
	for range 200 {
		w.main.Call(draw)
	}
	w.must(ran == 200, "a frame's 200 calls have run")
	return 200
}

func lone(w *world) int {
	w.must(w.gl.Call(nop), "a lone call runs")
	return 1
}

func crowd(w *world) int {
	ran := 0 // only the main thread writes
	add := func() { ran++ }
	var callers sync.WaitGroup
	for range 64 {
		callers.Go(func() {
			for range 20 {
				w.main.Call(add)
			}
		})
	}
	callers.Wait()
	w.must(ran == 64*20, "all calls of a crowd have run")
	return 64 * 20
}

func stream(w *world) int { return post(w, w.posted, 1000) }

func boundedStream(w *world) int { return post(w, w.bounded, 300) }

func post(w *world, t *thread.Thread, n int) int {
	ran := 0
	add := func() { ran++ }
	for range n {
		t.Go(add)
	}
	t.Call(nop)
	w.must(ran == n, "what was posted before a call has run before it")
	return n + 1
}

func values(w *world) int {
	type point struct{ x, y, z int }
	w.must(thread.Eval(w.main, func() int { return 42 }) == 42, "an int comes back")
	w.must(thread.Eval(w.gl, func() string { return "gl" }) == "gl", "a string comes back")
	w.must(thread.Eval(w.gl, func() point { return point{1, 2, 3} }) == point{1, 2, 3}, "a struct comes back")
	b, ok := thread.EvalPool(w.pool, func() []byte { return make([]byte, 1000) })
	w.must(ok && len(b) == 1000, "a slice comes back from the pool")
	err, ok := thread.EvalPool(w.pool, func() error { return nil })
	w.must(ok && err == nil, "a nil error comes back from the pool")
	return 5
}

func nested(w *world) int {
	depth := 0
	var down func()
	down = func() {
		if depth++; depth < 8 {
			w.gl.Call(down)
		}
	}
	w.gl.Call(down)
	w.must(depth == 8, "calls inside calls run in place")
	return 8
}
