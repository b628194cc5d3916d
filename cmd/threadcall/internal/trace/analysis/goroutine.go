package analysis

import (
	"slices"
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/report/trace"
)

// A state is what a goroutine does.
type state uint8

const (
	stateUnknown state = iota
	stateRunning
	stateSyscall // on a thread, with a P or without
	stateReady   // but not running
	stateWaiting
)

// none stands for a goroutine that is not in the trace.
const none = -1

// A stay is a time for which a goroutine is in one state.
type stay struct {
	state         state
	start, length time.Duration // from the start of the trace
	goroutine     int64
	stack         *stack // where the goroutine stopped
	byStack       *stack // where another one ended the wait or made it ready
}

// A goroutine is one that exists.
type goroutine struct {
	id       int64
	function string // the outermost one
	named    bool   // the trace has it
	timed    bool   // a timer has started it
	start    time.Duration
	created  *stack // nowhere before the trace
	stay     stay   // the current one

	earlier bool             // the stay began before the trace
	at      *waitPlace       // where it waits; nil if it does not
	after   *waitPlace       // where it waited before it was ready and ran
	thread  int64            // on which it runs or ran last
	moved   bool             // from one thread to another
	times   [5]time.Duration // by state
	assist  time.Duration    // in which it assisted the collector
	history

	regions []region // that are open, the innermost last
}

func goroutineID(ev *xtrace.Event) int64 {
	if g := ev.Goroutine(); g > 0 {
		return int64(g)
	}
	return none
}

func (a *analysis) transition(ev *xtrace.Event, t *xtrace.StateTransition) {
	from, to := t.Goroutine()
	id := int64(t.Resource.Goroutine())
	g := a.existing[id]
	if g == nil {
		if to == xtrace.GoNotExist {
			return
		}
		g = a.found(id, ev, from)
	}
	stack := a.stack(t.Stack)
	if !g.named && stack != a.nowhere {
		g.function, g.named = stack.function()
	}
	if from == to {
		return // each generation of the trace lists the goroutines again
	}
	if g.stay.state != stateUnknown {
		a.leave(g, ev, to, stack)
	}
	if to == xtrace.GoNotExist {
		a.ended(g)
		a.Goroutines.Ended++
		a.more--
		delete(a.existing, id)
	} else {
		a.enter(g, ev, t, stack)
	}
}

// found adds a goroutine that was created, or that existed when the trace began.
func (a *analysis) found(id int64, ev *xtrace.Event, from xtrace.GoState) *goroutine {
	g := &goroutine{id: id, thread: none, created: a.nowhere}
	if from == xtrace.GoNotExist {
		g.start, g.created = a.now, a.stack(ev.Stack())
		g.timed = ev.Goroutine() == xtrace.NoGoroutine
		a.Goroutines.Created++
		a.more++
		a.peak = max(a.peak, a.more)
	} else {
		a.Goroutines.First++
	}
	a.existing[id] = g
	return g
}

// function returns the name of the outermost function that is not of a package which starts
// functions in goroutines, and whether there is one.
func (s *stack) function() (name string, ok bool) {
	for _, f := range slices.Backward(s.frames) {
		switch symbol.Package(f.Func) {
		case "sync", "golang.org/x/sync/errgroup":
		default:
			return f.Func, true
		}
	}
	return s.root(), false
}

