package thread_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/osthread"
	"github.com/threadcall/threadcall/thread"
)

// A host is a goroutine that has made a Thread of the thread it is on.
type host struct {
	*thread.Thread
	loop  *thread.Loop
	tasks chan func()
}

func hostOf(l *thread.Loop) *host {
	return &host{Thread: l.Thread(), loop: l, tasks: make(chan func())}
}

// adopt starts a host. It ends with the test.
func adopt(t *testing.T, opts ...thread.Option) *host {
	var h *host
	adopted := make(chan any)
	go func() {
		v := recovered(func() { h = hostOf(thread.Adopt(opts...)) })
		adopted <- v
		if v != nil {
			return
		}
		defer h.loop.Close()
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
			h := hostOf(thread.Adopt())
			if !h.Call(nop) {
				t.Error("a new Thread does not run anything")
			}
			h.Terminate()
			if h.Call(nop) || h.loop.Serve(0) != 0 || h.loop.Wait(nop) ||
				h.loop.ServeContext(t.Context()) != thread.ErrTerminated ||
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
		then    func(h *host)
	}{
		{name: "by the host"},
		{name: "by a locked host", locked: true},
		{name: "in a function", serving: true},
		{name: "in a function of a locked host", serving: true, locked: true},
		{name: "by another goroutine while it serves", foreign: true, serving: true},
		{name: "by another goroutine, then Terminate", foreign: true,
			then: func(h *host) { h.Terminate() }},
		{name: "by another goroutine, then Thread.Close", foreign: true,
			then: func(h *host) { h.Close() }},
		{name: "by another goroutine, then Close", foreign: true,
			then: func(h *host) { h.loop.Close() }},
		{name: "by another goroutine, then Serve", foreign: true,
			then: func(h *host) { h.loop.Serve(0) }},
		{name: "by another goroutine, then Wait", foreign: true,
			then: func(h *host) { h.loop.Wait(nop) }},
		{name: "by another goroutine, then ServeContext", foreign: true,
			then: func(h *host) { _ = h.loop.ServeContext(t.Context()) }},
		{name: "by another goroutine, of a locked host", foreign: true, locked: true,
			then: func(h *host) { h.loop.Close() }},
		{name: "by another goroutine, then Adopt", foreign: true, then: adoptAgain},
		{name: "by another goroutine, then Adopt, of a locked host", foreign: true, locked: true,
			then: adoptAgain},
	} {
		ends(t, func() {
			if c.locked {
				runtime.LockOSThread()
			}
			h := hostOf(thread.Adopt())
			if c.locked {
				h.Go(runtime.UnlockOSThread) //threadcall:ignore it undoes the lock of the host
				h.loop.Serve(0)
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
					h.loop.Close()
					h.loop.Serve(0)
					_ = h.loop.ServeContext(t.Context())
					if !ident.Locked() || !h.On() {
						t.Errorf("%s: while a function runs, locked: %v, on: %v", c.name, ident.Locked(), h.On())
					}
				})
				_ = h.loop.ServeContext(t.Context())
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
				h.loop.Serve(0)
			}
		})
	}
}

func adoptAgain(*host) { thread.Adopt().Close() }

// Close, and what comes after an end through the Thread, gives the thread its name back and takes
// the label from its goroutine, which a caller that is locked can see.
func TestLoopClose_undoesTheName(t *testing.T) {
	foreign := func(l *thread.Loop) { ends(t, l.Thread().Terminate) }
	for name, end := range map[string]func(l *thread.Loop){
		"Close":                 (*thread.Loop).Close,
		"twice":                 func(l *thread.Loop) { l.Close(); l.Close() },
		"Terminate":             func(l *thread.Loop) { l.Thread().Terminate() },
		"in a function":         func(l *thread.Loop) { l.Thread().Go(l.Close); l.Serve(0); l.Serve(0) },
		"elsewhere, then Close": func(l *thread.Loop) { foreign(l); l.Close() },
		"elsewhere, then Wait":  func(l *thread.Loop) { foreign(l); l.Wait(nop) },
		"elsewhere, then Adopt": func(l *thread.Loop) { foreign(l); thread.Adopt().Close() },
	} {
		ends(t, func() {
			runtime.LockOSThread()
			before, unsupported := osthread.Name()
			l := thread.Adopt(thread.WithName("a loop"))
			during, _ := osthread.Name()
			end(l)
			after, _ := osthread.Name()
			if unsupported == nil && (during != "a loop" || after != before) || labels() != "" {
				t.Errorf("%s: the thread %q was named %q, and then %q; labels %q", name, before, during, after,
					labels())
			}
		})
	}
}

