package oracle

import (
	"context"
	"iter"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/thread"
)

// What the engine is known to do wrong, the smallest program that shows it. Programs keep clear of each as long as it
// is true in tolerate, see model.go. Who repairs one makes it false there, and moves its test to package thread.
//
//	THREADCALL_KNOWN=1 go test -run Known ./internal/oracle
func TestKnownFaults(t *testing.T) {
	if os.Getenv("THREADCALL_KNOWN") == "" {
		t.Skip("these fail; THREADCALL_KNOWN=1 runs them")
	}
	for name, test := range map[string]func(t *testing.T){
		"nestedContext":     aNestedCallWhoseContextIsDoneByWhatRunsBefore,
		"runAfterTerminate": functionsThatBeginAfterTerminate,
		"coroutinePost":     aCoroutinesGoOnABoundedQueue,
		"adoptedTerminate":  aCycleThroughAnAdoptedThreadThatHasBeenTerminated,
		"hostUnpinned":      anUnlockDuringServe,
		"wakeAfterGoexit":   theHookAfterAGoexitInServe,
	} {
		t.Run(name, func(t *testing.T) {
			done := make(chan struct{})
			go func() { defer close(done); test(t) }()
			select {
			case <-done:
			case <-time.After(5 * time.Second):
				t.Fatal("it hangs")
			}
		})
	}
}

// CallContext promises not to run a function whose context is done before it begins.
func aNestedCallWhoseContextIsDoneByWhatRunsBefore(t *testing.T) {
	th := thread.New()
	defer th.Terminate()
	th.Call(func() {
		ctx, cancel := context.WithCancel(context.Background())
		th.Go(cancel)
		if err := th.CallContext(ctx, func() { t.Error("ran") }); err != context.Canceled {
			t.Errorf("CallContext returned %v", err)
		}
	})
}

// Call promises not to run a function if the thread is terminated before it begins, and Go likewise.
func functionsThatBeginAfterTerminate(t *testing.T) {
	th := thread.New()
	th.Call(func() {
		th.Go(th.Terminate)
		th.Go(func() { t.Error("a posted function ran after Terminate") })
		if th.Call(func() { t.Error("a nested call ran after Terminate") }) {
			t.Error("Call returned true after Terminate")
		}
	})
}

// Go from the thread itself never waits, says WithQueueLimit.
func aCoroutinesGoOnABoundedQueue(t *testing.T) {
	th := thread.New(thread.WithQueueLimit(1))
	th.Call(func() {
		next, stop := iter.Pull(func(func(int) bool) { th.Go(nop); th.Go(nop) })
		defer stop()
		next()
	})
	th.Terminate()
}

// adopted runs f with a thread whose goroutine serves by ServeContext.
func adopted(f func(h *thread.Thread)) {
	made, done := make(chan *thread.Thread), make(chan struct{})
	go func() {
		defer close(done)
		h := thread.Adopt()
		made <- h
		_ = h.ServeContext(context.Background())
	}()
	h := <-made
	f(h)
	h.Terminate()
	<-done
}

// Terminate removes an adopted thread from those that are known, although it goes on with the function that it runs.
func aCycleThroughAnAdoptedThreadThatHasBeenTerminated(t *testing.T) {
	th := thread.New()
	defer th.Terminate()
	adopted(func(h *thread.Thread) {
		th.Call(func() {
			h.Call(func() {
				h.Terminate()
				th.Call(nop)
			})
		})
	})
}

// A host that has locked its goroutine is not locked for a moment, at the end of a Serve during which a function has
// unlocked once too often.
func anUnlockDuringServe(t *testing.T) {
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
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		h := thread.Adopt()
		defer h.Terminate()
		its := ident.Thread()
		for start := time.Now(); time.Since(start) < 4*time.Second; {
			h.Go(runtime.UnlockOSThread)
			h.Serve()
			if ident.Thread() != its {
				t.Error("the host is on another thread")
				return
			}
		}
	}()
	<-done
}

// A Serve that a Goexit ends leaves what was queued, and no hook is called for it. A host that goes on in a deferred
// call must know that it has to serve before it waits.
func theHookAfterAGoexitInServe(t *testing.T) {
	woken := make(chan struct{}, 10)
	ran := make(chan struct{})
	stop := make(chan struct{})
	go func() {
		h := thread.Adopt()
		defer h.Terminate()
		h.OnWake(func() { woken <- struct{}{} })
		defer func() {
			for {
				select {
				case <-woken:
					h.Serve()
				case <-stop:
					return
				}
			}
		}()
		h.Go(runtime.Goexit)
		h.Go(func() { close(ran) })
		<-woken
		h.Serve()
	}()
	select {
	case <-ran:
	case <-time.After(time.Second):
		t.Error("a function waits in the queue, and the host has not been woken")
	}
	close(stop)
}
