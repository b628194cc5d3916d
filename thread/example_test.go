package thread_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/threadcall/threadcall/thread"
)

func Example() {
	t := thread.New(thread.WithName("gl"))
	defer t.Terminate()

	t.Go(func() { fmt.Println("clear") })
	t.Call(func() { fmt.Println("draw") })
	pixels := thread.Eval(t, func() int { return 800 * 600 })
	fmt.Println("read", pixels)
	// Output:
	// clear
	// draw
	// read 480000
}

func ExampleNew() {
	t := thread.New()
	defer t.Terminate()
	t.Call(func() { fmt.Println("on a thread of its own:", t.On()) })
	// Output: on a thread of its own: true
}

// On Linux, ps -L and top -H show the names.
func ExampleWithName() {
	t := thread.New(thread.WithName("render"))
	defer t.Terminate()
	p := thread.NewPool(2, thread.WithName("decode")) // decode-0 and decode-1
	defer p.Terminate()
	fmt.Println(t.Call(func() {}), p.Call(func() {}))
	// Output: true true
}

// With a limit, who produces faster than the thread consumes has to wait.
func ExampleWithQueueLimit() {
	t := thread.New(thread.WithQueueLimit(2))
	defer t.Terminate()
	sum := 0
	for i := range 10 {
		t.Go(func() { sum += i })
	}
	t.Call(func() { fmt.Println(sum) })
	// Output: 45
}

// A call that hangs is told of while it hangs.
func ExampleWithSlowCall() {
	wake := make(chan bool)
	t := thread.New(thread.WithName("db"), thread.WithSlowCall(50*time.Millisecond, func(s thread.SlowCall) {
		fmt.Println(s.Name, "hangs in", firstLine(s.Stack(), "thread_test.query("))
		fmt.Println("called by", firstLine(s.Queued(), "thread_test.ExampleWithSlowCall("))
		wake <- true
	}))
	defer t.Terminate()
	t.Call(func() { query(wake) })
	// Output:
	// db hangs in thread_test.query(
	// called by thread_test.ExampleWithSlowCall(
}

func query(answer chan bool) { <-answer }

// firstLine is what, if text has it. A real program would log the whole.
func firstLine(text, what string) string {
	if strings.Contains(text, what) {
		return what
	}
	return text
}

func ExampleSlowCall_String() {
	log := make(chan string)
	t := thread.New()
	defer t.Terminate()
	t.OnSlowCall(50*time.Millisecond, func(s thread.SlowCall) { log <- s.String() }) // s.Stack() and s.Queued() are in it
	t.Call(func() {
		fmt.Println(strings.HasPrefix(<-log, "thread: a function has run for "))
	})
	// Output: true
}

func ExampleThread_OnSlowCall() {
	told := make(chan bool)
	t := thread.New()
	defer t.Terminate()
	t.OnSlowCall(50*time.Millisecond, func(s thread.SlowCall) { told <- s.Running >= 50*time.Millisecond })
	t.Call(func() { fmt.Println(<-told) })
	// Output: true
}

func ExampleThread_Call() {
	t := thread.New()
	defer t.Terminate()

	count := 0
	ok := t.Call(func() { count++ })
	fmt.Println(ok, count)

	t.Call(func() {
		t.Call(func() { fmt.Println("a nested call runs in place") })
	})
	// Output:
	// true 1
	// a nested call runs in place
}

// Threads may call each other in a circle.
func ExampleThread_Call_circle() {
	a, b := thread.New(), thread.New()
	defer a.Terminate()
	defer b.Terminate()

	a.Call(func() {
		b.Call(func() {
			a.Call(func() { fmt.Println("a runs this while it waits for b") })
		})
	})
	// Output: a runs this while it waits for b
}

// A panic is the caller's, as if it had run the function itself, and the thread lives on.
func ExampleThread_Call_panic() {
	t := thread.New()
	defer t.Terminate()

	func() {
		defer func() { fmt.Println("recovered:", recover()) }()
		t.Call(func() { panic("no context") })
	}()
	fmt.Println(t.Call(func() {}))
	// Output:
	// recovered: no context
	// true
}

func ExampleThread_CallContext() {
	t := thread.New()
	busy := make(chan bool)
	t.Go(func() { <-busy })

	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	fmt.Println(t.CallContext(ctx, func() { fmt.Println("this does not run") }))
	close(busy)

	t.Terminate()
	err := t.CallContext(context.Background(), func() {})
	fmt.Println(errors.Is(err, thread.ErrTerminated))
	// Output:
	// context deadline exceeded
	// true
}

func ExampleThread_Go() {
	t := thread.New()
	defer t.Terminate()
	for i := range 3 {
		t.Go(func() { fmt.Println("step", i) })
	}
	t.Call(func() {}) // returns when all of them have run
	// Output:
	// step 0
	// step 1
	// step 2
}

func ExampleThread_Error() {
	t := thread.New()
	defer t.Terminate()

	errLost := errors.New("device lost")
	t.Go(func() { panic(errLost) })
	t.Call(func() {})

	err := t.Error()
	fmt.Println(err)
	fmt.Println(errors.Is(err, errLost))
	fmt.Println(t.Error())
	// Output:
	// panic: device lost
	// true
	// <nil>
}

func ExamplePanicError() {
	t := thread.New()
	defer t.Terminate()
	t.Go(func() { panic(404) })
	t.Call(func() {})

	var p *thread.PanicError
	if errors.As(t.Error(), &p) {
		fmt.Println(p.Value, p.Unwrap(), len(p.Stack()) > 0)
	}
	// Output: 404 <nil> true
}

