package thread_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
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

// A call that hangs is reported while it hangs: what the thread does, and which goroutine has called it.
func ExampleWithSlowCall() {
	reported := make(chan bool)
	t := thread.New(thread.WithName("db"), thread.WithSlowCall(50*time.Millisecond, func(s thread.SlowCall) {
		fmt.Println(s.Name, strings.Contains(s.Stack(), "ExampleWithSlowCall"), strings.Contains(s.Queued(), "ExampleWithSlowCall"))
		reported <- true
	}))
	defer t.Terminate()
	t.Call(func() { <-reported })
	// Output: db true true
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

// Threads may call each other in a cycle.
// For code that replaces a channel, whose answers were not looked at: a debugger's thread that has ended is a fault of the program,
// and must not look like registers that are zero.
func ExampleThread_MustCall() {
	t := thread.New(thread.WithName("ptrace"))
	registers := func() (pc int) {
		t.MustCall(func() { pc = 42 })
		return pc
	}
	fmt.Println(registers(), thread.MustEval(t, func() int { return 42 }))

	t.Terminate()
	defer func() {
		err := recover().(error)
		fmt.Println(errors.Is(err, thread.ErrTerminated))
	}()
	registers()
	// Output:
	// 42 42
	// true
}

func ExampleThread_Call_cycle() {
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

func ExampleThread_TakePanic() {
	t := thread.New()
	defer t.Terminate()

	errLost := errors.New("device lost")
	t.Go(func() { panic(errLost) })
	t.Call(func() {})

	for p := t.TakePanic(); p != nil; p = t.TakePanic() {
		fmt.Println(p, errors.Is(p, errLost), len(p.Stack()) > 0)
	}
	// Output: panic: device lost true true
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

type window struct{ title string }

func (w *window) setTitle(title string) { w.title = title }

func (w *window) resize(width int) error { return nil }

// Methods of a library that must be called on one thread, for any goroutine.
func ExampleBind2() {
	t := thread.New(thread.WithName("ui"))
	setTitle := thread.Bind2(t, (*window).setTitle)
	resize := thread.Bind2V(t, (*window).resize)

	w := new(window)
	setTitle(w, "untitled")
	fmt.Println(w.title)
	fmt.Println(resize(w, 800))

	t.Terminate()
	fmt.Println(resize(w, 800) == thread.ErrTerminated)
	// Output:
	// untitled
	// <nil>
	// true
}

// However often it is asked for, there is one redraw for each frame, with what is to be seen by then.
func ExampleCoalesce1() {
	t := thread.New(thread.WithName("ui"))
	defer t.Terminate()
	draw := thread.Coalesce1(t, func(percent int) { fmt.Println("draw", percent) })

	t.Call(func() { // the thread is busy
		for percent := range 101 {
			draw(percent)
		}
	})
	t.Call(func() {})
	// Output: draw 100
}

func ExampleThread_Coalesce() {
	t := thread.New(thread.WithName("ui"))
	defer t.Terminate()
	redraw := t.Coalesce(func() { fmt.Println("redraw") })

	t.Call(func() {
		fmt.Println(redraw(), redraw())
	})
	t.Close()
	fmt.Println(redraw())
	// Output:
	// true true
	// redraw
	// false
}

func ExampleThread_Assert() {
	t := thread.New(thread.WithName("gl"))
	defer t.Terminate()
	draw := func() {
		t.Assert()
		fmt.Println("drawn")
	}
	t.Call(draw)

	defer func() {
		text, _, _ := strings.Cut(fmt.Sprint(recover()), ";")
		fmt.Println(strings.HasSuffix(text, `must run on thread "gl"`))
	}()
	draw()
	// Output:
	// drawn
	// true
}

// Each thread has its own.
func ExampleLocal() {
	type program struct{ id int }
	var current thread.Local[program] // of a package, as a rule

	a, b := thread.New(), thread.New()
	defer a.Terminate()
	defer b.Terminate()
	a.Call(func() { current.Set(a, program{7}) })
	fmt.Println(current.Get(a).id, current.Get(b).id)
	// Output: 7 0
}

// Close is for programs that come to their end in order.
func ExampleThread_Close() {
	t := thread.New()
	t.Go(func() { fmt.Println("save") })
	t.Go(func() { fmt.Println("disconnect") })
	t.Close()
	fmt.Println(t.Go(func() {}))
	// Output:
	// save
	// disconnect
	// false
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

func ExampleEvalContext() {
	t := thread.New()
	ctx, cancel := context.WithCancelCause(context.Background())
	fmt.Println(thread.EvalContext(ctx, t, func() string { return "4.6" }))
	cancel(errors.New("the window was closed"))
	fmt.Println(thread.EvalContext(ctx, t, func() string { return "4.6" }))
	t.Terminate()
	_, err := thread.EvalContext(context.Background(), t, func() string { return "4.6" })
	fmt.Println(err == thread.ErrTerminated)
	// Output:
	// 4.6 <nil>
	//  the window was closed
	// true
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

// A framework returns the handle of its loop's thread before the loop runs.
func ExampleAdoptLater() {
	t, adopt := thread.AdoptLater(thread.WithName("loop"))
	go func() { // the framework's loop, some time later
		if err := adopt(); err != nil {
			fmt.Println(err)
			return
		}
		_ = t.ServeContext(context.Background())
	}()
	t.Go(func() { fmt.Println("waits for adopt, and runs on the loop's thread:", t.On()) })
	t.Close()
	fmt.Println(adopt())
	// Output:
	// waits for adopt, and runs on the loop's thread: true
	// thread: terminated, so it is not adopted; make another Thread by AdoptLater
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

// An event loop that waits for the events of windows, and for functions.
func ExampleThread_Wait() {
	onItsOwn(func() {
		events := make(chan string, 10)
		wakeUp := make(chan bool, 1)
		postEmptyEvent := func() {
			select {
			case wakeUp <- true:
			default: // one is enough
			}
		}
		open := true
		waitEvents := func() {
			select {
			case event := <-events:
				fmt.Println("event:", event)
				open = event != "close"
			case <-wakeUp:
			}
		}

		t := thread.Adopt()
		defer t.Terminate()
		t.OnWake(postEmptyEvent)

		go func() {
			t.Call(func() { fmt.Println("called while the event loop waits") })
			events <- "key"
			events <- "close"
		}()
		for open && t.Wait(waitEvents) {
		}
	})
	// Output:
	// called while the event loop waits
	// event: key
	// event: close
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

func ExamplePool_Close() {
	p := thread.NewPool(2)
	var files atomic.Int32
	for range 100 {
		p.Go(func() { files.Add(1) })
	}
	p.Close()
	fmt.Println(files.Load())
	// Output: 100
}

func ExamplePool_Go() {
	p := thread.NewPool(2)
	defer p.Terminate()
	result := make(chan int)
	p.Go(func() { result <- 42 })
	fmt.Println(<-result)
	// Output: 42
}

// A thread in a state of its own: it is prepared before the first call, and what was prepared is undone after the last.
func ExampleStart() {
	t, err := thread.Start(
		thread.WithStart(func() error { fmt.Println("make the context current"); return nil }),
		thread.WithStop(func() { fmt.Println("release the context") }),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	t.Call(func() { fmt.Println("draw") })
	t.Close()

	_, err = thread.Start(thread.WithStart(func() error { return errors.New("no such device") }))
	fmt.Println(err)
	// Output:
	// make the context current
	// draw
	// release the context
	// no such device
}

// A GPU for each thread of a pool. If one cannot be opened, there is no pool, and those that have been opened are closed.
func ExampleStartPool() {
	errNoGPU := errors.New("no such GPU")
	var number, open atomic.Int32
	_, err := thread.StartPool(4,
		thread.WithStart(func() error {
			if gpu := number.Add(1) - 1; gpu == 3 {
				return errNoGPU
			}
			open.Add(1)
			return nil
		}),
		thread.WithStop(func() { open.Add(-1) }),
	)
	fmt.Println(errors.Is(err, errNoGPU))
	fmt.Println(open.Load(), "are open")
	// Output:
	// true
	// 0 are open
}

// A producer that must never wait drops what the thread is too slow for.
func ExampleThread_TryGo() {
	t := thread.New(thread.WithQueueLimit(2))
	defer t.Terminate()
	dropped := 0
	t.Call(func() { // while this runs, nothing else does
		for range 5 {
			if !t.TryGo(func() {}) {
				dropped++
			}
		}
	})
	fmt.Println(dropped, "dropped")
	// Output: 3 dropped
}

// What a request has posted is withdrawn when the request ends.
func ExampleThread_GoContext() {
	t := thread.New()
	defer t.Terminate()
	ctx, cancel := context.WithCancel(context.Background())
	t.Call(func() {
		t.GoContext(ctx, func() { fmt.Println("never printed") })
		cancel()
	})
	t.Call(func() { fmt.Println("withdrawn") })
	fmt.Println(t.GoContext(ctx, func() {}))
	// Output:
	// withdrawn
	// false
}

// An event loop that draws sixty times a second gives posted functions what is left of each frame.
func ExampleThread_ServeFor() {
	t := thread.Adopt()
	defer t.Terminate()
	for range 3 {
		t.Go(func() { time.Sleep(2 * time.Millisecond) })
	}
	fmt.Println("this frame:", t.ServeFor(time.Millisecond))
	fmt.Println("the next:", t.ServeFor(time.Second))
	// Output:
	// this frame: 1
	// the next: 2
}
