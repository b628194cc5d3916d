package thread_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/thread"
)

// lives tells whether the process has that thread.
func lives(tid uint64) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", tid))
	return err == nil
}

// mayEnd tells whether the thread could end before the process: the main thread cannot, and if a goroutine ends that
// was locked to it, it waits for ever.
func mayEnd(tid uint64) bool { return tid != uint64(os.Getpid()) }

func threads() int {
	tasks, _ := os.ReadDir("/proc/self/task")
	return len(tasks)
}

func nameOf(tid uint64) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/comm", tid))
	return strings.TrimSpace(string(b))
}

func TestTerminateFreesTheSystemsThread(t *testing.T) {
	for range 20 {
		th := thread.New()
		tid := thread.Eval(th, here)
		if !lives(tid) {
			t.Fatal("the thread is not to be seen")
		}
		th.Terminate()
		eventually(t, func() bool { return !lives(tid) || !mayEnd(tid) }, "thread %d ends", tid)
	}
}

func TestTerminateFreesTheSystemsThreadAfterAGoexit(t *testing.T) {
	th := thread.New()
	tid := thread.Eval(th, here)
	for range 100 {
		exits(t, func() { th.Call(runtime.Goexit) })
	}
	th.Terminate()
	eventually(t, func() bool { return !lives(tid) || !mayEnd(tid) }, "thread %d ends", tid)
}

func TestTerminateFreesAPoolsThreads(t *testing.T) {
	p := thread.NewPool(5)
	tids := tidsOf(t, p)
	p.Terminate()
	for tid := range tids {
		eventually(t, func() bool { return !lives(tid) || !mayEnd(tid) }, "thread %d ends", tid)
	}
}

// tidsOf returns the numbers of a pool's threads.
func tidsOf(t *testing.T, p *thread.Pool) map[uint64]bool {
	t.Helper()
	var mu sync.Mutex
	tids := map[uint64]bool{}
	ends(t, func() {
		var all, inside group.Group
		inside.Add(p.Size())
		for range p.Size() {
			all.Go(func() {
				p.Call(func() {
					mu.Lock()
					tids[here()] = true
					mu.Unlock()
					inside.Done()
					inside.Wait()
				})
			})
		}
		all.Wait()
	})
	if len(tids) != p.Size() {
		t.Fatalf("a pool of %d has %d threads", p.Size(), len(tids))
	}
	return tids
}

func TestADroppedThreadIsReclaimedAfterItHasRunWhatWasQueued(t *testing.T) {
	const dropped = 20
	goroutines := runtime.NumGoroutine()
	var ran atomic.Int32
	var gates [dropped]chan bool
	var tids [dropped]uint64
	func() { // the threads are known in here only
		for i := range dropped {
			gates[i] = make(chan bool)
			th := thread.New()
			tids[i] = thread.Eval(th, here)
			th.Go(func() { <-gates[i] })
			for range 100 {
				th.Go(func() { ran.Add(1) })
			}
		}
	}()
	for range 5 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if n := ran.Load(); n != 0 {
		t.Errorf("%d functions ran behind one that waits", n)
	}
	for i, tid := range tids {
		if !lives(tid) {
			t.Error("a thread ended that had something to run")
		}
		close(gates[i])
	}
	for _, tid := range tids {
		eventually(t, func() bool { runtime.GC(); return !lives(tid) || !mayEnd(tid) }, "thread %d ends", tid)
	}
	if n := ran.Load(); n != 100*dropped {
		t.Errorf("%d functions ran, want %d", n, 100*dropped)
	}
	eventually(t, func() bool { return runtime.NumGoroutine() <= goroutines }, "the goroutines end, too")
}

func TestADroppedPoolIsReclaimedAfterItHasRunWhatWasQueued(t *testing.T) {
	for _, size := range []int{1, 3} {
		goroutines := runtime.NumGoroutine()
		var ran atomic.Int32
		gate := make(chan bool)
		var tids map[uint64]bool
		func() {
			p := thread.NewPool(size)
			tids = tidsOf(t, p)
			for range size {
				p.Go(func() { <-gate })
			}
			for range 100 {
				p.Go(func() { ran.Add(1) })
			}
		}()
		for range 5 {
			runtime.GC()
			time.Sleep(time.Millisecond)
		}
		close(gate)
		for tid := range tids {
			eventually(t, func() bool { runtime.GC(); return !lives(tid) || !mayEnd(tid) }, "thread %d ends", tid)
		}
		if n := ran.Load(); n != 100 {
			t.Errorf("%d functions ran, want 100", n)
		}
		eventually(t, func() bool { return runtime.NumGoroutine() <= goroutines }, "the goroutines end, too")
	}
}

func TestAThreadIsNotReclaimedWhileSomebodyWaitsForIt(t *testing.T) {
	result := make(chan bool)
	begun, release := make(chan bool), make(chan bool)
	func() {
		th := thread.New()
		th.Go(func() { close(begun); <-release })
		go func() { result <- th.Call(nop) }()
	}()
	arrives(t, begun)
	for range 10 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	close(release)
	if !arrives(t, result) {
		t.Error("the call did not run")
	}
}

func TestTheSystemShowsAThreadsName(t *testing.T) {
	for name, want := range map[string]string{
		"gl":                          "gl",
		"fifteen bytes 1":             "fifteen bytes 1",
		"a name that is far too long": "a name that is ",
	} {
		th := start(t, thread.WithName(name))
		if got := nameOf(thread.Eval(th, here)); got != strings.TrimSpace(want) {
			t.Errorf("the thread %q is shown as %q", name, got)
		}
	}
}

func TestTheSystemShowsAPoolsNamesWithTheirNumbers(t *testing.T) {
	for name, want := range map[string][]string{
		"worker":                      {"worker-0", "worker-1", "worker-2"},
		"a name that is far too long": {"a name that i-0", "a name that i-1", "a name that i-2"},
	} {
		got := map[string]bool{}
		for tid := range tidsOf(t, startPool(t, 3, thread.WithName(name))) {
			got[nameOf(tid)] = true
		}
		for _, n := range want {
			if !got[n] {
				t.Errorf("no thread is shown as %q: %v", n, got)
			}
		}
	}
}

func TestAThreadWithoutANameKeepsTheProcesss(t *testing.T) {
	if got, want := nameOf(thread.Eval(start(t), here)), nameOf(uint64(os.Getpid())); got != want {
		t.Errorf("the thread is shown as %q, the process as %q", got, want)
	}
}
