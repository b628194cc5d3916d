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
func ExampleLoop_serve() {
	mainthread.Call(func() {
		mainthread.Go(func() { fmt.Println("a key was pressed") })
		for strip := range 2 {
			fmt.Println("draw strip", strip)
			mainthread.Loop().Serve(0)
		}
	})
	// Output:
	// draw strip 0
	// a key was pressed
	// draw strip 1
}

// A library's event loop has the main thread, and is told when something is queued.
func ExampleLoop() {
	events := make(chan bool, 1)
	postEmptyEvent := func() {
		select {
		case events <- true:
		default: // one is enough
		}
	}

	mainthread.Call(func() {
		loop := mainthread.Loop()
		loop.OnWake(postEmptyEvent)
		defer loop.OnWake(nil)

		var done atomic.Bool
		go mainthread.Call(func() { fmt.Println("run by the event loop"); done.Store(true) })

		waitEvents := func() { <-events } // the library's
		for !done.Load() && loop.Wait(waitEvents) {
		}
	})
	// Output: run by the event loop
}