// Close runs what is queued, and in a function that the Loop runs, when that has returned.
func TestLoopClose_runsWhatIsQueued(t *testing.T) {
	for name, serve := range map[string]func(h *host){
		"outside":         nil,
		"in Serve":        func(h *host) { h.loop.Serve(0); h.loop.Serve(0) },
		"in Wait":         func(h *host) { h.loop.OnWake(nop); waitAll(h) },
		"in ServeContext": func(h *host) { _ = h.loop.ServeContext(context.Background()) },
	} {
		adopted(t, func(h *host) {
			ran := 0
			if serve != nil {
				h.Go(func() {
					h.loop.Close()
					if ran != 0 || !h.On() || isClosed(h.Done()) || h.Go(nop) || !h.Call(nop) {
						t.Errorf("%s: Close has not returned at once", name)
					}
				})
			}
			for range 3 {
				h.Go(func() { ran++ })
			}
			if serve != nil {
				serve(h)
			} else {
				h.loop.Close()
			}
			if ran != 3 || !isClosed(h.Done()) || h.On() || h.Call(nop) || h.Go(nop) || ident.Locked() {
				t.Errorf("%s: %d of 3 functions have run; On %v, locked %v", name, ran, h.On(),
					ident.Locked())
			}
		})
	}
}

func waitAll(h *host) {
	for h.loop.Wait(nop) {
	}
}

// The main goroutine, too, gets everything back: its thread's name is that of the process.
func TestLoopClose_undoesAdoptOnTheMainGoroutine(t *testing.T) {
	if _, err := osthread.Name(); err != nil || runtime.GOARCH == "wasm" {
		t.Skip(err)
	}
	if out, status := testutil.Program(t, "a loop on the main goroutine"); status != 0 ||
		out != "ui true\ntrue false\nhost: true true\n" {
		t.Errorf("status %d\n%s", status, out)
	}
}

