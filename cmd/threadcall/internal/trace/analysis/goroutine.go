package analysis

import (
	"cmp"
	"slices"
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
)

// A goroutine is one that exists.
type goroutine struct {
	life  lanes.Interval
	state lanes.Interval // the current one
	known bool           // state is one
	named bool           // life has its name

	earlier bool             // the state began before the trace
	at      *waitPlace       // where it waits; nil if it does not
	thread  int64            // on which it runs or ran last
	moved   bool             // from one thread to another
	times   [4]time.Duration // by state
	assist  time.Duration    // in which it assisted the collector
	history

	regions []*region // that are open, the innermost last
}

// waiting reports whether the goroutine is in a state that is counted as a wait.
func (g *goroutine) waiting() bool {
	return g.known && (g.state.Kind == lanes.Waiting || g.state.Kind == lanes.Syscall)
}

func goroutineID(ev *xtrace.Event) int64 {
	if g := ev.Goroutine(); g > 0 {
		return int64(g)
	}
	return lanes.None
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
	if !g.named && stack != 0 {
		g.life.Name, g.named = a.functionOf(stack)
	}
	if from == to {
		return // each generation of the trace lists the goroutines again
	}
	if g.known {
		a.leave(g, ev, to, stack)
	}
	if to == xtrace.GoNotExist {
		a.ended(g)
		a.counts.Ended++
		a.counts.change(-1)
		delete(a.existing, id)
	} else {
		a.enter(g, ev, t, stack)
	}
}

// found adds a goroutine that was created, or that existed when the trace began.
func (a *analysis) found(id int64, ev *xtrace.Event, from xtrace.GoState) *goroutine {
	g := &goroutine{thread: lanes.None}
	g.life = lanes.Interval{Kind: lanes.Life, Goroutine: id, Thread: lanes.None, By: lanes.None}
	if from == xtrace.GoNotExist {
		g.life.Start, g.life.By, g.life.Stack = a.now, goroutineID(ev), a.stack(ev.Stack())
		a.counts.Created++
		a.counts.change(1)
	} else {
		a.counts.First++
	}
	a.existing[id] = g
	return g
}

// functionOf returns the name of the outermost function of a stack that is not of a package which
// starts functions in goroutines, and whether there is one.
func (a *analysis) functionOf(stack int32) (name int32, ok bool) {
	for _, n := range slices.Backward(a.stacks[stack]) {
		switch function := a.frames[n].Func; symbol.Package(function) {
		case "sync", "golang.org/x/sync/errgroup":
		default:
			return a.name(function), true
		}
	}
	return a.name(a.root(stack)), false
}

// leave ends the state of g.
func (a *analysis) leave(g *goroutine, ev *xtrace.Event, to xtrace.GoState, stack int32) {
	v := &g.state
	switch v.Kind {
	case lanes.Running:
		v.Stack = stack
	case lanes.Waiting:
		v.By, v.ByStack = goroutineID(ev), a.stack(ev.Stack())
	}
	a.spent(g)
	switch v.Kind {
	case lanes.Running:
		a.load.change(a, -1, 0)
		a.wakeups.finish(&g.burst)
		g.did(a.waits.spot(stack, lanes.Running, "").place, v)
	case lanes.Runnable:
		a.load.change(a, 0, -1)
		if to == xtrace.GoRunning && !g.earlier && !a.ofRuntime(g) {
			a.waits.latency.Add(uint64(v.Length))
			a.wakeups.ready(v)
		}
	default:
		a.waits.leave(g, a.now)
		if v.Kind == lanes.Waiting && !g.earlier && !a.ofRuntime(g) {
			a.woken(g)
		}
		g.did(g.at, v)
		g.at = nil
	}
}

// woken records what ended the wait of g.
func (a *analysis) woken(g *goroutine) {
	v := &g.state
	h := a.existing[v.By]
	switch {
	case v.By == lanes.None:
		a.load.event(a, v)
	case h != nil && h != g:
		g.waitedFor(h, a.now)
		a.wakeups.add(h, v.ByStack, a.now)
	}
}

