package mainthread_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

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

// A panic is the caller's, as if it had run the function itself.
func ExampleCall_panic() {
	defer func() { fmt.Println("recovered:", recover()) }()
	mainthread.Call(func() { panic("no display") })
	// Output: recovered: no display
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

func ExampleCallContext() {
	busy := make(chan bool)
	mainthread.Go(func() { <-busy })

	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	err := mainthread.CallContext(ctx, func() { fmt.Println("this does not run") })
	fmt.Println(err)

	close(busy)
	// Output: context deadline exceeded
}

func ExampleGo() {
	for i := range 3 {
		mainthread.Go(func() { fmt.Println("redraw", i) })
	}
	mainthread.Call(func() {}) // returns when all of them have run
	// Output:
	// redraw 0
	// redraw 1
	// redraw 2
}

func ExampleTakePanic() {
	errLost := errors.New("device lost")
	mainthread.Go(func() { panic(errLost) })
	mainthread.Call(func() {})

	p := mainthread.TakePanic()
	fmt.Println(p, errors.Is(p, errLost))
	// Output: panic: device lost true
}

func ExampleOn() {
	fmt.Println(mainthread.On())
	mainthread.Call(func() { fmt.Println(mainthread.On()) })
	// Output:
	// false
	// true
}

func ExampleAssert() {
	draw := func() {
		mainthread.Assert() // in all that must run on the main thread
		fmt.Println("drawn")
	}
	mainthread.Call(draw)

	defer func() {
		text, _, _ := strings.Cut(fmt.Sprint(recover()), ";")
		fmt.Println(strings.HasSuffix(text, "must run on the main thread"))
	}()
	draw()
	// Output:
	// drawn
	// true
}

func ExampleThread() {
	main := mainthread.Thread()
	main.SetTLS("the GL context")
	main.Call(func() { fmt.Println(main.GetTLS()) })
	// Output: the GL context
}

func ExampleCoalesce() {
	redraw := mainthread.Coalesce(func() { fmt.Println("redraw") })
	mainthread.Call(func() { // it is busy
		for range 100 {
			redraw()
		}
	})
	mainthread.Call(func() {})
	// Output: redraw
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

// A function that must wait on the main thread lets others in meanwhile.
func ExampleServeContext() {
	mainthread.Call(func() {
		closed, answer := context.WithCancel(context.Background())
		go func() {
			mainthread.Call(func() { fmt.Println("the dialog is drawn") })
			answer()
		}()
		fmt.Println(mainthread.ServeContext(closed))
	})
	// Output:
	// the dialog is drawn
	// context canceled
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

		go mainthread.Call(func() { fmt.Println("run by the event loop") })

		for ran := 0; ran == 0; {
			<-events // the library's WaitEvents
			ran = mainthread.Serve()
		}
	})
	// Output: run by the event loop
}
