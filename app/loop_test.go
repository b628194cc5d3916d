package app_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/mainthread"
)

func TestCallsIntoTheEventLoop(t *testing.T) {
	begin(t)
	const goroutines, calls = 16, 200
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
			}
		})
	}
	ends(t, all.Wait)
	mainthread.Call(func() {
		if n != goroutines*calls {
			t.Errorf("%d functions ran, want %d", n, goroutines*calls)
		}
	})
}

// A call after silence finds the main thread asleep in the window system.
func TestLoneCallsWakeTheEventLoop(t *testing.T) {
	begin(t)
	ends(t, func() {
		for i := range 50 {
			time.Sleep(time.Duration(i%10) * time.Millisecond)
			if !mainthread.Call(func() {}) {
				t.Error("a call was refused")
			}
		}
	})
}

func TestACallInsideACall(t *testing.T) {
	w, _ := show(t)
	ends(t, func() {
		ran := false
		mainthread.Call(func() {
			mainthread.Call(func() {
				w.SetTitle("nested") // which is a call as well
				if width, _ := w.Size(); width != 200 {
					t.Errorf("the width is %d", width)
				}
				ran = true
			})
		})
		if !ran {
			t.Error("the inner call did not run")
		}
	})
}

// From the main thread to the window's thread and back again.
func TestACircleOfCalls(t *testing.T) {
	w, c := show(t)
	ends(t, func() {
		for range 50 {
			ran := 0
			mainthread.Call(func() {
				w.Thread().Call(func() {
					mainthread.Call(func() { ran++ })
					ran++
				})
			})
			if ran != 2 {
				t.Fatalf("%d functions ran, want 2", ran)
			}
		}
	})
	c.goesOn(t, 3, "frames after circles of calls")
}

func TestOnDrawMayCallTheMainThread(t *testing.T) {
	w := open(t)
	c := count(w, func(*app.Frame) { w.SetTitle("from OnDraw") })
	run(t, w)
	c.goesOn(t, 10, "frames that call the main thread")
}

// A Goexit on the main thread ends its caller, and the event loop goes on.
func TestGoexitOnTheMainThread(t *testing.T) {
	out, status := program(t, "goexit on the main thread")
	if status != 0 || out != "the loop goes on\n" {
		t.Errorf("status %d:\n%s", status, out)
	}
}

func goexitOnTheMainThread() {
	mainthread.Init(func() {
		if err := app.Init(); err != nil {
			panic(err)
		}
		w, err := app.NewWindow()
		if err != nil {
			panic(err)
		}
		var frames atomic.Int64
		w.OnDraw(func(*app.Frame) { frames.Add(1) })
		go w.Run()
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
			w.SetTitle("still here")
		}
		for n := frames.Load(); frames.Load() < n+5; {
			time.Sleep(time.Millisecond)
		}
		app.Terminate()
		if err := app.Init(); err != nil {
			panic(err)
		}
		app.Terminate()
		println("the loop goes on")
	})
}

func TestAPanicOnTheMainThread(t *testing.T) {
	_, c := show(t)
	ends(t, func() {
		for range 5 {
			if v := recovered(func() { mainthread.Call(func() { panic(errTest) }) }); v != errTest {
				t.Errorf("the call panicked with %v", v)
			}
			mainthread.Go(func() { panic(errTest) })
		}
	})
	c.goesOn(t, 3, "frames after panics on the main thread")
	mainthread.Call(func() {})
	for range 5 {
		if p := mainthread.TakePanic(); p == nil {
			t.Error("a panic was forgotten")
		}
	}
}

// While one function holds the main thread, the windows are drawn.
func TestAFunctionThatHoldsTheMainThreadStopsNoDrawing(t *testing.T) {
	_, c := show(t)
	gate := make(chan struct{})
	entered := make(chan struct{})
	go mainthread.Call(func() { close(entered); <-gate })
	arrives(t, entered)
	defer close(gate)
	c.goesOn(t, 20, "frames while the main thread is held")
}
