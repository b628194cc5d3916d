package thread_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// A host is a goroutine that has made a Thread of the thread it is on.
type host struct {
	*thread.Thread
	tasks chan func()
}

// adopt starts a host. It ends with the test.
func adopt(t *testing.T, opts ...thread.Option) *host {
	h := &host{tasks: make(chan func())}
	adopted := make(chan any)
	go func() {
		v := recovered(func() { h.Thread = thread.Adopt(opts...) })
		adopted <- v
		if v != nil {
			return
		}
		defer h.Terminate()
		for f := range h.tasks {
			f()
		}
	}()
	if v := testutil.Arrives(t, adopted); v != nil {
		t.Fatalf("Adopt panicked: %v", v)
	}
	t.Cleanup(func() { close(h.tasks) })
	return h
}

// do runs f on the host's goroutine.
func (h *host) do(f func()) {
	done := make(chan bool)
	h.tasks <- func() {
		defer close(done)
		f()
	}
	<-done
}

func TestAdopt_panicsOnAThreadThatIsAThreadAlready(t *testing.T) {
	ends(t, func() {
		for range 10 {
			h := thread.Adopt()
			if !h.Call(nop) {
				t.Error("a new Thread does not run anything")
			}
			h.Terminate()
			if h.Call(nop) || h.Serve() != 0 || h.ServeContext(t.Context()) != thread.ErrTerminated ||
				h.CallContext(t.Context(), nop) != thread.ErrTerminated {
				t.Error("a terminated Thread still runs what it is given")
			}
		}
	})
	adoptPanics := func() { mustPanic(t, func() { thread.Adopt() }, "already") }
	adopt(t).do(adoptPanics)
	start(t).Call(adoptPanics)
	startPool(t, 1).Call(adoptPanics)
	if here() != 0 {
		start(t).Call(func() { inCoroutine(adoptPanics) })
	}
}

func TestTerminate_givesBackTheLockOfAdopt(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		t.Skip("on js/wasm goroutines are not locked")
	}
	for _, c := range []struct {
		name    string
		locked  bool // by the host itself
		serving bool // when it is terminated
		foreign bool // it is terminated by another goroutine
		then    func(h *thread.Thread)
	}{
		{name: "by the host"},
		{name: "by a locked host", locked: true},
		{name: "in a function", serving: true},
		{name: "in a function of a locked host", serving: true, locked: true},
		{name: "by another goroutine while it serves", foreign: true, serving: true},
		{name: "by another goroutine, then Terminate", foreign: true, then: (*thread.Thread).Terminate},
		{name: "by another goroutine, then Close", foreign: true, then: (*thread.Thread).Close},
		{name: "by another goroutine, then Serve", foreign: true,
			then: func(h *thread.Thread) { h.Serve() }},
		{name: "by another goroutine, then ServeContext", foreign: true,
			then: func(h *thread.Thread) { _ = h.ServeContext(t.Context()) }},
		{name: "by another goroutine, of a locked host", foreign: true, locked: true,
			then: (*thread.Thread).Terminate},
		{name: "by another goroutine, then Adopt", foreign: true, then: adoptAgain},
		{name: "by another goroutine, then Adopt, of a locked host", foreign: true, locked: true,
			then: adoptAgain},
	} {
		ends(t, func() {
			if c.locked {
				runtime.LockOSThread()
			}
			h := thread.Adopt()
			if c.locked {
				h.Go(runtime.UnlockOSThread) //threadcall:ignore it undoes the lock of the host
				h.Serve()
			}
			if !ident.Locked() {
				t.Errorf("%s: Adopt did not lock", c.name)
			}
			terminate := h.Terminate
			if c.foreign {
				terminate = func() {
					done := make(chan bool)
					go func() { h.Terminate(); close(done) }()
					<-done
				}
			}
			if c.serving {
				h.Go(func() {
					terminate()
					h.Terminate()
					h.Serve()
					_ = h.ServeContext(t.Context())
					if !ident.Locked() || !h.On() {
						t.Errorf("%s: while a function runs, locked: %v, on: %v", c.name, ident.Locked(), h.On())
					}
				})
				_ = h.ServeContext(t.Context())
			} else {
				terminate()
			}
			if h.On() {
				t.Errorf("%s: On is true after Terminate", c.name)
			}
			if c.then != nil {
				c.then(h)
			}
			for range 2 {
				if ident.Locked() != c.locked {
					t.Errorf("%s: the host is locked: %v, want %v", c.name, ident.Locked(), c.locked)
				}
				h.Terminate()
				h.Serve()
			}
		})
	}
}

func adoptAgain(*thread.Thread) { thread.Adopt().Terminate() }

