//go:build windows || (darwin && !ios) || (linux && !android && (amd64 || arm64))

package nativeloop_test

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/nativeloop"
	"github.com/threadcall/threadcall/thread"
)

// A native is what the tests need of the event loop of a thread. Each system's newNative makes it,
// on the thread.
type native struct {
	turn   func(wait bool) (handled bool) // one turn of the loop
	post   func(f func())                 // has the loop call f without the package, on any goroutine
	events func() map[uint32]*event       // that functions must not delay; on the thread
	end    func()                         // on the thread
}

type event struct {
	raise func() // on any goroutine
	seen  atomic.Int64
}

// A host is a thread with a native loop, to which it is attached.
type host struct {
	*thread.Thread
	native
	own    *thread.Loop
	detach func()
	open   int // event loops, one inside the other
}

// run runs a loop until quit has been called for it and those inside of it, on the thread.
func (h *host) run() {
	h.open++
	for level := h.open; h.open >= level; {
		h.turn(true)
	}
}

func (h *host) quit() { h.open-- }

// loop runs a loop while f runs elsewhere.
func (h *host) loop(f func()) {
	ended := make(chan bool)
	go func() {
		defer close(ended)
		defer func() { h.Call(h.quit) }()
		f()
	}()
	h.run()
	<-ended
}

// attached calls f on the thread of l, attached to a native loop.
func attached(t testing.TB, l *thread.Loop, f func(h *host)) {
	h := &host{Thread: l.Thread(), own: l, native: newNative()}
	defer h.end()
	var err error
	if h.detach, err = nativeloop.Attach(l); err != nil {
		t.Error(err)
		return
	}
	defer h.detach()
	f(h)
}

// onHost runs f on the thread of a host.
func onHost(t testing.TB, f func(h *host)) {
	t.Helper()
	needNative(t)
	testutil.Ends(t, func() {
		runtime.LockOSThread() // detach may come after Terminate
		l := thread.Adopt()
		defer l.Close()
		attached(t, l, f)
	})
}

func TestAttach_runsCallsInTheNativeLoop(t *testing.T) {
	onHost(t, func(h *host) {
		on := false
		h.loop(func() { h.Call(func() { on = h.On() }) })
		if !on {
			t.Error("the call did not run on the thread of the loop")
		}
	})
}