func init() {
	programs["a loop on the main goroutine"] = func() {
		runtime.LockOSThread()
		before, _ := osthread.Name()
		runtime.UnlockOSThread()
		named := func() bool { now, _ := osthread.Name(); return now == before }
		l := thread.Adopt(thread.WithName("ui"))
		now, _ := osthread.Name()
		fmt.Println(now, ident.Locked())
		l.Close()
		fmt.Println(named(), ident.Locked())
		runtime.LockOSThread()
		l = thread.Adopt(thread.WithName("ui"))
		ended := make(chan bool)
		go func() { l.Thread().Close(); close(ended) }()
		_ = l.ServeContext(context.Background())
		<-ended
		fmt.Println("host:", named(), ident.Locked())
	}
}

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
			if v := recovered(func() { h = thread.Adopt().Thread() }); v != nil || !h.On() {
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
func TestNewLoop_letsCallsWaitUntilAdopt(t *testing.T) {
	l := thread.NewLoop(thread.WithName("loop"), thread.WithQueueLimit(2))
	th := l.Thread()
	wake := make(chan bool, 1)
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
	ends(t, func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if th.TryGo(nop) || th.GoContext(ctx, nop) != context.Canceled ||
			th.CallContext(ctx, nop) != context.Canceled || th.On() || th.Stats().Queued != 2 {
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
		if err := l.Adopt(); err != nil || !th.On() || !ident.Locked() && here() != 0 {
			t.Errorf("Adopt returns %v; On %v", err, th.On())
		}
		l.OnWake(func() { wake <- true })
		testutil.Arrives(t, wake)
		l.OnWake(nil)
		err := l.ServeContext(context.Background())
		if err != thread.ErrTerminated || th.On() || ident.Locked() {
			t.Errorf("after Close, %v; On %v, locked %v", err, th.On(), ident.Locked())
		}
		thread.Adopt().Close()
	})
	for _, c := range []chan bool{called, called, closed} {
		if !testutil.Arrives(t, c) {
			t.Error("it was refused")
		}
	}
	if want := []int{0, 1, 2, 3}; !slices.Equal(ran, want) {
		t.Errorf("%v ran, want %v", ran, want)
	}
	mustPanic(t, func() { thread.NewLoop(thread.WithStop(nop)) }, "NewLoop")
}

// An Adopt that fails returns an error that says why, and changes nothing.
func TestLoopAdopt_returnsAnErrorAndChangesNothing(t *testing.T) {
	l := thread.NewLoop()
	th := l.Thread()
	fails := func(l *thread.Loop, why string) {
		t.Helper()
		if err := l.Adopt(); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("Adopt returns %v, want %q", err, why)
		}
	}
	start(t).Call(func() { fails(l, "already") })
	ends(t, func() {
		adopted := thread.Adopt()
		fails(adopted, "adopted already")
		adopted.Close()
		fails(adopted, "terminated")
		mustPanic(t, l.Close, "Close of a Loop off its thread")
		if err := l.Adopt(); err != nil {
			t.Errorf("after one that failed, Adopt returns %v", err)
		}
		fails(l, "adopted already")
		ends(t, func() { fails(l, "adopted already") })
		if n := 0; !th.Call(func() { n++ }) || n != 1 {
			t.Error("a call does not run in place")
		}
		th.Terminate()
		fails(l, "terminated")

		never := thread.NewLoop()
		later := never.Thread()
		refused := make(chan bool)
		go func() { refused <- !later.Call(func() { t.Error("it ran") }) }()
		later.Go(func() { t.Error("it ran") })
		later.Terminate()
		if !testutil.Arrives(t, refused) || later.Go(nop) {
			t.Error("Terminate does not refuse what waits for Adopt")
		}
		testutil.Arrives(t, later.Done())
		later.Close()
		err := never.Adopt()
		if !errors.Is(err, thread.ErrTerminated) || later.On() || ident.Locked() {
			t.Errorf("after Terminate, Adopt returns %v; On %v", err, later.On())
		}
		never.Close()
		thread.Adopt().Close()
	})
}

// Of several goroutines one adopts, whatever Terminate and callers do meanwhile, and nothing of it
// is left.
func TestLoopAdopt_letsOneOfSeveralGoroutinesAdopt(t *testing.T) {
	for range scaled(2000) {
		l := thread.NewLoop()
		th := l.Thread()
		var adopted atomic.Int32
		var all testutil.Group
		for range 3 {
			all.Go(func() {
				ends(t, func() {
					err := l.Adopt()
					if err == nil {
						adopted.Add(1)
						_ = l.ServeContext(context.Background())
					}
					if th.On() || ident.Locked() {
						t.Errorf("after %v, On %v, locked %v", err, th.On(), ident.Locked())
					}
					thread.Adopt().Close()
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

// A goroutine that has been adopted again frees what its first Loop has left. What it calls
// meanwhile may call the second.
func TestAdopt_again(t *testing.T) {
	ends(t, func() {
		other := start(t)
		first, tex := hostOf(thread.Adopt()), &texture{}
		var second *host
		ran := false
		thread.AddCleanup(first.Thread, tex, func(int) {
			other.Call(func() { second.Call(func() { ran = first.On() && second.On() }) })
		}, 0)
		ends(t, first.Terminate)
		second = hostOf(thread.Adopt())
		defer second.loop.Close()
		if first.loop.Close(); !ran || first.On() || !second.On() {
			t.Errorf("a function for the second Loop has run: %v", ran)
		}
		runtime.KeepAlive(tex)
	})
}
