package engine

import (
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/pin"
	"github.com/threadcall/threadcall/osthread"
)

// The identity of a thread is m. It begins when the thread can run calls in place, and ends
//
//	a thread of the engine's own  with its goroutine, which endIdentity does  by the thread
//	an adopted one                with Terminate, if it does not serve then   by any goroutine
//	                              else when it has stopped serving            by the thread
//
// An adopted goroutine may end without Terminate, and the runtime use its m again. A goroutine that
// serves is alive; while it does not, the operating system's number of the thread must agree, see
// On.
type identity struct {
	m atomic.Uintptr // the thread, as ident.M has it; zero while it has no identity

	own    bool // the thread is the engine's own, made by Start; does not change
	direct bool // or the main goroutine's: m cannot mean another thread; and ident.M is ident.ReadM
}

// An adoption is what else tells who serves.
type adoption struct {
	// how many of Serve, ServeContext, Wait and waits for other threads are under way, and, times
	// loops, how many of the first three; only the thread changes it
	serving atomic.Int64
	tid     atomic.Uint64 // the thread's number in the operating system, or zero
	goid    atomic.Uint64 // and its number in stack traces, if it is adopted; zero before AdoptLater
	pin     *pin.Pin      // the locks of an adopted goroutine
}

// claim makes the calling goroutine the one that serves. If that has been adopted again, and calls
// GiveBack for e, Self goes on to find the other engine: what waits, waits for that.
func (e *Engine) claim() {
	e.tid.Store(ident.Thread())
	e.Labels.G = ident.G()
	m := ident.M()
	if Self() == nil {
		threads.Add(m, e)
	}
	e.m.Store(m)
}

// endIdentity ends the identity of the thread. The main thread of package mainthread is the main
// thread for ever, and so keeps it, but is no longer found.
func (e *Engine) endIdentity() {
	if m := e.m.Load(); threads.Remove(m, e) && e.pin.Held() {
		left.Add(m, e.pin)
	}
	if !e.Main {
		e.m.Store(0)
		e.tid.Store(0)
	}
}

// stackID is what stack.Of is given for the goroutine that serves.
func (e *Engine) stackID() string {
	if e.own {
		return fmt.Sprintf("%p", e)
	}
	return strconv.FormatUint(e.goid.Load(), 10)
}

// String names the thread in a message.
func (e *Engine) String() string {
	name := e.Name
	switch {
	case e.Main:
		return "the main thread"
	case e.pool != nil:
		if name != "" {
			return fmt.Sprintf("thread %d of the pool %q", e.index, name)
		}
		return fmt.Sprintf("thread %d of a pool without a name", e.index)
	case name != "":
		return fmt.Sprintf("thread %q", name)
	}
	if tid := e.tid.Load(); tid != 0 {
		return fmt.Sprintf("a thread without a name (%d in the operating system)", tid)
	}
	return "a thread without a name"
}

// nameThread gives the thread its name, if it has one: for the operating system, and as the label
// thread of what runs there.
func (e *Engine) nameThread() {
	if e.Name == "" {
		return
	}
	name := e.threadName()
	_ = osthread.SetName(name) // without it, or with its beginning, the thread is as good
	e.Labels.Name(name)
}

// threadName returns the name of the thread. Those of a pool are numbered, and cut before that, so
// that the system shows the number.
func (e *Engine) threadName() string {
	const shown = 15 // bytes, on Linux
	name := e.Name
	switch number := "-" + strconv.Itoa(e.index); {
	case e.Main:
		return "main"
	case e.pool == nil || name == "":
		return name
	default:
		return name[:min(len(name), shown-len(number))] + number
	}
}

// On reports whether the caller is on the thread, also as a coroutine.
//
// A goroutine that is not locked may be moved to another thread at any moment, even while it
// compares. So its own m counts only if the engine had that m both before and after the goroutine
// has looked at its own: in between nothing but the serving goroutine and its coroutines ran there.
//
//threadcall:noalloc
func (e *Engine) On() bool {
	m := e.m.Load()
	if e.direct { // the rest, where that is short
		return m == ident.ReadM() && m == e.m.Load()
	}
	return m == ident.M() && m == e.m.Load() && (e.own || e.lives())
}

// lives reports whether the caller, whose m is that of an adopted thread, is on that thread, and
// not on one that was given the m after the adopted goroutine had ended.
func (a *adoption) lives() bool {
	if a.serving.Load() > 0 {
		return true
	}
	if tid := ident.Thread(); tid != 0 {
		return a.tid.Load() == tid
	}
	return a.pin.Goroutine == ident.Goroutine() // and so coroutines are not recognised
}

var (
	threads ident.Table[Engine]  // those that serve
	left    ident.Table[pin.Pin] // locks that goroutines still hold although their thread has ended
)

// mayBeOn reports whether the caller, whose ReadM is m, may be on a thread; if not, Self returns
// nil. It is inlined: Self and the table's code are on pages that other calls need not touch.
//
//threadcall:noalloc
func (i *identity) mayBeOn(m uintptr) bool { return !i.direct || threads.May(m) }

// Self returns the engine whose thread the caller is on, or nil. A goroutine on no engine's thread
// may find any engine, and then sees that it is not on its thread.
//
//threadcall:noalloc
func Self() *Engine {
	if e := threads.Find(ident.M()); e != nil && e.On() {
		return e
	}
	return nil
}
