package thread_test

import (
	"context"
	"encoding/json"
	"errors"
	"expvar"
	"fmt"
	"runtime"
	"runtime/metrics"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/threadcall/threadcall/thread"
)

func Example() {
	t := thread.New(thread.WithName("gl"))
	defer t.Close()

	t.Go(func() { fmt.Println("clear") })
	t.Call(func() { fmt.Println("draw") })
	pixels := thread.MustEval(t, func() int { return 800 * 600 })
	fmt.Println("read", pixels)
	// Output:
	// clear
	// draw
	// read 480000
}

// A call that hangs is reported while it hangs: what the thread does, and which goroutine has
// called it.
func ExampleWithSlowCall() {
	reported := make(chan bool)
	t := thread.New(thread.WithName("db"), thread.WithSlowCall(50*time.Millisecond,
		func(s thread.SlowCall) {
			if s.Running == 0 {
				return // it waits, because the machine is busy
			}
			fmt.Println(s.Name, strings.Contains(s.Stack, "ExampleWithSlowCall"),
				strings.Contains(s.Caller, "ExampleWithSlowCall"))
			reported <- true
		}))
	defer t.Close()
	t.Call(func() { <-reported })
	// Output: db true true
}

// Panics that are to be logged in another way, or to end the program.
func ExampleWithPanicHandler() {
	t := thread.New(thread.WithPanicHandler(func(p *thread.PanicError) {
		fmt.Println(p.Value, strings.Contains(p.Stack(), "ExampleWithPanicHandler"))
	}))
	defer t.Close()
	t.Go(func() { panic("device lost") })
	t.Call(func() { fmt.Println("the thread lives on") })
	// Output:
	// device lost true
	// the thread lives on
}

// A native event loop hangs: the call that waits for it is reported, and where the loop is.
func ExampleWithSlowCall_stall() {
	reported := make(chan bool)
	loop := thread.NewLoop(thread.WithName("ui"), thread.WithSlowCall(50*time.Millisecond,
		func(s thread.SlowCall) {
			if s.Waiting == 0 {
				return // it runs, on a machine that is busy
			}
			fmt.Println(s.Name, s.Waiting >= 50*time.Millisecond, strings.Contains(s.Stack, "_stall"))
			close(reported)
		}))
	adopted := make(chan error)
	hang := func() { <-reported } // in C
	go func() {
		adopted <- loop.Adopt()
		hang()
		loop.Close() // runs what is queued
	}()
	if err := <-adopted; err != nil {
		fmt.Println(err)
	}
	t := loop.Thread()
	fmt.Println(t.Stats().Queued, "queued")
	fmt.Println(t.Call(func() {}))
	// Output:
	// 0 queued
	// ui true true
	// true
}

// The profile of all goroutines, like one of the CPU, says which thread a function runs on.
func ExampleWithName() {
	t := thread.New(thread.WithName("gl"))
	defer t.Close()

	var profile strings.Builder
	t.Call(func() { _ = pprof.Lookup("goroutine").WriteTo(&profile, 1) })
	fmt.Println(strings.Contains(profile.String(), `labels: {"thread":"gl"}`))
	// Output: true
}

// A texture is deleted on its thread when the program has dropped it.
func ExampleAddCleanup() {
	t := thread.New(thread.WithName("gl"))
	defer t.Close()

	type texture struct{ id *uint32 }
	deleted := make(chan uint32)
	deleteTexture := func(id uint32) { deleted <- id } // gl.DeleteTexture
	tex := &texture{id: new(uint32)}
	*tex.id = 7
	thread.AddCleanup(t, tex, deleteTexture, *tex.id)

	tex = nil // the program needs it no longer
	runtime.GC()
	fmt.Println("deleted", <-deleted)
	// Output: deleted 7
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

// At the end of a server: what is queued may run for a while, and is then dropped.
func ExampleThread_Shutdown() {
	t := thread.New()
	begun, release := make(chan bool), make(chan bool)
	t.Go(func() { close(begun); <-release }) // hangs
	t.Go(func() { fmt.Println("saved") })
	<-begun

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if err := t.Shutdown(ctx); err != nil {
		fmt.Println(err)
		t.Terminate()
	}
	close(release)
	<-t.Done()
	// Output: context deadline exceeded
}

// Posts with arguments, as Go of a function literal makes, without the allocation of that.
func ExampleBindGo2() {
	t := thread.New(thread.WithName("ui"))
	setTitle := thread.BindGo2(t, (*window).setTitle)

	w := new(window)
	setTitle(w, "untitled") // does not wait
	t.Close()
	fmt.Println(w.title)
	fmt.Println(setTitle(w, "late"))
	// Output:
	// untitled
	// false
}

// However often it is asked for, there is one redraw for each frame, with what is to be seen by
// then.
func ExampleCoalesce1() {
	t := thread.New(thread.WithName("ui"))
	defer t.Close()
	draw := thread.Coalesce1(t, func(percent int) { fmt.Println("draw", percent) })

	t.Call(func() { // the thread is busy
		for percent := range 101 {
			draw(percent)
		}
	})
	t.Call(func() {})
	// Output: draw 100
}

// Each thread has its own.
func ExampleLocal() {
	type program struct{ id int }
	var current thread.Local[program] // of a package, as a rule

	a, b := thread.New(), thread.New()
	defer a.Close()
	defer b.Close()
	a.Call(func() { current.Set(a, program{7}) })
	fmt.Println(current.Get(a).id, current.Get(b).id)
	// Output: 7 0
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

// A framework returns the handle of its loop's thread before the loop runs.
func ExampleNewLoop() {
	loop := thread.NewLoop(thread.WithName("loop"))
	go func() { // the framework's loop, some time later
		if err := loop.Adopt(); err != nil {
			fmt.Println(err)
			return
		}
		_ = loop.ServeContext(context.Background())
	}()
	t := loop.Thread()
	t.Go(func() { fmt.Println("waits for Adopt, and runs on the loop's thread:", t.On()) })
	t.Close()
	fmt.Println(loop.Adopt())
	// Output:
	// waits for Adopt, and runs on the loop's thread: true
	// thread: terminated, so it is not adopted; make another Loop
}

// An event loop that waits for the events of windows, and for functions.
func ExampleLoop_Wait() {
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

		loop := thread.Adopt()
		defer loop.Close()
		loop.OnWake(postEmptyEvent)

		go func() {
			loop.Thread().Call(func() { fmt.Println("called while the event loop waits") })
			events <- "key"
			events <- "close"
		}()
		for open && loop.Wait(waitEvents) {
		}
	})
	// Output:
	// called while the event loop waits
	// event: key
	// event: close
}

