package nativeloop_test

import (
	"context"
	"fmt"
	"time"

	"github.com/threadcall/threadcall/nativeloop"
	"github.com/threadcall/threadcall/thread"
)

// A callback of the toolkit waits for an answer for ten seconds at most, while the windows react.
func ExampleWait() {
	ask := func() {} // takes its time, and may call the thread
	var loop *thread.Loop
	callback := func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			ask()
		}()
		if err := nativeloop.Wait(ctx, loop, answered); err != nil {
			fmt.Println("no answer:", err)
		}
	}

	loop = thread.Adopt()
	defer loop.Close()
	detach, err := nativeloop.Attach(loop)
	if err != nil {
		fmt.Println(err) // no toolkit here
		return
	}
	defer detach()
	callback()
}

// An event loop that the package does not know, such as libuv's, is connected by two of its
// functions: one that any thread may call to wake it up, and one that waits for events.
func Example_otherLoop() {
	events := make(chan string, 16)
	wakeUp := func() { events <- "" } // uv_async_send
	open := true
	waitEvents := func() { // uv_run with UV_RUN_ONCE
		if event := <-events; event != "" {
			fmt.Println("event:", event)
			open = event != "close"
		}
	}

	ended := make(chan bool)
	go func() {
		defer close(ended)
		loop := thread.Adopt()
		defer loop.Close()
		loop.OnWake(wakeUp)
		t := loop.Thread()
		go func() {
			events <- "key"
			t.Call(func() { fmt.Println("called on the thread:", t.On()) })
			events <- "close"
		}()
		for open && loop.Wait(waitEvents) {
		}
	}()
	<-ended
	// Unordered output:
	// event: key
	// called on the thread: true
	// event: close
}
