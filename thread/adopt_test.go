package thread_test

import (
	"runtime"
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

func TestAdopt_again(t *testing.T) {
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

func needsLocks(t *testing.T) {
	t.Helper()
	if runtime.GOARCH == "wasm" {
		t.Skip("on js/wasm goroutines are not locked")
	}
}

func TestAdopt_unlocked(t *testing.T) {
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
func TestAdopt_identity(t *testing.T) {
	needsLocks(t)
	elsewhere := func(f func()) {
		done := make(chan bool)
		go func() { f(); close(done) }()
		<-done
	}
	for name, leave := range map[string]func(h *thread.Thread){
		"without Terminate":               func(*thread.Thread) {},
		"terminated by another goroutine": func(h *thread.Thread) { elsewhere(h.Terminate) },
		"terminated":                      (*thread.Thread).Terminate,
		"terminated by another goroutine while it serves": func(h *thread.Thread) {
			go h.Call(h.Terminate)
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
					t.Errorf("%s: Adopt on a thread that is not one yet: %v", name, v)
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
