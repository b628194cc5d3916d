package app_test

import (
	"slices"
	"testing"
	"time"

	"github.com/go-gl/glfw/v3.3/glfw"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/mainthread"
)

// BenchmarkCallIntoEventLoop compares calls into the event loop of this package with calls into that of the article from
// which it starts, and what both cost while nothing happens:
//
//	go test -run '^$' -bench CallIntoEventLoop ./app
//
// Latencies are those of single calls: the median and the 99th percentile.
func BenchmarkCallIntoEventLoop(b *testing.B) {
	for _, loop := range []struct {
		name  string
		start func(b *testing.B) (call func(func()), stop func())
	}{
		{"threadcall", threadcallLoop},
		{"the_article's_loop", articleLoop},
	} {
		b.Run(loop.name, func(b *testing.B) {
			call, stop := loop.start(b)
			defer stop()
			b.Run("closed loop", func(b *testing.B) { latency(b, call, 0) })
			b.Run("after 2 ms of silence", func(b *testing.B) { latency(b, call, 2*time.Millisecond) })
			b.Run("after 50 ms of silence", func(b *testing.B) { latency(b, call, 50*time.Millisecond) })
			b.Run("idle", idle)
		})
	}
}

// threadcallLoop is this package's: the main thread sleeps in glfwWaitEvents, and calls wake it.
func threadcallLoop(b *testing.B) (call func(func()), stop func()) {
	if err := app.Init(); err != nil {
		b.Fatal(err)
	}
	return func(f func()) { mainthread.Call(f) }, app.Terminate
}

// articleLoop is the article's: the main thread looks for events 30 times a second, and for calls in between.
func articleLoop(b *testing.B) (call func(func()), stop func()) {
	type job struct {
		f    func()
		done chan struct{}
	}
	jobs := make(chan job, 64)
	over := false // the main thread's
	started := make(chan error)
	ended := make(chan struct{})
	go mainthread.Call(func() {
		defer close(ended)
		err := glfw.Init()
		started <- err
		if err != nil {
			return
		}
		defer glfw.Terminate()
		for !over {
			glfw.WaitEventsTimeout(1.0 / 30)
			for served := false; !served; {
				select {
				case j := <-jobs:
					j.f()
					j.done <- struct{}{}
				default:
					served = true
				}
			}
		}
	})
	if err := <-started; err != nil {
		b.Fatal(err)
	}
	done := make(chan struct{}, 1)
	call = func(f func()) { jobs <- job{f, done}; <-done }
	return call, func() { call(func() { over = true }); <-ended }
}

func latency(b *testing.B, call func(func()), silence time.Duration) {
	var took []time.Duration
	f := func() {}
	call(f)
	for b.Loop() {
		time.Sleep(silence)
		start := time.Now()
		call(f)
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(took[len(took)/2])/1e3, "µs/call")
	b.ReportMetric(float64(took[len(took)*99/100])/1e3, "µs-p99")
}

// idle measures what the whole process uses of the processors while nothing happens.
func idle(b *testing.B) {
	used, took := time.Duration(0), time.Duration(0)
	for b.Loop() {
		start, before := time.Now(), processorTime()
		time.Sleep(time.Second)
		used += processorTime() - before
		took += time.Since(start)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(used.Microseconds())/took.Seconds(), "CPU-µs/s")
}

// BenchmarkFrame is what the package adds to a frame: an empty one, shown as fast as the system can.
func BenchmarkFrame(b *testing.B) {
	w := open(b, app.NoVSync(), app.Hidden(), app.Size(1, 1))
	n := 0
	done := make(chan struct{})
	w.OnDraw(func(*app.Frame) {
		if n++; n == b.N {
			w.Stop()
			close(done)
		}
	})
	b.ReportAllocs()
	go w.Run()
	<-done
}
