package load

import (
	"sync/atomic"

	"github.com/threadcall/threadcall/thread"
)

var living = []kind{
	{"threads", "a thread made, used and terminated", 30 * msec, threads},
	{"dropped threads", "a thread made, used and left to the collector", 200 * msec, droppedThreads},
	{"pools", "a pool of three made, used and terminated", 150 * msec, pools},
	{"dropped pools", "a pool of two made, used and left to the collector", 300 * msec, droppedPools},
	{"storage", "a kilobyte stored with a thread, and read", 20 * msec, storage},
}

func threads(w *world) int {
	t := thread.New(thread.WithName("soak-brief"))
	defer t.Terminate()
	t.Go(nop)
	w.must(t.Call(nop), "a new thread runs what it is given")
	w.must(thread.Eval(t, t.On), "On is true on the thread")
	t.SetTLS(new([1000]byte))
	return 3
}

func droppedThreads(w *world) int {
	t := thread.New()
	var ran atomic.Bool
	t.Go(func() { ran.Store(true) })
	w.must(t.Call(nop) && ran.Load(), "a thread that will be dropped runs what it is given")
	t.Go(nop)
	return 3
}

func pools(w *world) int {
	p := thread.NewPool(3)
	defer p.Terminate()
	for range 6 {
		p.Go(nop)
	}
	w.must(p.Call(nop), "a new pool runs what it is given")
	return 7
}

func droppedPools(w *world) int {
	p := thread.NewPool(2)
	w.must(p.Call(nop), "a pool that will be dropped runs what it is given")
	p.Go(nop)
	return 2
}

func storage(w *world) int {
	x := new([1000]byte)
	w.gl.SetTLS(x)
	got := thread.Eval(w.gl, w.gl.GetTLS)
	w.must(got == any(x), "what was stored with a thread is there")
	return 1
}
