// Package article has the three designs of the article "Scheduling Function Calls with Zero Allocation" (2021), in
// which a goroutine that is locked to a thread receives functions on a channel. Benchmarks and the demo compare with
// them; nothing else should use them.
//
//	design   what travels on the channel                          allocations a call
//	Naive    a closure that signals on a channel made per call    2
//	Pooled   a closure that signals on a pooled channel           1
//	Struct   the function and a pooled channel side by side       0
//
// The article measured them as [OnGoroutine] serves them, where a call is a hand-over inside one thread. A program that
// needs the thread pays for what [OnThread] does.
package article

import (
	"fmt"
	"runtime"
	"sync"
)

// A Design runs functions on the goroutine that serves it. It keeps the article's weaknesses: a Call by the serving
// goroutine itself deadlocks, and so does its Go when the channel is full; runtime.Goexit in a function ends Serve and
// leaves its caller waiting; calls that nobody serves wait for ever.
type Design interface {
	// Call runs f on the serving goroutine and returns true after it. If f panics, Call panics with an error that
	// has the same text.
	Call(f func()) bool
	// Go hands f to the serving goroutine and returns true. It blocks while the channel is full. A panic in f is
	// lost.
	Go(f func()) bool
	// Serve runs functions on the calling goroutine until stop is closed. What is queued by then stays queued.
	Serve(stop <-chan struct{})
}

// OnThread serves d on a new goroutine that is locked to its thread. The function it returns ends that, waits for the
// function that is running, and may be called more than once.
func OnThread(d Design) (stop func()) {
	return start(func(stop <-chan struct{}) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		d.Serve(stop)
	})
}

// OnGoroutine is OnThread without the thread: the goroutine runs wherever the scheduler puts it.
func OnGoroutine(d Design) (stop func()) { return start(d.Serve) }

func start(serve func(stop <-chan struct{})) (stop func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		serve(quit)
	}()
	return sync.OnceFunc(func() {
		close(quit)
		<-ended
	})
}

// run runs f and returns its panic.
func run(f func()) (err error) {
	defer func() { err = asError(recover()) }()
	f()
	return nil
}

func asError(panicked any) error {
	if panicked == nil {
		return nil
	}
	return fmt.Errorf("%v", panicked)
}

// dones has channels on which one call at a time waits for its end.
var dones = sync.Pool{New: func() any { return make(chan error) }}

// wait returns after the call that signals on done, and panics if it did.
func wait(done <-chan error) {
	if err := <-done; err != nil {
		panic(err)
	}
}
