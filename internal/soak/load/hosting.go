package load

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/thread"
)

var hosting = []kind{
	{"host", "50 calls and 50 posts to a thread with an event loop", 20 * msec, useHost},
	{"guests", "threads adopted for a while, with a lock of their own and without", 100 * msec, guests},
	{"serving inside", "a call that serves others for 1 ms", 100 * msec, servingInside},
}

// A host is a thread with an event loop, in which a channel stands for the window system.
type host struct {
	*thread.Thread
	events chan bool
	quit   atomic.Bool
}

func startHost() *host {
	h := &host{events: make(chan bool, 1)}
	adopted := make(chan bool)
	go func() {
		runtime.LockOSThread()
		h.Thread = thread.Adopt(thread.WithName("soak-host"))
		h.OnWake(h.post)
		close(adopted)
		for !h.quit.Load() {
			<-h.events
			h.Serve()
		}
		h.Terminate()
	}()
	<-adopted
	return h
}

func (h *host) post() {
	select {
	case h.events <- true:
	default:
	}
}

func (h *host) end() {
	h.quit.Store(true)
	h.post()
}

func useHost(w *world) int {
	ran := 0
	add := func() { ran++ }
	for range 50 {
		w.host.Go(add)
		w.host.Call(add)
	}
	w.must(ran == 100, "a host that is woken serves")
	return 100
}

func guests(w *world) int {
	for _, lock := range []bool{false, true} {
		adopted, ended := make(chan *thread.Thread), make(chan bool)
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			defer close(ended)
			if lock {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
			}
			t := thread.Adopt()
			adopted <- t
			w.must(t.ServeContext(ctx) == context.Canceled, "ServeContext ends with its context")
			t.Terminate()
		}()
		t := <-adopted
		for range 5 {
			w.must(t.Call(nop), "an adopted thread that serves runs what it is given")
		}
		cancel()
		<-ended
	}
	return 10
}

func servingInside(w *world) int {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	w.busy.Go(func() { _ = w.busy.ServeContext(ctx) }) // the deadline
	for range 5 {
		w.must(w.busy.Call(nop), "a call runs inside one that serves")
	}
	return 6
}
