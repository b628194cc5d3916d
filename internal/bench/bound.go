package bench

import (
	"os"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/park"
)

// Bound is the lower bound of a call between two threads that spin: they hand one atomic word to and fro. An operation is
// there and back; Time is the mean. It is false, without a Result, where two threads cannot run at once.
func Bound(x Extent) (Result, bool) {
	if runtime.GOMAXPROCS(0) == 1 || runtime.NumCPU() == 1 || placed == one {
		return Result{}, false
	}
	var w struct {
		_    [128]byte
		word atomic.Uint32
		_    [128]byte
	}
	word := &w.word
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	up, down := make(chan bool), make(chan bool)
	go func() {
		defer close(down)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer hold()()
		close(up)
		for await(word, ask, end) == ask {
			word.Store(answer)
		}
	}()
	<-up
	r := mean(func() int {
		return x.batches(100, func(n int) {
			for range n {
				word.Store(ask)
				await(word, answer, answer)
			}
		})
	})
	word.Store(end)
	<-down
	return r, true
}

const (
	answer = iota
	ask
	end
)

// await returns the word when it is a or b. The other thread may need this one's core to make it so, or the collector
// its P.
func await(word *atomic.Uint32, a, b uint32) uint32 {
	for {
		for range 1000 {
			for range 2000 {
				if v := word.Load(); v == a || v == b {
					return v
				}
			}
			park.Yield()
		}
		runtime.Gosched()
	}
}

// LoneBound is the lower bound of a lone call between two threads that block: after a pause of 2 ms, a thread wakes another
// and blocks until that has woken it, by futex and without the Go scheduler. Both are held on one core, or each on its own
// of two. Time is the median. It is false, without a Result, where there is no futex, or the cores are not available.
func LoneBound(x Extent, cores int) (Result, bool) {
	if !preemptible() {
		return Result{}, false
	}
	return loneBound(x, cores)
}

// preemptible is whether the runtime stops threads by a signal, which a thread that blocks and keeps its P needs.
func preemptible() bool { return !strings.Contains(os.Getenv("GODEBUG"), "asyncpreemptoff=1") }
