package ident

import (
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/threadcall/threadcall/internal/testutil"
)

func TestG(t *testing.T) {
	gs, start := make(chan uintptr), make(chan struct{})
	var done testutil.Group
	const n = 100
	for range n {
		done.Go(func() {
			g := G()
			gs <- g
			<-start
			runtime.Gosched()
			if G() != g {
				t.Error("a goroutine's g has changed")
			}
		})
	}
	seen := map[uintptr]bool{0: true}
	for range n {
		g := <-gs
		if seen[g] {
			t.Errorf("g %#x is another living goroutine's", g)
		}
		seen[g] = true
	}
	close(start)
	done.Wait()
}

// A g begins with the bounds of its goroutine's stack, and this test knows it so that it can tell a
// g from any other number that a register may hold. Should a release of Go change that, the test
// goes; the code does not depend on it.
func TestG_address(t *testing.T) {
	if !readsM {
		t.Skip("without assembly it is a number")
	}
	var done testutil.Group
	for range 10 {
		done.Go(func() {
			g := G()
			bounds := *(**[2]uintptr)(unsafe.Pointer(&g))
			if here := uintptr(unsafe.Pointer(&g)); here < bounds[0] || here >= bounds[1] {
				t.Errorf("g %#x does not begin with the bounds of the stack that %#x is on, but "+
					"%#x", g, here, *bounds)
			}
		})
	}
	done.Wait()
}

func TestTrusted(t *testing.T) {
	if want := readsM && !oneThread; Trusted() != want {
		t.Errorf("Trusted is %v, want %v", !want, want)
	}
}

// What ReadM could read, if a release of Go moved the runtime's m.
func TestTrusted_refused(t *testing.T) {
	var calls atomic.Uintptr
	for name, m := range map[string]func() uintptr{
		"always zero":                       func() uintptr { return 0 },
		"the same on all threads":           func() uintptr { return 42 },
		"another one at each call":          func() uintptr { return calls.Add(1) },
		"the goroutine's, not the thread's": G,
	} {
		if tellsThreadsApart(m) {
			t.Errorf("%s: accepted", name)
		}
	}
	if id := func() uintptr { return uintptr(Thread()) }; Thread() != 0 && !tellsThreadsApart(id) {
		t.Error("the system's number of the thread: refused")
	}
}

func TestGoroutine(t *testing.T) {
	mine := Goroutine()
	if mine != Goroutine() {
		t.Error("it has changed")
	}
	seen := map[uint64]bool{mine: true}
	numbers := make(chan uint64)
	for range 100 {
		go func() { numbers <- Goroutine() }()
		n := <-numbers
		// an address is greater, or a thread's number seen before
		if seen[n] || n == 0 || n > 1<<30 {
			t.Errorf("goroutine %d: its number is another's, or no number", n)
		}
		seen[n] = true
	}
}

func TestLocked(t *testing.T) {
	if oneThread {
		t.Skip("nothing is locked")
	}
	locked := make(chan bool)
	go func() {
		locked <- Locked()
		runtime.LockOSThread()
		locked <- Locked()
		runtime.UnlockOSThread()
		locked <- Locked()
	}()
	for i, want := range []bool{false, true, false} {
		if got := <-locked; got != want {
			t.Errorf("step %d: locked is %v, want %v", i, got, want)
		}
	}
}
