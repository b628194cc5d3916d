package app_test

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/mainthread"
)

// Calls arrive while the main thread waits for events, after pauses too.
func TestLoop_calls(t *testing.T) {
	begin(t)
	const goroutines, calls = 16, 100
	n := 0 // the main thread's
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			for i := range calls {
				if i%2 == 0 {
					mainthread.Call(func() { n++ })
				} else {
					mainthread.Go(func() { n++ })
				}
				time.Sleep(max(0, time.Duration(i-80)) * time.Millisecond)
			}
		})
	}
	all.Wait()
	mainthread.Call(func() {
		if n != goroutines*calls {
			t.Errorf("%d functions ran, want %d", n, goroutines*calls)
		}
	})
}

// A call may lead from the main thread to the window's thread and back, and OnDraw may call the main thread.
func TestLoop_cycle(t *testing.T) {
	w, _ := show(t)
	for range 50 {
		ran := 0
		mainthread.Call(func() {
			w.Thread().Call(func() {
				mainthread.Call(func() { ran++; w.SetTitle("nested") })
				ran++
			})
		})
		if ran != 2 {
			t.Fatalf("%d functions ran, want 2", ran)
		}
	}
	c := count(w, func(*app.Frame) { w.SetTitle("from OnDraw") })
	c.goesOn(t, 10, "frames that call the main thread")
}

// A Goexit on the main thread ends its caller, and the event loop goes on.
func TestLoop_Goexit(t *testing.T) {
	out, status := program(t, "goexit on the main thread")
	if status != 0 || out != "the loop goes on\n" {
		t.Errorf("status %d:\n%s", status, out)
	}
}

func goexitOnMainThread() {
	mainthread.Init(func() {
		if err := app.Init(); err != nil {
			panic(err)
		}
		for i := range 20 {
			done := make(chan struct{})
			go func() {
				defer close(done)
				mainthread.Call(func() {
					if i%2 == 0 {
						mainthread.Call(runtime.Goexit)
					}
					runtime.Goexit()
				})
				panic("a Goexit did not reach its caller")
			}()
			<-done
			mainthread.Go(runtime.Goexit)
			time.Sleep(time.Duration(i) * time.Millisecond)
			if _, err := app.Monitors(); err != nil {
				panic(err)
			}
		}
		app.Terminate()
		println("the loop goes on")
	})
}