// What is queued behind a function that runs a loop was announced before, and must run in the loop.
func TestAttach_runsWhatIsQueuedInAnInnerLoop(t *testing.T) {
	for name, queue := range map[string]func(h *host){
		"behind": func(h *host) { h.Go(h.run); h.Go(h.quit); h.Go(h.quit) },
		"behind two": func(h *host) {
			for _, f := range []func(){h.run, h.run, h.quit, h.quit, h.quit} {
				h.Go(f)
			}
		},
		"one after the other": func(h *host) {
			h.Go(func() { h.run(); h.run(); h.quit() })
			h.Go(h.quit)
			h.Go(func() { h.Go(h.quit) })
		},
		"while the loop runs": func(h *host) {
			h.Go(func() {
				go h.Call(func() { go h.Call(h.quit) })
				h.run()
				h.quit()
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			onHost(t, func(h *host) {
				queued := make(chan bool)
				go func() { queue(h); close(queued) }()
				<-queued
				h.run()
			})
		})
	}
}

func TestAttach_usesNoCPUWhileIdle(t *testing.T) {
	onHost(t, func(h *host) {
		h.loop(func() {
			for range 10 {
				h.Call(func() {})
			}
		})
		for h.turn(false) { // what is left of wake-ups
		}
		for range 1000 {
			if h.turn(false) {
				t.Error("the loop has called the package, although nothing is queued")
				return
			}
		}
	})
}

// Native events must not wait for all that is queued.
func TestAttach_runsNativeEventsInAFlood(t *testing.T) {
	for name, flood := range map[string]func(h *host, f func() (more bool)){
		"posts": func(h *host, f func() bool) {
			var again func()
			again = func() {
				if f() {
					h.Go(again)
				}
			}
			h.Go(again)
		},
		"calls": func(h *host, f func() bool) {
			for range 8 {
				go func() {
					for more := true; more && h.Call(func() { more = f() }); {
					}
				}()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			onHost(t, func(h *host) {
				events := h.events()
				h.loop(func() {
					var over atomic.Bool
					defer over.Store(true)
					var ran atomic.Int64
					flood(h, func() bool { ran.Add(1); return !over.Load() })
					for name, e := range events {
						before, seen := ran.Load(), e.seen.Load()
						testutil.Eventually(t, func() bool {
							e.raise()
							return e.seen.Load() >= seen+20
						}, "20 of event %#x in the flood", name)
						testutil.Eventually(t, func() bool { return ran.Load() > before }, "functions")
					}
				})
			})
		})
	}
}

func TestAttach_wakesTheLoopOnce(t *testing.T) {
	onHost(t, func(h *host) {
		var ran atomic.Int32
		h.loop(func() {
			var callers sync.WaitGroup
			for range 4 {
				callers.Go(func() {
					for i := range 1000 {
						h.Go(func() { ran.Add(1) })
						if i%3 == 0 {
							h.Call(func() { h.turn(false) })
						}
					}
				})
			}
			callers.Wait()
		})
		if n := ran.Load(); n != 4000 {
			t.Errorf("%d of 4,000 functions have run", n)
		}
	})
}

// Two threads with loops, of which one is the main thread, call each other.
func TestAttach_letsTwoLoopsCallEachOther(t *testing.T) {
	onHost(t, func(h *host) {
		quit, ended := make(chan func(), 1), make(chan bool)
		go func() {
			defer close(ended)
			mainthread.Call(func() {
				attached(t, mainthread.Loop(), func(m *host) { quit <- m.quit; m.run() })
			})
		}()
		h.loop(func() {
			var callers sync.WaitGroup
			var ran atomic.Int32
			count := func() { ran.Add(1) }
			for range 2 {
				callers.Go(func() {
					for range 100 {
						h.Call(func() { mainthread.Call(count) })
					}
				})
				callers.Go(func() {
					for range 100 {
						mainthread.Call(func() { h.Call(count) })
					}
				})
			}
			callers.Wait()
			if n := ran.Load(); n != 400 {
				t.Errorf("%d of 400 functions have run", n)
			}
			mainthread.Go(<-quit)
			<-ended
		})
	})
}

func TestAttach_passesOnPanics(t *testing.T) {
	var p *thread.PanicError
	onHost(t, func(h *host) {
		h.loop(func() {
			h.OnPanic(func(given *thread.PanicError) { p = given })
			h.Go(func() { panic("posted") })
			testutil.MustPanic(t, func() { h.Call(func() { panic("called") }) }, "called")
		})
		if p == nil || p.Value != "posted" {
			t.Errorf("the handler has %v", p)
		}
	})
}

// After detach the thread is as before Attach, and may be attached again.
func TestAttach_isUndoneByDetach(t *testing.T) {
	onHost(t, func(h *host) {
		ran := 0
		turn := func(queue func(), want int) {
			t.Helper()
			h.Go(queue)
			for range 5 {
				h.turn(false)
			}
			if ran != want {
				t.Errorf("%d functions have run, want %d", ran, want)
			}
		}
		turn(func() { ran++ }, 1)
		turn(func() { ran++; h.detach(); h.detach() }, 2)
		turn(func() { ran++ }, 2)
		for _, want := range []int{4, 6} {
			detach, err := nativeloop.Attach(h.own)
			if err != nil {
				t.Error(err)
				return
			}
			turn(func() { ran++ }, want)
			h.Go(func() { ran++ }) // announced, but not run
			detach()
		}
		turn(func() { ran++ }, 6)
		if n := h.own.Serve(0); n != 2 || ran != 8 {
			t.Errorf("Serve has run %d functions, want 2", n)
		}
		woken := 0
		h.own.OnWake(func() { woken++ })
		detach, _ := nativeloop.Attach(h.own)
		testutil.Ends(t, func() { testutil.MustPanic(t, detach, "detach off the thread") })
		turn(func() { ran++ }, 9)
		detach()
		h.Go(func() {})
		if h.own.Serve(0); woken != 1 {
			t.Errorf("what OnWake had set before Attach was called %d times after detach", woken)
		}
		detach, _ = nativeloop.Attach(h.own)
		h.Terminate()
		turn(func() { ran++ }, 9)
		detach()
	})
}

func TestAttach_refusesWhatItCannotServe(t *testing.T) {
	onHost(t, func(h *host) {
		if _, err := nativeloop.Attach(h.own); err != nativeloop.ErrAttached {
			t.Errorf("the second Attach returned %v", err)
		}
		testutil.MustPanic(t, func() { nativeloop.Attach(mainthread.Loop()) }, "Attach off the thread")
		testutil.MustPanic(t, func() { nativeloop.Wait(t.Context(), mainthread.Loop(), nil) },
			"Wait off the thread")
		go h.Terminate()
		testutil.Arrives(t, h.Done())
		if _, err := nativeloop.Attach(h.own); err != thread.ErrTerminated {
			t.Errorf("Attach of a thread that has ended returned %v", err)
		}
	})
}

// BenchmarkCall compares with functions that the native loop takes from a channel.
func BenchmarkCall(b *testing.B) {
	for name, posts := range map[string]int{"call": 0, "99 posts and a call": 99} {
		b.Run(name, func(b *testing.B) {
			onHost(b, func(h *host) {
				if h.post == nil {
					return
				}
				done := make(chan bool, 1)
				byChannel := func(f func()) bool { h.post(f); return true }
				callByChannel := func(f func()) bool {
					h.post(func() { f(); done <- true })
					return <-done
				}
				took := map[string][]time.Duration{}
				measure := func(name string, post, call func(f func()) bool) {
					for range 10 {
						began := time.Now()
						for range posts {
							post(func() {})
						}
						call(func() {})
						took[name] = append(took[name], time.Since(began))
					}
				}
				h.loop(func() {
					for b.Loop() {
						measure("threadcall", h.Go, h.Call)
						measure("channel", byChannel, callByChannel)
					}
				})
				for name, t := range took {
					slices.Sort(t)
					b.ReportMetric(float64(t[len(t)/2].Nanoseconds()), name+"-p50-ns")
					b.ReportMetric(float64(t[len(t)*99/100].Nanoseconds()), name+"-p99-ns")
				}
			})
		})
	}
}
