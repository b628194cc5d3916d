package thread_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/thread"
)

func TestOnWakeTellsOnceUntilTheNextServe(t *testing.T) {
	h := adopt(t)
	var wakes atomic.Int32
	h.do(func() { h.OnWake(func() { wakes.Add(1) }) })
	for round := range int32(20) {
		for range 10 {
			h.Go(nop)
		}
		if n := wakes.Load(); n != round+1 {
			t.Fatalf("woken %d times in round %d", n, round)
		}
		h.do(func() {
			if n := h.Serve(); n != 10 {
				t.Errorf("Serve ran %d functions", n)
			}
		})
	}
}

func TestOnWakeTellsOfWhatIsQueuedAlready(t *testing.T) {
	for name, set := range map[string]func(h *host, f func()){
		"on the thread":  func(h *host, f func()) { h.do(func() { h.OnWake(f) }) },
		"off the thread": func(h *host, f func()) { h.OnWake(f) },
	} {
		t.Run(name, func(t *testing.T) {
			h := adopt(t)
			var wakes atomic.Int32
			set(h, func() { wakes.Add(1) })
			if n := wakes.Load(); n != 0 {
				t.Errorf("woken %d times with nothing queued", n)
			}
			set(h, nil)
			h.Go(nop)
			if n := wakes.Load(); n != 0 {
				t.Errorf("a function that had been removed was called %d times", n)
			}
			set(h, func() { wakes.Add(1) })
			if n := wakes.Load(); n != 1 {
				t.Errorf("woken %d times before OnWake returned", n)
			}
			h.Go(nop)
			if n := wakes.Load(); n != 1 {
				t.Errorf("woken %d times although nothing was served", n)
			}
		})
	}
}

func TestOnWakeTellsOfTheNextAfterServeHasRunWhatWasLeftOver(t *testing.T) {
	h, loop := adopt(t), newEventLoop()
	go h.do(func() { h.ServeContext(t.Context()) })
	busy := occupy(t, h.Go)
	var quit atomic.Bool
	ended := make(chan bool)
	h.Go(func() {
		h.OnWake(loop.post)
		loop.run(&quit, h.Serve)
		close(ended)
	})
	leftOver := make(chan bool)
	h.Go(func() { close(leftOver) }) // the thread takes this from the queue together with the loop
	busy.Open()
	arrives(t, leftOver)
	ends(t, func() { h.Call(nop) })
	h.Go(func() { quit.Store(true) })
	arrives(t, ended)
}

func TestOnWakeTellsOfCallsOfAllKinds(t *testing.T) {
	h := adopt(t)
	wakes := make(chan bool, 100)
	h.OnWake(func() { wakes <- true })
	for _, f := range []func(){
		func() { h.Call(nop) },
		func() { h.CallContext(t.Context(), nop) },
		func() { h.Go(nop) },
		h.Terminate,
	} {
		go f()
		arrives(t, wakes)
		h.do(func() { h.Serve() })
	}
}

func TestTheHostsOwnPostsWakeItToo(t *testing.T) {
	h := adopt(t)
	wakes := 0
	h.do(func() {
		h.OnWake(func() { wakes++ })
		for range 3 {
			h.Go(nop)
			if wakes != 1 {
				t.Errorf("woken %d times", wakes)
			}
		}
		h.Serve()
	})
}

func TestOnWakeOnAThreadOfItsOwnPanicsWithAdvice(t *testing.T) {
	mustPanic(t, func() { start(t).OnWake(func() {}) }, "Adopt")
}

// An eventLoop is what programs with windows have: it sleeps until there is an event, and knows nothing of threads.
type eventLoop struct{ events chan bool }

func newEventLoop() *eventLoop { return &eventLoop{make(chan bool, 1)} }

func (l *eventLoop) post() {
	select {
	case l.events <- true:
	default:
	}
}

func (l *eventLoop) run(quit *atomic.Bool, serve func() int) {
	for !quit.Load() {
		<-l.events
		serve()
	}
}

// callers makes many calls in many ways and returns when all have run.
func callers(t *testing.T, h *host) {
	r := seeded(t)
	ends(t, func() {
		var all group.Group
		for range 4 {
			ordered, r := fork(r), fork(r)
			all.Go(func() { inOrder(t, ordered, way{call: h.Call, post: h.Go}, scaled(10_000)) })
			all.Go(func() {
				for range scaled(1000) {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.IntN(100))*time.Microsecond)
					ran := false
					if err := h.CallContext(ctx, func() { ran = true }); (err == nil) != ran {
						t.Errorf("ran: %v, error: %v", ran, err)
					}
					cancel()
				}
			})
		}
		all.Wait()
	})
}

func TestAfterAGoexitInServeTheHostIsToldOfWhatIsLeft(t *testing.T) {
	ran, ended := make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		h := thread.Adopt()
		defer h.Terminate()
		woken := make(chan bool, 10)
		h.OnWake(func() { woken <- true })
		served := false
		defer func() {
			for !served { // a host that goes on, although its goroutine is doomed
				<-woken
				h.Serve()
			}
		}()
		h.Go(runtime.Goexit)
		h.Go(func() { served = true; close(ran) })
		<-woken
		h.Serve()
	}()
	arrives(t, ran)
	arrives(t, ended)
}

func TestAnEventLoopThatServesWhenWokenMissesNothing(t *testing.T) {
	h, loop := adopt(t), newEventLoop()
	var quit atomic.Bool
	ended := make(chan bool)
	go h.do(func() {
		h.OnWake(loop.post)
		loop.run(&quit, h.Serve)
		close(ended)
	})
	callers(t, h)
	quit.Store(true)
	loop.post()
	arrives(t, ended)
}

func TestAnEventLoopInsideACallMissesNothing(t *testing.T) {
	for name, at := range map[string]struct{ before, inside, meanwhile bool }{
		"OnWake before the call":                          {before: true},
		"OnWake inside the call":                          {inside: true},
		"OnWake by another goroutine while the loop runs": {meanwhile: true},
	} {
		t.Run(name, func(t *testing.T) {
			h, loop := adopt(t), newEventLoop()
			go h.do(func() { h.ServeContext(t.Context()) })
			h.Call(nop)
			if at.before {
				h.OnWake(loop.post)
			}
			var quit atomic.Bool
			begun := make(chan bool)
			ended := make(chan bool)
			go func() {
				h.Call(func() {
					if at.inside {
						h.OnWake(loop.post)
					}
					close(begun)
					loop.run(&quit, h.Serve)
				})
				close(ended)
			}()
			arrives(t, begun)
			if at.meanwhile {
				h.OnWake(loop.post)
			}
			callers(t, h)
			quit.Store(true)
			loop.post()
			arrives(t, ended)
			callers(t, h) // ServeContext has the thread again
		})
	}
}

func TestAnEventLoopMayTakeTurnsWithServeContext(t *testing.T) {
	h, loop := adopt(t), newEventLoop()
	var quit atomic.Bool
	ended := make(chan bool)
	go h.do(func() {
		h.OnWake(loop.post)
		for !quit.Load() {
			<-loop.events
			h.Serve()
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Microsecond)
			h.ServeContext(ctx)
			cancel()
		}
		close(ended)
	})
	callers(t, h)
	quit.Store(true)
	loop.post()
	arrives(t, ended)
}
