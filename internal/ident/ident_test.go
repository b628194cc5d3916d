package ident

import (
	"iter"
	"runtime"
	"sync"
	"testing"
)

func TestGTellsGoroutinesApart(t *testing.T) {
	var mu sync.Mutex
	seen := map[uintptr]bool{}
	var started, done sync.WaitGroup
	start := make(chan struct{})
	for range 100 {
		started.Add(1)
		done.Add(1)
		go func() {
			defer done.Done()
			g := G()
			mu.Lock()
			if g == 0 || seen[g] {
				t.Errorf("g %#x is another living goroutine's", g)
			}
			seen[g] = true
			mu.Unlock()
			started.Done()
			<-start
			runtime.Gosched()
			if G() != g {
				t.Error("a goroutine's g has changed")
			}
		}()
	}
	started.Wait()
	close(start)
	done.Wait()
}

func TestACoroutineIsOnTheSameThread(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	g, thread := G(), Thread()
	next, stop := iter.Pull(func(yield func(bool) bool) { yield(G() != g && Thread() == thread) })
	defer stop()
	if ok, _ := next(); !ok {
		t.Error("a coroutine of a locked goroutine has the same g, or another thread")
	}
}
