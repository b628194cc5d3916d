package load

import (
	"errors"
	"runtime"

	"github.com/threadcall/threadcall/thread"
)

var failing = []kind{
	{"panics", "panics in calls to thread and pool, recovered by the caller", 10 * msec, panics},
	{"posted panics", "panics in posted functions, read through Error", 10 * msec, postedPanics},
	{"Goexit", "20 calls of Goexit on a thread that is terminated after them", 150 * msec, goexits},
	{"unlocks", "20 unlocks too many on a thread that is terminated after them", 150 * msec, unlocks},
}

var errExpected = errors.New("expected")

func panics(w *world) int {
	for _, call := range []func(func()) bool{w.main.Call, w.gl.Call, w.pool.Call} {
		func() {
			defer func() { w.must(recover() == errExpected, "a panic arrives as the value it was") }()
			call(func() { panic(errExpected) })
		}()
	}
	return 3
}

func postedPanics(w *world) int {
	for range 5 {
		w.posted.Go(func() { panic(errExpected) })
	}
	w.posted.Call(nop)
	for range 5 {
		p := w.posted.TakePanic()
		w.must(p != nil && errors.Is(p, errExpected), "a posted panic is kept")
	}
	w.must(w.posted.TakePanic() == nil, "it is kept once")
	return 6
}

func goexits(w *world) int {
	t := thread.New()
	defer t.Terminate()
	for range 20 {
		ended, returned := make(chan bool), false
		go func() {
			defer close(ended)
			t.Call(runtime.Goexit)
			returned = true
		}()
		<-ended
		w.must(!returned, "Goexit in a call ends the caller")
	}
	w.must(t.Call(nop), "the thread lives on after Goexit")
	return 21
}

func unlocks(w *world) int {
	t := thread.New()
	defer t.Terminate()
	for range 20 {
		t.Call(runtime.UnlockOSThread)
	}
	w.must(t.Call(func() { runtime.Gosched(); w.must(t.On(), "the thread stays pinned") }), "the thread lives on")
	return 21
}
