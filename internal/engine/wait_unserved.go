package engine

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/stack"
)

// A call to the thread of a host that nothing serves waits for ever: in a test binary without
// TestMain, for a loop that has ended, for an adoption that never comes. So a call that has waited
// for five seconds for such a thread says so, once for each thread.
//
// The callers of a thread are counted, those that began to wait in even and in odd periods apart.
// While some wait, a timer ends each period after five seconds. Those that are counted for the
// period before have waited for at least as long then:
//
//	watched  means                next, and by
//	false    there is no timer    true, by beginWatch: a caller that finds the thread not serving, or
//	                              the thread when it has stopped serving and callers wait
//	true     the timer is set,    false, by checkUnserved, which then sets it again if callers wait
//	         or the thread was    and the thread does not serve: a caller that has begun to wait, or
//	         reported             the thread that has stopped serving, may have found watched true
//
// A caller counts itself and then looks whether the thread serves; the thread stops serving and
// then looks whether callers wait. So at least one of them sees the other. The side that sets
// watched has the watch until checkUnserved has reset it. No timer is set for ever, or the Go
// runtime would find no deadlock.
type unserved struct {
	waits   [2]atomic.Int32 // callers that wait since an even period, and since an odd one
	period  atomic.Uint32
	watched atomic.Bool
	first   atomic.Bool // the caller that has set watched waits

	// of the side that has the watch
	alarm  clock.Alarm // the timer
	served uint32      // what it was when the period began
	looked bool        // at the stack of the thread's goroutine, in this period
	stack  string      // at the last look
	from   string      // where the caller is that has set watched, if one has
}

const (
	unservedFor = 5 * time.Second
	secondLook  = time.Second // after the first, at the end of the period

	// a variable of the environment: with a value, nothing is reported
	silencer = "THREADCALL_INIT_WARNING"
)

// beginWait is called by a caller that is about to wait for the thread of a host; endWait gets its
// results.
//
//threadcall:noalloc
func (e *Engine) beginWait() (period uint32, first bool) {
	u := &e.unserved
	period = u.period.Load() % 2
	u.waits[period].Add(1)
	if e.serving.Load() < loops && !u.watched.Load() {
		first = e.beginWatch(true) //threadcall:alloc for the first
	}
	return period, first
}

// endWait ends what beginWait has begun.
//
//threadcall:noalloc
func (e *Engine) endWait(period uint32, first bool) {
	if first {
		e.unserved.first.Store(false) // of a later watch, too: then the report does not have its place
	}
	e.unserved.waits[period].Add(-1)
}

// awaited reports whether callers wait.
func (u *unserved) awaited() bool { return u.waits[0].Load()+u.waits[1].Load() > 0 }

// beginWatch sets the timer, unless that is set, and reports whether it has.
func (e *Engine) beginWatch(caller bool) bool {
	u, inside := &e.unserved, clock.InBubble()
	switch {
	case e.bubble != 0, e.q.Closed(), inside && e.served.Load() != 0,
		!u.watched.CompareAndSwap(false, true):
		return false
	}
	u.alarm.Init(e.checkUnserved, false)
	if u.first.Store(caller); caller {
		pcs := make([]uintptr, 32)
		u.from = stack.Caller(pcs[:runtime.Callers(2, pcs)])
	}
	if !inside {
		e.nextPeriod()
	} else { // a timer of the bubble would stand still; cleanups run outside
		runtime.AddCleanup(new([2]*byte), (*Engine).nextPeriod, e)
		runtime.GC()
	}
	return true
}

func (e *Engine) nextPeriod() {
	u := &e.unserved
	u.served, u.looked = e.served.Load(), false
	u.period.Add(1)
	u.alarm.Set(unservedFor - secondLook)
}

// checkUnserved is called by the timer. It reports the thread if a caller has waited for
// unservedFor, and the thread has not served in that time, nor runs a function for a thread that it
// waits for. If the main goroutine has ended, nothing will serve the main thread any more, and
// calls are refused from then on.
func (e *Engine) checkUnserved() {
	u := &e.unserved
	before := u.waits[(u.period.Load()+1)%2].Load()
	u.watched.Store(false)
	awaited, serving := u.awaited(), e.serving.Load()
	switch {
	case e.q.Closed(), !awaited, serving >= loops, serving > 0 && e.wait.Load() == nil,
		!u.watched.CompareAndSwap(false, true):
		return
	case before == 0 || e.served.Load() != u.served:
		e.nextPeriod()
		return
	}
	todo, later := e.missing()
	switch {
	case !u.looked:
		u.looked = true
		u.alarm.Set(secondLook)
	case todo != "":
		e.reportUnserved(todo)
		if e.Main && u.stack == "" {
			e.Terminate()
		}
	case later:
		e.nextPeriod()
	default:
		u.watched.Store(false) // the next caller, or the thread when it has served, sets it
	}
}

// missing returns what is to be done about a thread that does not serve, or nothing if it may serve
// again; later is whether that is known later. A host whose event loop calls Serve when OnWake has
// notified it may be in a dialog or in other native code. One whose loop is in Go may compute, or
// call C or another thread, between two calls of Wait, ServeContext or Serve; but if its goroutine
// waits in the same place in Go at two checks, the loop has ended.
func (e *Engine) missing() (todo string, later bool) {
	const (
		serve     = "call Wait, Serve or ServeContext "
		terminate = "or Close, so that calls return false"
	)
	u, served := &e.unserved, e.served.Load()
	if e.m.Load() == 0 {
		return "call Adopt of its Loop, and serve, or Terminate, so that calls return false", false
	}
	state, at := stack.State(e.stackID())
	stays := at == u.stack
	u.stack = at
	switch {
	case state == "" && e.Main:
		return "the main goroutine has ended, so calls return false; call mainthread.Init, which " +
			"serves after runtime.Goexit, too, or in a library for C programs thread.Adopt", false
	case state == "":
		return "its goroutine has ended, which must serve until it has called Close", false
	case e.onWake.Load() != nil && served&byWait == 0:
		return "", false
	case served == 0 && e.Main:
		return "call mainthread.Init from main, as in func main() { mainthread.Init(run) }; " +
			"or from TestMain, as in " +
			"func TestMain(m *testing.M) { mainthread.Init(func() { os.Exit(m.Run()) }) }", false
	case served == 0:
		return serve + "on the goroutine that has called Adopt, " + terminate, false
	case e.serving.Load() > 0:
		return "", false
	case !stays || strings.HasPrefix(state, "run") || strings.HasPrefix(state, "syscall"):
		return "", true
	}
	todo = "its goroutine waits for something else (" + state + "); " + serve + "again, "
	if e.Main {
		return todo + "or mainthread.Loop().Close(), so that calls return false", false
	}
	return todo + terminate, false
}

func (e *Engine) reportUnserved(todo string) {
	if os.Getenv(silencer) != "" {
		return
	}
	u, call := &e.unserved, "a call"
	if u.first.Load() && u.from != "" {
		call += " made at " + u.from
	}
	fmt.Fprintf(os.Stderr, "threadcall: %s has waited for %v for %v, which nothing serves: %s "+
		"(%s=off in the environment silences this)\n", call, unservedFor, e, todo, silencer)
}
