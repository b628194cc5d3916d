package thread_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/thread"
)

func needsLocks(t *testing.T) {
	t.Helper()
	if runtime.GOARCH == "wasm" {
		t.Skip("on js/wasm goroutines are not locked")
	}
}

func TestTerminateUnlocksTheHost(t *testing.T) {
	needsLocks(t)
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
		{name: "by another goroutine, then Serve", foreign: true, then: func(h *thread.Thread) { h.Serve() }},
		{name: "by another goroutine, then ServeContext", foreign: true, then: func(h *thread.Thread) { _ = h.ServeContext(t.Context()) }},
		{name: "by another goroutine, of a locked host", foreign: true, locked: true, then: (*thread.Thread).Terminate},
		{name: "by another goroutine, then Adopt", foreign: true, then: adoptAgain},
		{name: "by another goroutine, then Adopt, of a locked host", foreign: true, locked: true, then: adoptAgain},
	} {
		ends(t, func() {
			if c.locked {
				runtime.LockOSThread()
			}
			h := thread.Adopt()
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

func TestAHostHasItsOwnLockThoughAFunctionHasUndoneIt(t *testing.T) {
	needsLocks(t)
	ends(t, func() {
		runtime.LockOSThread()
		h := thread.Adopt()
		h.Go(runtime.UnlockOSThread)
		h.Serve()
		h.Terminate()
		if !ident.Locked() {
			t.Error("the host is not locked")
		}
	})
}

// The runtime gives the g of a goroutine that has ended to a new one, and the m of its thread.
func TestIdentityEndsWithTheHostsGoroutine(t *testing.T) {
	needsLocks(t)
	for name, leave := range map[string]func(h *thread.Thread){
		"without Terminate": func(*thread.Thread) {},
		"terminated by another goroutine": func(h *thread.Thread) {
			done := make(chan bool)
			go func() { h.Terminate(); close(done) }()
			<-done
		},
		"terminated": (*thread.Thread).Terminate,
		"terminated by another goroutine while it serves": func(h *thread.Thread) {
			go func() { time.Sleep(time.Millisecond); h.Terminate() }()
			_ = h.ServeContext(t.Context())
		},
	} {
		var gone []*thread.Thread
		for range scaled(500) {
			ends(t, func() {
				for _, th := range gone {
					if th.On() {
						t.Errorf("%s: a goroutine is taken for one that has ended", name)
					}
				}
				var h *thread.Thread
				if v := recovered(func() { h = thread.Adopt() }); v != nil {
					t.Errorf("%s: Adopt on a thread that nobody has: %v", name, v)
					return
				}
				if !h.On() {
					t.Errorf("%s: the host is not known", name)
				}
				leave(h)
				gone = append(gone, h)
			})
			if len(gone)%50 == 0 {
				runtime.GC()
			}
			if t.Failed() {
				return
			}
		}
		for _, th := range gone {
			if th.On() {
				t.Errorf("%s: the test is taken for a host", name)
			}
		}
	}
}

func TestTerminateTouchesNobodyElsesLock(t *testing.T) {
	needsLocks(t)
	for name, adopted := range map[string]func() *thread.Thread{
		"a host that has ended": func() (h *thread.Thread) {
			ends(t, func() { h = thread.Adopt() })
			return h
		},
		"a host that was terminated and has ended": func() (h *thread.Thread) {
			ends(t, func() {
				h = thread.Adopt()
				done := make(chan bool)
				go func() { h.Terminate(); close(done) }()
				<-done
			})
			return h
		},
		"a thread of its own": func() *thread.Thread { return thread.New() },
	} {
		for range scaled(100) {
			h := adopted()
			ends(t, func() {
				runtime.LockOSThread()
				h.Terminate()
				h.Terminate()
				h.Serve()
				if !ident.Locked() {
					t.Errorf("%s: Terminate took a foreign goroutine's lock", name)
				}
			})
		}
	}
}

func TestACoroutineThatTerminatesLeavesTheLocksToItsHost(t *testing.T) {
	needsLocks(t)
	needsCoroutines(t)
	for _, inServe := range []bool{false, true} {
		ends(t, func() {
			h := thread.Adopt()
			terminate := func() { inCoroutine(h.Terminate) }
			if inServe {
				h.Go(terminate)
				h.Serve()
			} else {
				terminate()
				h.Terminate()
			}
			if ident.Locked() || h.On() {
				t.Errorf("in Serve: %v; locked: %v, on: %v", inServe, ident.Locked(), h.On())
			}
		})
	}
}

func TestManyTerminateAHostAtOnce(t *testing.T) {
	needsLocks(t)
	for range scaled(500) {
		ends(t, func() {
			h := thread.Adopt()
			var all group.Group
			for range 4 {
				all.Go(h.Terminate)
			}
			_ = h.ServeContext(t.Context())
			all.Wait()
			h.Terminate()
			if ident.Locked() || h.On() {
				t.Errorf("locked: %v, on: %v", ident.Locked(), h.On())
			}
		})
	}
}

func TestACoroutineOfAHostIsOnItsThread(t *testing.T) {
	needsCoroutines(t)
	h := adopt(t)
	check := func(where string) {
		inCoroutine(func() {
			ran := false
			if !h.On() || !h.Call(func() { ran = true }) || !ran {
				t.Errorf("%s, a coroutine is not on its host's thread", where)
			}
		})
	}
	h.do(func() {
		check("outside Serve")
		h.Go(func() { check("inside Serve") })
		h.Serve()
	})
}

// Threads are made on whatever thread of the system the runtime has at hand: one on which a goroutine ran a moment before
// that now asks whether it is on it.
func TestAGoroutineIsNotTakenForAThreadThatIsJustMade(t *testing.T) {
	var youngest atomic.Pointer[thread.Thread]
	youngest.Store(start(t))
	var stop atomic.Bool
	var others group.Group
	for range 4 {
		others.Go(func() {
			for !stop.Load() {
				for range 100 {
					if th := youngest.Load(); th.On() {
						t.Error("On is true on a goroutine that is not locked")
						return
					}
				}
				runtime.Gosched()
			}
		})
	}
	for begin := time.Now(); time.Since(begin) < 300*time.Millisecond; {
		th := thread.New()
		youngest.Store(th)
		th.Call(nop)
		th.Terminate()
	}
	stop.Store(true)
	others.Wait()
}

func TestAFunctionIsOnItsThreadToItsEndAlthoughThatWasTerminated(t *testing.T) {
	a, b := start(t), start(t)
	a.Call(func() {
		a.Terminate()
		b.Call(func() { time.Sleep(time.Millisecond) }) // and so a waits
		if !a.On() {
			t.Error("On is false")
		}
	})
}