func ExamplePanicError_Error() {
	fmt.Println(&thread.PanicError{Value: "no context"})
	// Output: panic: no context
}

func ExamplePanicError_Unwrap() {
	err := error(&thread.PanicError{Value: context.Canceled})
	fmt.Println(errors.Is(err, context.Canceled))
	// Output: true
}

func ExamplePanicError_Stack() {
	t := thread.New()
	defer t.Terminate()
	t.Go(func() { panic("no context") })
	t.Call(func() {})

	var p *thread.PanicError
	if errors.As(t.Error(), &p) {
		var function string
		fmt.Sscanf(p.Stack(), "%s", &function) // the first line is the function that panicked
		fmt.Println(function)
	}
	// Output: github.com/threadcall/threadcall/thread_test.ExamplePanicError_Stack.func1(...)
}

func ExampleThread_On() {
	t := thread.New()
	defer t.Terminate()
	fmt.Println(t.On())
	t.Call(func() { fmt.Println(t.On()) })
	// Output:
	// false
	// true
}

func ExampleThread_ID() {
	a, b := thread.New(), thread.New()
	defer a.Terminate()
	defer b.Terminate()
	fmt.Println(a.ID() == b.ID())
	// Output: false
}

func ExampleThread_SetTLS() {
	t := thread.New()
	defer t.Terminate()
	t.Call(func() { t.SetTLS(map[string]int{"program": 7}) })
	t.Call(func() { fmt.Println(t.GetTLS().(map[string]int)["program"]) })
	// Output: 7
}

func ExampleThread_GetTLS() {
	t := thread.New()
	defer t.Terminate()
	fmt.Println(t.GetTLS())
	t.SetTLS("a context")
	fmt.Println(t.GetTLS())
	// Output:
	// <nil>
	// a context
}

func ExampleThread_Terminate() {
	t := thread.New()
	t.Call(func() { fmt.Println("runs") })
	t.Terminate()
	fmt.Println(t.Call(func() { fmt.Println("does not run") }))
	// Output:
	// runs
	// false
}

func ExampleEval() {
	t := thread.New()
	defer t.Terminate()
	version := thread.Eval(t, func() string { return "4.6" })
	fmt.Println(version)
	// Output: 4.6
}

// onItsOwn runs f on a goroutine of its own, in place of the main function of a program.
func onItsOwn(f func()) {
	ended := make(chan bool)
	go func() {
		defer close(ended)
		f()
	}()
	<-ended
}

// A program that has a thread with a loop of its own makes it a Thread.
func ExampleAdopt() {
	onItsOwn(func() {
		t := thread.Adopt()
		defer t.Terminate()

		go t.Call(func() { fmt.Println("run between two frames") })

		for ran := 0; ran == 0; {
			time.Sleep(time.Millisecond) // a frame
			ran = t.Serve()
		}
	})
	// Output: run between two frames
}

func ExampleThread_Serve() {
	onItsOwn(func() {
		t := thread.Adopt()
		defer t.Terminate()
		t.Go(func() { fmt.Println("one") })
		t.Go(func() { fmt.Println("two") })
		fmt.Println(t.Serve())
		fmt.Println(t.Serve())
	})
	// Output:
	// one
	// two
	// 2
	// 0
}

func ExampleThread_ServeContext() {
	onItsOwn(func() {
		t := thread.Adopt()
		defer t.Terminate()
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			t.Call(func() { fmt.Println("served") })
			cancel()
		}()
		fmt.Println(t.ServeContext(ctx))
	})
	// Output:
	// served
	// context canceled
}

func ExampleThread_OnWake() {
	onItsOwn(func() {
		events := make(chan string, 10)
		t := thread.Adopt()
		defer t.Terminate()
		t.OnWake(func() { events <- "work" })

		go t.Call(func() { events <- "quit" })

		for event := range events {
			fmt.Println(event)
			if event == "quit" {
				break
			}
			t.Serve()
		}
	})
	// Output:
	// work
	// quit
}

func ExampleNewPool() {
	p := thread.NewPool(2)
	defer p.Terminate()

	var both sync.WaitGroup
	both.Add(2)
	for range 2 {
		p.Go(func() { // both run at the same time
			both.Done()
			both.Wait()
		})
	}
	both.Wait()
	fmt.Println(p.Size(), "at once")
	// Output: 2 at once
}

func ExamplePool_Call() {
	p := thread.NewPool(2)
	defer p.Terminate()
	n := 0
	fmt.Println(p.Call(func() { n = 42 }), n)
	// Output: true 42
}

func ExamplePool_Go() {
	p := thread.NewPool(2)
	defer p.Terminate()
	result := make(chan int)
	p.Go(func() { result <- 42 })
	fmt.Println(<-result)
	// Output: 42
}

func ExamplePool_Error() {
	p := thread.NewPool(1)
	defer p.Terminate()
	p.Go(func() { panic("bad frame") })
	p.Call(func() {})
	fmt.Println(p.Error())
	// Output: panic: bad frame
}

func ExamplePool_Size() {
	p := thread.NewPool(3)
	defer p.Terminate()
	fmt.Println(p.Size())
	// Output: 3
}

func ExamplePool_Terminate() {
	p := thread.NewPool(2)
	p.Terminate()
	fmt.Println(p.Call(func() {}), p.Go(func() {}))
	// Output: false false
}

func ExampleEvalPool() {
	p := thread.NewPool(2)
	defer p.Terminate()
	n, ok := thread.EvalPool(p, func() int { return 42 })
	fmt.Println(n, ok)
	// Output: 42 true
}
