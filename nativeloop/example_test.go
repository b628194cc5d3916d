package nativeloop_test

import (
	"fmt"

	"github.com/threadcall/threadcall/thread"
)

// An event loop that the package does not know, such as libuv's, is connected by two of its
// functions: one that any thread may call to wake it up, and one that waits for events.
func Example_otherLoop() {
	events := make(chan string, 16)
	wakeUp := func() { events <- "" } // uv_async_send
	waitEvents := func() {            // uv_run with UV_RUN_ONCE
		if event := <-events; event != "" {
			fmt.Println("event:", event)
		}
	}

	ended := make(chan bool)
	go func() {
		defer close(ended)
		loop := thread.Adopt()
		defer loop.Terminate()
		loop.OnWake(wakeUp)
		open := true
		go func() {
			events <- "key"
			loop.Call(func() { fmt.Println("called on the thread:", loop.On()) })
			loop.Go(func() { open = false })
		}()
		for open && loop.Wait(waitEvents) {
		}
	}()
	<-ended
	// Unordered output:
	// event: key
	// called on the thread: true
}