// A thread in a state of its own: it is prepared before the first call, and what was prepared is
// undone after the last.
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

// A producer that must never wait drops what the thread is too slow for.
func ExampleThread_TryGo() {
	t := thread.New(thread.WithQueueLimit(2))
	defer t.Close()
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

// An event loop that draws sixty times a second gives posted functions what is left of each frame.
func ExampleLoop_Serve() {
	loop := thread.Adopt()
	defer loop.Close()
	for range 3 {
		loop.Thread().Go(func() { time.Sleep(2 * time.Millisecond) })
	}
	fmt.Println("this frame:", loop.Serve(time.Millisecond))
	fmt.Println("the next:", loop.Serve(time.Second))
	// Output:
	// this frame: 1
	// the next: 2
}

func ExampleThread_Stats() {
	t := thread.New(thread.WithTimes())
	defer t.Close()
	before := t.Stats()
	for range 100 {
		t.Call(func() {})
	}
	t.Go(func() {})
	t.Call(func() {})
	s := t.Stats()
	fmt.Println(s.Calls, "calls,", s.Posts, "post,", s.Queued, "queued")
	waits := s.Waits.Sub(before.Waits) // of the interval
	fmt.Println(waits.Count, "waits, half of them short:", waits.Quantile(0.5) < time.Second)
	// Output:
	// 101 calls, 1 post, 0 queued
	// 102 waits, half of them short: true
}

// Package expvar publishes what a function returns: expvar.Publish("gl", gl) shows it on
// /debug/vars.
func ExampleThread_Stats_expvar() {
	t := thread.New()
	defer t.Close()
	gl := expvar.Func(func() any {
		s := t.Stats()
		return map[string]any{"queued": s.Queued, "calls": s.Calls, "panicked": s.Panicked,
			"running": s.Running.Seconds(), "busy": s.Busy.Seconds()}
	})

	var got struct{ Calls, Panicked uint64 }
	t.Call(func() {})
	fmt.Println(json.Unmarshal([]byte(gl.String()), &got), got)
	// Output: <nil> {1 0}
}

// What can take a histogram of package runtime/metrics can take one of a thread, in seconds.
func ExampleHistogram_runtimeMetrics() {
	t := thread.New(thread.WithTimes())
	defer t.Close()
	t.Call(func() {})

	waits := t.Stats().Waits
	h := metrics.Float64Histogram{Counts: waits.Buckets[:]}
	for i := range len(h.Counts) + 1 {
		h.Buckets = append(h.Buckets, thread.HistogramBound(i).Seconds())
	}

	n := uint64(0)
	for i, count := range h.Counts {
		if n += count; count > 0 && h.Buckets[i] >= h.Buckets[i+1] {
			fmt.Println("an empty bucket counts")
		}
	}
	fmt.Println(n, len(h.Counts), len(h.Buckets))
	// Output: 1 92 93
}

// OpenTelemetry asks for values by callbacks, as here, in which meter is a metric.Meter and o a
// metric.Observer:
//
//	queued, _ := meter.Int64ObservableGauge("thread.queued")
//	calls, _ := meter.Int64ObservableCounter("thread.calls")
//	meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
//		s := t.Stats()
//		o.ObserveInt64(queued, int64(s.Queued))
//		o.ObserveInt64(calls, int64(s.Calls))
//		return nil
//	}, queued, calls)
//
// A Producer of its package sdk/metric returns histograms that something else counts. The point of
// one is, with a time like that of the first Stats as start:
//
//	point := metricdata.HistogramDataPoint[float64]{StartTime: start, Time: time.Now(),
//		Count: h.Count, Sum: h.Sum.Seconds(),
//		Bounds: bounds(h), BucketCounts: h.Buckets[:]}
//
// whose bounds lie between the buckets, as this example makes them.
func ExampleHistogram_openTelemetry() {
	bounds := func(h thread.Histogram) (bounds []float64) {
		for i := range len(h.Buckets) - 1 {
			bounds = append(bounds, thread.HistogramBound(i+1).Seconds())
		}
		return bounds
	}
	var h thread.Histogram
	fmt.Println(len(bounds(h)), len(h.Buckets), bounds(h)[0])
	// Output: 91 92 1e-07
}

// The function refers to its Timer, which is therefore made on the thread.
func ExampleThread_Every() {
	t := thread.New()
	defer t.Close()

	done := make(chan bool)
	t.Call(func() {
		var timer *thread.Timer
		n := 0
		timer = t.Every(time.Millisecond, func() {
			if n++; n == 3 {
				timer.Stop()
				close(done)
			}
		})
	})
	<-done
	fmt.Println("three ticks")
	// Output: three ticks
}
