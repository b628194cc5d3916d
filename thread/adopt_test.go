package thread_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/threadcall/threadcall/thread"
)

func TestAnAdoptedThreadIsTheCallersOwn(t *testing.T) {
	h := adopt(t)
	var its uint64
	h.do(func() {
		its = here()
		if !h.On() {
			t.Error("On is false on the thread itself")
		}
	})
	if h.On() {
		t.Error("On is true elsewhere")
	}
	go h.do(func() { h.ServeContext(t.Context()) })
	h.Call(func() {
		if here() != its || !h.On() {
			t.Errorf("ran on thread %d, want %d; On: %v", here(), its, h.On())
		}
	})
}

func TestBeforeItServesAnAdoptedThreadsOwnCallsRunInPlace(t *testing.T) {
	h := adopt(t)
	h.do(func() {
		order := 0
		h.Go(func() { order = 10*order + 1 })
		if !h.Call(func() { order = 10*order + 2 }) || order != 12 {
			t.Errorf("ran in the order %d", order)
		}
		if v := thread.Eval(h.Thread, func() int { return 3 }); v != 3 {
			t.Errorf("Eval returned %d", v)
		}
	})
}

func TestBeforeItServesOthersWaitForAnAdoptedThread(t *testing.T) {
	h := adopt(t)
	result := make(chan bool, 1)
	ran := false
	go func() { result <- h.Call(func() { ran = true }) }()
	select {
	case <-result:
		t.Error("a call returned although the thread does not serve")
	case <-time.After(20 * time.Millisecond):
	}
	h.do(func() {
		for h.Serve() == 0 {
			time.Sleep(time.Millisecond)
		}
	})
	if !arrives(t, result) || !ran {
		t.Error("the call did not run")
	}
}

func TestAdoptOnAThreadThatIsOneAlreadyPanics(t *testing.T) {
	needsCoroutines(t)
	adoptPanics := func() { mustPanic(t, func() { thread.Adopt() }, "already") }
	adopt(t).do(adoptPanics)
	start(t).Call(adoptPanics)
	startPool(t, 1).Call(adoptPanics)
	start(t).Call(func() {
		for range pulled(func(yield func(int) bool) { adoptPanics(); yield(0) }) {
		}
	})
}

func TestAdoptMayComeAfterAnAdoptedThreadWasTerminated(t *testing.T) {
	ends(t, func() {
		for range 10 {
			var h *thread.Thread
			if v := recovered(func() { h = thread.Adopt() }); v != nil {
				t.Errorf("Adopt panicked: %v", v)
				return
			}
			if !h.Call(nop) {
				t.Error("a new Thread does not run anything")
			}
			h.Terminate()
			if h.Call(nop) {
				t.Error("a terminated Thread still runs what it is given")
			}
		}
	})
}

// The runtime gives the g of a goroutine that has ended to a new one.
func TestAGoroutineIsNotTakenForOneThatEnded(t *testing.T) {
	var gone []*thread.Thread
	for range 100 {
		ends(t, func() {
			for _, th := range gone {
				if th.On() {
					t.Error("a goroutine is taken for one that adopted its thread and ended")
				}
			}
			if v := recovered(func() { gone = append(gone, thread.Adopt()) }); v != nil {
				t.Errorf("Adopt on a thread that nobody has: %v", v)
				return
			}
			gone[len(gone)-1].Terminate()
		})
		if t.Failed() {
			return
		}
	}
}

func TestACallToATerminatedAdoptedThreadReturnsAtOnce(t *testing.T) {
	h := adopt(t)
	results := make(chan bool)
	for range 5 {
		go func() { results <- h.Call(func() { t.Error("ran") }) }()
	}
	time.Sleep(5 * time.Millisecond)
	h.Terminate()
	for range 5 {
		if arrives(t, results) {
			t.Error("told that it ran")
		}
	}
	h.do(func() {
		if n := h.Serve(); n != 0 {
			t.Errorf("%d functions ran after Terminate", n)
		}
		if err := h.ServeContext(t.Context()); err != thread.ErrTerminated {
			t.Errorf("ServeContext returned %v", err)
		}
	})
}

func TestAdoptKeepsTheHostsLockAsItWas(t *testing.T) {
	if here() == 0 {
		t.Skip("this system does not tell threads apart")
	}
	ends(t, func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		its := here()
		th := thread.Adopt()
		th.Go(func() {
			for range 10 {
				runtime.UnlockOSThread() // the function's fault, not the host's
			}
		})
		th.Serve()
		if here() != its {
			t.Error("the host has lost its thread during Serve")
		}
		th.Terminate()
		its = here() // after such functions, Terminate may be interrupted before it has seen that the host's lock is gone, too
		stop := compute()
		defer stop()
		for range 100 {
			time.Sleep(10 * time.Microsecond)
			if here() != its {
				t.Fatal("the host has lost its thread")
			}
		}
	})
}

func TestTheHostKeepsItsThreadWhateverFunctionsUnlock(t *testing.T) {
	if here() == 0 {
		t.Skip("this system does not tell threads apart")
	}
	stop := make(chan struct{})
	defer close(stop)
	for range 4 { // for whom the scheduler interrupts others
		go func() {
			for {
				select {
				case <-stop:
					return
				default:
					runtime.GC()
				}
			}
		}()
	}
	ends(t, func() {
		runtime.LockOSThread()
		for start := time.Now(); time.Since(start) < time.Second; {
			h := thread.Adopt()
			its := here()
			for range 100 {
				h.Go(runtime.UnlockOSThread)
				h.Serve()
				if here() != its {
					t.Error("the host is on another thread")
				}
			}
			h.Terminate()
		}
	})
}

func TestAnAdoptedThreadTakesPartInCircles(t *testing.T) {
	h, other := adopt(t), start(t)
	ran := 0
	ends(t, func() {
		h.do(func() {
			for range 100 {
				other.Call(func() { h.Call(func() { other.Call(func() { ran++ }) }) })
			}
		})
	})
	if ran != 100 {
		t.Errorf("%d functions ran", ran)
	}
}

func TestAnAdoptedThreadTakesPartInCirclesAfterItWasTerminated(t *testing.T) {
	h, other := adopt(t), start(t)
	go h.do(func() { _ = h.ServeContext(t.Context()) })
	ends(t, func() {
		other.Call(func() {
			h.Call(func() {
				h.Terminate()
				other.Call(nop)
			})
		})
	})
}
