package compare

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/threadcall/threadcall/mainthread"
)

// A Design is one of the article "Scheduling Function Calls with Zero Allocation" (2021), in which
// a goroutine that is locked to a thread receives functions on a channel:
//
//	design   what travels on the channel                          allocations a call
//	Naive    a closure that signals on a channel made per call    2
//	Pooled   a closure that signals on a pooled channel           1
//	Struct   the function and a pooled channel                    0
//
// The article measured them on a goroutine that is not locked, where a call is a hand-over inside
// one thread. A program that needs the thread pays for what [OnThread] and [OnMain] do.
//
// A Design keeps the article's weaknesses: a Call by the serving goroutine itself deadlocks, and so
// does its Go when the channel is full; runtime.Goexit in a function ends Serve and leaves its
// caller waiting; calls that are not served wait for ever.
type Design interface {
	// Call runs f on the serving goroutine and returns true after it. If f panics, Call panics with
	// an error that has the same text.
	Call(f func()) bool
	// Go hands f to the serving goroutine and returns true. It blocks while the channel is full. A
	// panic in f is lost.
	Go(f func()) bool
	// Serve runs functions on the calling goroutine until stop is closed. What is queued by then
	// stays queued.
	Serve(stop <-chan struct{})
}

// Naive is the design that everyone writes first: an unbuffered channel of closures, and for each
// call a channel on which its end is signalled.
func Naive() Design { return naive{make(pairs)} }

type naive struct{ pairs }

func (n naive) Call(f func()) bool {
	done := make(chan error)
	n.pairs <- pair{f: func() { done <- run(f) }}
	wait(done)
	return true
}

// Pooled is Naive, but takes the channel for the end of a call from a pool.
func Pooled() Design { return pooled{make(pairs)} }

type pooled struct{ pairs }

func (p pooled) Call(f func()) bool {
	done := dones.Get().(chan error)
	defer dones.Put(done)
	p.pairs <- pair{f: func() { done <- run(f) }}
	wait(done)
	return true
}

// Struct sends the function and the channel for its end in a struct instead of a closure over both,
// on a channel with as many places as there are Ps. It is the reference of this project's
// benchmarks.
func Struct() Design { return make(pairs, runtime.GOMAXPROCS(0)) }

type pairs chan pair

type pair struct {
	f    func()
	done chan<- error // nil if the caller does not wait
}

func (p pairs) Call(f func()) bool {
	done := dones.Get().(chan error)
	defer dones.Put(done)
	p <- pair{f, done}
	wait(done)
	return true
}

func (p pairs) Go(f func()) bool {
	p <- pair{f: f}
	return true
}

func (p pairs) Serve(stop <-chan struct{}) {
	for {
		select {
		case c := <-p:
			if err := run(c.f); c.done != nil {
				c.done <- err
			}
		case <-stop:
			return
		}
	}
}

// dones has channels on which one call at a time waits for its end.
var dones = sync.Pool{New: func() any { return make(chan error) }}

// run runs f and returns its panic.
func run(f func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%v", v)
		}
	}()
	f()
	return nil
}

// wait returns after the call that signals on done, and panics if it did.
func wait(done <-chan error) {
	if err := <-done; err != nil {
		panic(err)
	}
}

// OnThread serves d on a new goroutine that is locked to its thread. The function it returns ends
// that, waits for the function that is running, and may be called more than once.
func OnThread(d Design) (stop func()) {
	return serve(d, func(f func()) {
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			f()
		}()
	})
}

// OnMain is OnThread on the main thread, which must be served by mainthread.Init and runs
// nothing else meanwhile.
func OnMain(d Design) (stop func()) {
	return serve(d, func(f func()) { mainthread.Go(f) })
}

func serve(d Design, start func(f func())) (stop func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	start(func() {
		defer close(ended)
		d.Serve(quit)
	})
	return sync.OnceFunc(func() {
		close(quit)
		<-ended
	})
}