// leave ends the stay of g.
func (a *analysis) leave(g *goroutine, ev *xtrace.Event, to xtrace.GoState, stack *stack) {
	v, at, root := &g.stay, g.at, (*goroutine)(nil)
	a.spent(g)
	switch v.state {
	case stateRunning:
		a.change(-1, 0)
		a.endBurst(g)
		if g.after != nil {
			g.after.Ran.Add(uint64(v.length))
		}
		if to != xtrace.GoRunnable {
			g.after = nil
		}
		at = a.spot(stack, stateRunning, "")
	case stateReady:
		a.change(0, -1)
		if g.after != nil {
			g.after.Ready.Add(uint64(v.length))
		}
		at = a.spot(v.stack, stateReady, trace.Ready)
		if to == xtrace.GoRunning && !g.earlier && !ofRuntime(g.function) {
			a.Waiting.Latency.Add(uint64(v.length))
			a.wasReady(v)
		}
	default:
		by := goroutineID(ev)
		if v.state == stateWaiting {
			v.byStack = a.stack(ev.Stack())
			if how := v.byStack.meaning(); at.Reason == trace.Sleep || how == trace.Sleep ||
				how == trace.ChannelReceive && at.Reason == how {
				by, v.byStack = none, a.nowhere // a timer, whose time came while another goroutine stopped
			}
		}
		a.waited(g)
		if v.state == stateWaiting && !g.earlier && !ofRuntime(g.function) {
			root = a.woken(g, by)
			g.after = at
		}
		g.at = nil
	}
	if v.state != stateReady {
		g.did(at, v)
	}
	g.acted(at, v, root)
}

// woken records which goroutine ended the wait of g, or that an event did. It returns the one for
// which g waited, if there is one.
func (a *analysis) woken(g *goroutine, by int64) *goroutine {
	h := a.existing[by]
	switch {
	case by == none:
		a.late(&g.stay)
	case h != nil && h != g:
		a.wakes(h, g.stay.byStack)
		return a.waitedFor(g, h)
	}
	return nil
}

// ran returns for how long g has run.
func (g *goroutine) ran(now time.Duration) time.Duration {
	if g.stay.state == stateRunning {
		return g.times[stateRunning] + now - g.stay.start
	}
	return g.times[stateRunning]
}

// spent counts the stay of g, which ends now.
func (a *analysis) spent(g *goroutine) {
	g.stay.length = a.now - g.stay.start
	g.times[g.stay.state] += g.stay.length
}

// enter begins a stay of g.
func (a *analysis) enter(g *goroutine, ev *xtrace.Event, t *xtrace.StateTransition, stack *stack) {
	from, to := t.Goroutine()
	g.earlier = from == xtrace.GoUndetermined
	g.stay = stay{start: a.now, goroutine: g.id, stack: stack, byStack: a.nowhere}
	if g.earlier {
		g.stay.start = 0
	}
	switch to {
	case xtrace.GoRunning:
		g.stay.state = stateRunning
		if from != xtrace.GoSyscall {
			a.execute(g, int64(ev.Thread()))
		}
		a.change(1, 0)
	case xtrace.GoSyscall:
		g.stay.state = stateSyscall
		if from != xtrace.GoRunning { // as the trace begins, or as C calls Go
			a.execute(g, int64(ev.Thread()))
		}
		a.wait(g, trace.SystemCall)
	case xtrace.GoWaiting:
		g.stay.state = stateWaiting
		reason := t.Reason
		if reason == "" && from == xtrace.GoRunning {
			reason = trace.Coroutine
		}
		a.wait(g, reason)
	case xtrace.GoRunnable:
		g.stay.state = stateReady
		a.change(0, 1)
		if from == xtrace.GoWaiting || from == xtrace.GoNotExist {
			g.stay.byStack = a.stack(ev.Stack())
		}
	}
}

// execute begins an uninterrupted stay on a thread.
func (a *analysis) execute(g *goroutine, thread int64) {
	g.moved = g.moved || g.thread >= 0 && g.thread != thread
	g.thread = thread
	a.ran[thread] = true
}

// ended sums up a goroutine that has ended, or with which the trace ends.
func (a *analysis) ended(g *goroutine) {
	f := a.function(g.function)
	f.Goroutines++
	if g.timed {
		f.Timed++
	}
	f.Assist += g.assist
	f.Running += g.times[stateRunning]
	f.Runnable += g.times[stateReady]
	f.Waiting += g.times[stateWaiting]
	f.Syscall += g.times[stateSyscall]
	a.sumUp(g)
}

// finishGoroutines ends all goroutines with the trace.
func (a *analysis) finishGoroutines() {
	for _, g := range a.existing {
		if g.stay.state != stateUnknown {
			a.spent(g)
			a.block(g)
			if g.stay.state == stateRunning {
				g.did(a.spot(a.nowhere, stateRunning, ""), &g.stay)
			}
		}
		a.ended(g)
	}
}
