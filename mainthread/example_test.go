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

func ExampleCall() {
	count := 0
	ok := mainthread.Call(func() { count++ })
	fmt.Println(ok, count)

	// A function that runs on the main thread may call it: that runs in place.
	mainthread.Call(func() {
		mainthread.Call(func() { fmt.Println("nested") })
	})
	// Output:
	// true 1
	// nested
}

func ExampleCallV() {
	width, height := 800, 600
	area := mainthread.CallV(func() int { return width * height })
	fmt.Println(area)

	// Two results travel in a struct, or in variables of the caller.
	var err error
	name := mainthread.CallV(func() (s string) {
		s, err = "monitor 1", nil
		return s
	})
	fmt.Println(name, err)
	// Output:
	// 480000
	// monitor 1 <nil>
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
