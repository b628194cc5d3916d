package load

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/thread"
)

var waiting = []kind{
	{"blocked", "50 callers that wait while the thread is held for 2 ms", 60 * time.Millisecond, blocked},
	{"deadlines", "ten calls that wait for a busy thread, whose deadlines pass", 50 * time.Millisecond, deadlines},
	{"cancelled", "ten calls whose context is cancelled as they begin", 50 * time.Millisecond, cancelled},
	{"refused", "20 callers that wait for a thread which is terminated", 100 * time.Millisecond, refused},
}

func blocked(w *world) int {
	w.busy.Go(func() { time.Sleep(2 * time.Millisecond) })
	var ran atomic.Int32
	var callers sync.WaitGroup
	for range 50 {
		callers.Go(func() { w.busy.Call(func() { ran.Add(1) }) })
	}
	callers.Wait()
	w.must(ran.Load() == 50, "all blocked callers' functions have run")
	return 51
}

func deadlines(w *world) int {
	release := make(chan bool)
	w.late.Go(func() { <-release })
	var ran atomic.Int32
	var callers sync.WaitGroup
	for range 10 {
		callers.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 300*time.Microsecond)
			defer cancel()
			err := w.late.CallContext(ctx, func() { ran.Add(1) })
			w.must(errors.Is(err, context.DeadlineExceeded), "a call ends at its deadline")
		})
	}
	callers.Wait()
	close(release)
	w.must(w.late.Call(nop) && ran.Load() == 0, "what a deadline has taken back does not run")
	return 12
}

func cancelled(w *world) int {
	var ran, told atomic.Int32
	var callers sync.WaitGroup
	for range 10 {
		ctx, cancel := context.WithCancel(context.Background())
		callers.Go(func() {
			if w.gl.CallContext(ctx, func() { ran.Add(1) }) == nil {
				told.Add(1)
			}
		})
		callers.Go(cancel)
	}
	callers.Wait()
	w.gl.Call(nop)
	w.must(ran.Load() == told.Load(), "a call has run if and only if it says so")
	return 11
}

func refused(w *world) int {
	t := thread.New()
	release, held := make(chan bool), make(chan bool)
	t.Go(func() { close(held); <-release })
	<-held
	var callers sync.WaitGroup
	for range 20 {
		callers.Go(func() { w.must(!t.Call(nop), "a call that waits for a terminated thread says no") })
	}
	time.Sleep(200 * time.Microsecond)
	t.Terminate()
	callers.Wait()
	close(release)
	w.must(!t.Go(nop), "Go to a terminated thread says no")
	return 22
}