// The runtime gives the g of a goroutine that has ended to a new one, and the m of its thread.
func TestOn_isFalseForALaterGoroutineWithTheSameIdentity(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		t.Skip("on js/wasm goroutines are not locked")
	}
	var gone []*thread.Thread // without Terminate
	for range scaled(500) {
		ends(t, func() {
			for _, th := range gone {
				if th.On() {
					t.Error("a goroutine is taken for one that has ended")
				}
			}
			var h *thread.Thread
			if v := recovered(func() { h = thread.Adopt() }); v != nil || !h.On() {
				t.Errorf("Adopt on a thread that is not one yet: %v", v)
			}
			gone = append(gone, h)
		})
		if len(gone)%50 == 0 {
			runtime.GC()
		}
	}
}

// What is called, posted and set before a goroutine adopts waits for it, in its order.
func TestAdoptLater_letsCallsWaitUntilAdopt(t *testing.T) {
	th, adopt := thread.AdoptLater(thread.WithName("loop"), thread.WithQueueLimit(2))
	th.Stats()
	wake := make(chan bool, 1)
	th.OnWake(func() {
		select {
		case wake <- true:
		default:
		}
	})
	var ran []int
	add := func(i int) func() {
		return func() {
			if !th.On() {
				t.Error("a function runs off the thread")
			}
			ran = append(ran, i)
		}
	}
	th.Go(add(0))
	th.Go(add(1))
	testutil.Arrives(t, wake)
	ends(t, func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if th.TryGo(nop) || th.GoContext(ctx, nop) || th.CallContext(ctx, nop) != context.Canceled ||
			th.On() || th.Stats().Queued != 2 {
			t.Errorf("before it is adopted: On %v, %d queued", th.On(), th.Stats().Queued)
		}
	})
	called, closed := make(chan bool, 2), make(chan bool, 1)
	go func() {
		called <- th.Go(add(2)) // waits for a place
		called <- th.Call(add(3))
		th.Close()
		closed <- true
	}()
	ends(t, func() {
		if err := adopt(); err != nil || !th.On() || !ident.Locked() && here() != 0 {
			t.Errorf("adopt returns %v; On %v", err, th.On())
		}
		testutil.Arrives(t, wake) // again
		err := th.ServeContext(context.Background())
		if err != thread.ErrTerminated || th.On() || ident.Locked() {
			t.Errorf("after Close, %v; On %v, locked %v", err, th.On(), ident.Locked())
		}
		thread.Adopt().Terminate()
	})
	for _, c := range []chan bool{called, called, closed} {
		if !testutil.Arrives(t, c) {
			t.Error("it was refused")
		}
	}
	if want := []int{0, 1, 2, 3}; !slices.Equal(ran, want) {
		t.Errorf("%v ran, want %v", ran, want)
	}
	mustPanic(t, func() { thread.AdoptLater(thread.WithStop(nop)) }, "AdoptLater")
}

// An adopt that fails returns an error that says why, and changes nothing.
func TestAdoptLater_returnsAnErrorAndChangesNothing(t *testing.T) {
	th, adopt := thread.AdoptLater()
	fails := func(adopt func() error, why string) {
		t.Helper()
		if err := adopt(); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("adopt returns %v, want %q", err, why)
		}
	}
	start(t).Call(func() { fails(adopt, "already") })
	ends(t, func() {
		if err := adopt(); err != nil {
			t.Errorf("after one that failed, adopt returns %v", err)
		}
		fails(adopt, "adopted already")
		ends(t, func() { fails(adopt, "adopted already") })
		if n := 0; !th.Call(func() { n++ }) || n != 1 {
			t.Error("a call does not run in place")
		}
		th.Terminate()
		fails(adopt, "terminated")

		later, adoptLater := thread.AdoptLater()
		refused := make(chan bool)
		go func() { refused <- !later.Call(func() { t.Error("it ran") }) }()
		later.Go(func() { t.Error("it ran") })
		later.Terminate()
		if !testutil.Arrives(t, refused) || later.Go(nop) {
			t.Error("Terminate does not refuse what waits for adopt")
		}
		testutil.Arrives(t, later.Done())
		later.Close()
		err := adoptLater()
		if !errors.Is(err, thread.ErrTerminated) || later.On() || ident.Locked() {
			t.Errorf("after Terminate, adopt returns %v; On %v", err, later.On())
		}
		thread.Adopt().Terminate()
	})
}

// Of several goroutines one adopts, whatever Terminate and callers do meanwhile, and nothing of it
// is left.
func TestAdoptLater_letsOneOfSeveralGoroutinesAdopt(t *testing.T) {
	for range scaled(2000) {
		th, adopt := thread.AdoptLater()
		var adopted atomic.Int32
		var all testutil.Group
		for range 3 {
			all.Go(func() {
				ends(t, func() {
					err := adopt()
					if err == nil {
						adopted.Add(1)
						_ = th.ServeContext(context.Background())
					}
					if th.On() || ident.Locked() {
						t.Errorf("after %v, On %v, locked %v", err, th.On(), ident.Locked())
					}
					thread.Adopt().Terminate()
				})
			})
		}
		all.Go(func() { th.Call(nop); th.Go(nop); th.On() })
		all.Go(th.Terminate)
		all.Wait()
		if adopted.Load() > 1 {
			t.Fatalf("%d goroutines have adopted the thread", adopted.Load())
		}
	}
}
