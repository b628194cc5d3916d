package mainthread_test

import (
	"fmt"
	"sync/atomic"

	"github.com/threadcall/threadcall/mainthread"
)

func ExampleInit() {
	mainthread.Init(func() {
		fmt.Println("what would be main is on the main thread:", mainthread.On())
		mainthread.Call(func() { fmt.Println("and this is:", mainthread.On()) })
	})
	// Output:
	// what would be main is on the main thread: false
	// and this is: true
}

// A function that draws for long lets others in between.
func ExampleServe() {
	mainthread.Call(func() {
		mainthread.Go(func() { fmt.Println("a key was pressed") })
		for strip := range 2 {
			fmt.Println("draw strip", strip)
			mainthread.Serve()
		}
	})
	// Output:
	// draw strip 0
	// a key was pressed
	// draw strip 1
}

// A library's event loop has the main thread, and is told when something is queued.
func ExampleOnWake() {
	events := make(chan bool, 1)
	postEmptyEvent := func() {
		select {
		case events <- true:
		default: // one is enough
		}
	}

	mainthread.Call(func() {
		mainthread.OnWake(postEmptyEvent)
		defer mainthread.OnWake(nil)

		var done atomic.Bool
		go mainthread.Call(func() { fmt.Println("run by the event loop"); done.Store(true) })

		waitEvents := func() { <-events } // the library's
		for !done.Load() && mainthread.Wait(waitEvents) {
		}
	})
	// Output: run by the event loop
}
