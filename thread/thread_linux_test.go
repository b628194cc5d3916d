package thread_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/threadcall/threadcall/thread"
)

// lives reports whether the process has that thread.
func lives(tid uint64) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", tid))
	return err == nil
}

func nameOf(tid uint64) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/comm", tid))
	return strings.TrimSpace(string(b))
}

// Go cannot end the main thread, which would keep what functions do to it.
func TestNew_isNotOnTheMainThread(t *testing.T) {
	for range 100 {
		th := thread.New()
		if thread.MustEval(th, here) == uint64(os.Getpid()) {
			t.Fatal("a thread of New is the main thread")
		}
		th.Terminate()
		time.Sleep(time.Millisecond) // in which the main thread may become free
	}
}

func TestTerminate_endsTheOperatingSystemsThread(t *testing.T) {
	for i := range 20 {
		th := thread.New()
		tid := thread.MustEval(th, here)
		if !lives(tid) {
			t.Fatal("the thread is not to be seen")
		}
		for range i {
			exits(t, func() { th.Call(runtime.Goexit) })
		}
		th.Terminate()
		eventually(t, func() bool { return !lives(tid) }, "thread %d ends", tid)
	}
}

func TestWithName_namesTheOperatingSystemsThread(t *testing.T) {
	for name, want := range map[string]string{
		"gl":                          "gl",
		"fifteen bytes 1":             "fifteen bytes 1",
		"a name that is far too long": "a name that is",
		"":                            "", // that of the thread that made it, whatever a test named that
	} {
		got := nameOf(thread.MustEval(start(t, thread.WithName(name)), here))
		if got == "" || want != "" && got != want {
			t.Errorf("the thread %q is shown as %q", name, got)
		}
	}
	for name, want := range map[string][]string{
		"worker":                      {"worker-0", "worker-1", "worker-2"},
		"a name that is far too long": {"a name that i-0", "a name that i-1", "a name that i-2"},
	} {
		var mu sync.Mutex
		var got []string
		p, _ := thread.StartPool(3, thread.WithName(name), thread.WithStart(func() error {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, nameOf(here()))
			return nil
		}))
		p.Close()
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("the threads are shown as %q, want %q", got, want)
		}
	}
}

func TestThread_usesNoCPUWhileIdle(t *testing.T) {
	if collecting {
		t.Skip("the collector computes all the time")
	}
	th, p, h := start(t), startPool(t, 4), adopt(t)
	go h.do(func() { h.loop.ServeContext(t.Context()) })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go h.Call(func() { h.loop.ServeContext(ctx) }) // waits inside a call
	busy := start(t)
	occupy(t, busy.Go)
	for range 3 {
		go busy.Call(nop) // callers that wait use none either
	}
	for range 1000 {
		th.Call(nop)
		p.Call(nop)
		h.Call(nop)
	}
	// What other tests have left behind may still be ending, and the collector may run: the best of a
	// few counts.
	window := shortly(1500 * time.Millisecond)
	allowed := window / 20
	var used time.Duration
	for range 5 {
		before := cpuTime(t)
		time.Sleep(window)
		if used = cpuTime(t) - before; used <= allowed {
			return
		}
	}
	t.Errorf("%v of CPU in %v", used, window)
}

func cpuTime(t *testing.T) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// Many Timers take no more descriptors and goroutines than one.
func TestEvery_takesOneDescriptorForAll(t *testing.T) {
	open := func() int {
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(files)
	}
	threads := []*thread.Thread{start(t), start(t), start(t)}
	ticks := make([]atomic.Int32, 1000)
	first := threads[0].Every(time.Millisecond, func() {})
	defer first.Stop()
	for _, th := range threads {
		th.Call(nop)
	}
	files, goroutines := open(), runtime.NumGoroutine()
	for i := range ticks {
		every := time.Duration(1+i%50) * time.Millisecond
		timer := threads[i%len(threads)].Every(every, func() { ticks[i].Add(1) })
		defer timer.Stop()
	}
	for i := range ticks {
		eventually(t, func() bool { return ticks[i].Load() > 1 }, "timer %d ticks", i)
	}
	if f, g := open()-files, runtime.NumGoroutine()-goroutines; f > 5 || g > 5 {
		t.Errorf("%d Timers take %d descriptors and %d goroutines more than one", len(ticks), f, g)
	}
}
