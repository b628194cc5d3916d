package app_test

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/internal/screen"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
)

// status returns a number of a thread, the main one if it has the process's number, from /proc.
func status(t *testing.T, field string) (n int) {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/status", os.Getpid()))
	if err != nil {
		t.Skip(err)
	}
	_, rest, _ := strings.Cut(string(b), "\n"+field+":")
	if _, err := fmt.Sscan(rest, &n); err != nil {
		t.Skipf("no %s in /proc: %v", field, err)
	}
	return n
}

// A loop that polls 30 times a second would wake 60 times here.
func TestWindow_usesNoCPUWhileIdle(t *testing.T) {
	_, c := show(t, app.OnDemand)
	frames := c.steady(t)
	mainthread.Call(func() {})
	time.Sleep(100 * time.Millisecond)
	before := status(t, "voluntary_ctxt_switches")
	time.Sleep(2 * time.Second)
	if n := status(t, "voluntary_ctxt_switches") - before; n > 6 {
		t.Errorf("in 2 s in which nothing happened the main thread woke %d times", n)
	}
	if n := c() - frames; n > 0 {
		t.Errorf("%d frames were drawn", n)
	}
}

// Frames allocate nothing. The runtime allocates at times, so the least of some measurements
// counts; the first makes what stays.
func TestFrames_doNotAllocate(t *testing.T) {
	if testutil.Race {
		t.Skip("the race detector allocates")
	}
	for name, opt := range map[string]app.Option{"default": nil,
		"EventsOnDraw": app.EventsOnDraw()} {
		t.Run(name, func(t *testing.T) {
			_, c := show(t, app.Unlimited, opt)
			mallocs := func() uint64 {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				return m.Mallocs
			}
			const frames = 300
			least := uint64(1 << 60)
			for range 6 {
				before := mallocs()
				c.goesOn(t, frames, "frames")
				least = min(least, mallocs()-before)
			}
			if least > frames/10 {
				t.Errorf("%d frames allocated %d times", frames, least)
			}
		})
	}
}

func TestWindow_leaksNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	begin(t)
	open := func(windows int) {
		for range windows {
			w, err := app.NewWindow(openGL, app.Size(64, 64))
			screen.Must(t, err)
			w.OnDraw(func(f *app.Frame) {
				quarters(f)
				if f.Number == 2 {
					w.Stop()
				}
			})
			w.Run()
		}
	}
	type use struct{ threads, goroutines, files, resident, heap int } // KiB
	used := func() use {
		runtime.GC()         // starts cleanups, and ages what a sync.Pool keeps
		debug.FreeOSMemory() // frees both
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		files, err := os.ReadDir("/proc/self/fd")
		screen.Must(t, err)
		return use{status(t, "Threads"), runtime.NumGoroutine(), len(files), status(t, "VmRSS"),
			int(m.HeapAlloc >> 10)}
	}
	const windows = 100
	open(20) // the first ones make what stays
	before := used()
	open(windows)
	var after use
	testutil.Eventually(t, func() bool { // threads and cleanups take a moment to end
		after = used()
		return after.threads <= before.threads+4 &&
			after.goroutines <= before.goroutines+4 && // threads that are kept for later windows
			after.files <= before.files+2 && // the pipe of package sched, which stays
			after.heap <= before.heap+windows
	}, "what %d windows used to be released: before %+v, after %+v", windows, before, &after)
	if after.resident > before.resident+100*windows && !testutil.Race {
		t.Errorf("%d windows: before %+v, after %+v", windows, before, after)
	}
}
