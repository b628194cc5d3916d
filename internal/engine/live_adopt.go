package engine

import (
	"errors"
	"fmt"
	"runtime/pprof"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/pin"
	"github.com/threadcall/threadcall/osthread"
)

// Adopt makes the calling goroutine and its thread the engine's, unless it is on a thread of
// another. It must serve by itself. Nothing but the caller may use the engine before.
func (e *Engine) Adopt() {
	e.direct = ident.Goroutine() == 1 && ident.Trusted() // the main goroutine's thread never ends
	_ = e.AdoptLater()
}

// AdoptLater is Adopt for an engine that may have been used since it was made:
//
//	state       calls and posts     next, and by
//	unadopted   wait                adopting, by AdoptLater; terminated, by Terminate
//	adopting    wait                adopted; terminated, by AdoptLater if Terminate came meanwhile
//	adopted     run when it serves  terminated, by Terminate, or by endServing
//	terminated  are refused         none
//
// One compare-and-swap of goid lets one goroutine in, which then counts as serving: either it
// sees that Terminate has closed the queue, and changes nothing, or Terminate sees that it serves,
// and leaves the end of the identity to endServing. direct, which others read without looking at m
// first, does not change.
func (e *Engine) AdoptLater() error {
	switch {
	case e.Terminated():
		return errEnded
	case e.goid.Load() != 0:
		return errAdopted
	case Self() != nil:
		return errors.New("thread: Adopt on a thread that is a Thread already; use that one, " +
			"or call Adopt from another goroutine")
	case e.bubble != clock.Bubble():
		return errors.New("thread: NewLoop and Adopt must be called in the same bubble " +
			"of testing/synctest, or both outside")
	case !e.goid.CompareAndSwap(0, ident.Goroutine()):
		return errAdopted
	}
	e.beginServing(1)
	if !e.q.Closed() {
		e.attach()
	}
	e.endServing(1)
	if e.q.Closed() {
		e.GiveBack()
		return errEnded
	}
	return nil
}

var (
	errEnded   = fmt.Errorf("%w, so it is not adopted; make another Loop", ErrTerminated)
	errAdopted = errors.New("thread: adopted already; make a Loop for each thread")
)

func (e *Engine) attach() {
	m := ident.M()
	if p := left.Find(m); p.GiveBack() { // of an engine that another goroutine has terminated
		left.Remove(m, p)
	}
	e.pin = pin.Adopt(e.Main)
	e.claim()
	if e.Name != "" {
		before, err := osthread.Name()
		e.nameThread()
		e.pin.Undo = func() {
			pprof.SetGoroutineLabels(never)
			if err == nil { // else the system does not tell the name
				_ = osthread.SetName(before)
			}
		}
	}
	e.q.RestAlways(true)
}