// ofRuntime reports whether g is the runtime's, or writes the trace.
func (a *analysis) ofRuntime(g *goroutine) bool { return ofRuntime(a.Name(g.life.Name)) }

// spent keeps and counts the state of g, which ends now.
func (a *analysis) spent(g *goroutine) {
	v := g.state
	switch {
	case v.Kind < lanes.Runnable:
	case v.Kind == lanes.Waiting && (g.at.Reason == mutex || g.at.Reason == rwMutex):
		v.Kind = lanes.Lock
		fallthrough
	default:
		v.Thread = lanes.None
	}
	a.end(&v)
	g.state.Length = v.Length
	g.times[g.state.Kind] += v.Length
}

// enter begins a state of g.
func (a *analysis) enter(g *goroutine, ev *xtrace.Event, t *xtrace.StateTransition, stack int32) {
	from, to := t.Goroutine()
	before := g.state
	g.known, g.earlier = true, from == xtrace.GoUndetermined
	g.state = lanes.Interval{
		Start: a.now, Goroutine: g.life.Goroutine, Thread: before.Thread, By: lanes.None, Stack: stack,
	}
	if g.earlier {
		g.state.Start = 0
	}
	switch to {
	case xtrace.GoRunning:
		g.state.Kind, g.state.Thread = lanes.Running, int64(ev.Thread())
		if from != xtrace.GoSyscall {
			a.execute(g)
		}
		a.load.change(a, 1, 0)
	case xtrace.GoSyscall:
		g.state.Kind = lanes.Syscall
		if from != xtrace.GoRunning { // as the trace begins, or as C calls Go
			g.state.Thread = int64(ev.Thread())
			a.execute(g)
		}
		a.waits.enter(g, stack, systemCall)
	case xtrace.GoWaiting:
		g.state.Kind = lanes.Waiting
		reason := t.Reason
		if reason == "" && from == xtrace.GoRunning {
			reason = coroutine
		}
		a.waits.enter(g, stack, reason)
	case xtrace.GoRunnable:
		g.state.Kind = lanes.Runnable
		a.load.change(a, 0, 1)
		switch from {
		case xtrace.GoRunning:
			g.state.Name = a.name(cmp.Or(stopReasons[t.Reason], unknown))
		case xtrace.GoSyscall, xtrace.GoWaiting:
			g.state.Stack = before.Stack
		case xtrace.GoNotExist:
			g.state.Stack = g.life.Stack
		}
		if from == xtrace.GoWaiting || from == xtrace.GoNotExist {
			g.state.By, g.state.ByStack = goroutineID(ev), a.stack(ev.Stack())
		}
	default:
		g.known = false
	}
}

// execute begins an uninterrupted stay on a thread.
func (a *analysis) execute(g *goroutine) {
	on := g.state.Thread
	g.moved = g.moved || g.thread >= 0 && g.thread != on
	g.thread = on
	a.ran[on] = true
}

// ended sums up a goroutine that has ended, or with which the trace ends.
func (a *analysis) ended(g *goroutine) {
	for _, r := range slices.Backward(g.regions) {
		a.end(&r.Interval)
	}
	a.end(&g.life)
	f := a.function(g.life.Name)
	f.Goroutines++
	f.Assist += g.assist
	f.Running += g.times[lanes.Running]
	f.Runnable += g.times[lanes.Runnable]
	f.Waiting += g.times[lanes.Waiting]
	f.Syscall += g.times[lanes.Syscall]
	a.judge(g)
}

// finishGoroutines ends all goroutines with the trace.
func (a *analysis) finishGoroutines() {
	for _, g := range a.existing {
		if g.known {
			a.spent(g)
			a.waits.finish(g)
			if g.state.Kind == lanes.Running {
				g.did(a.waits.spot(0, lanes.Running, "").place, &g.state)
			}
		}
		a.ended(g)
	}
}
