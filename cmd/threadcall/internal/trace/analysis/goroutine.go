package analysis

import (
	"slices"
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// A goroutine is one that exists.
type goroutine struct {
	life  lanes.Interval
	state lanes.Interval // the current one
	known bool           // state is one
	named bool           // life has its name

	earlier    bool  // the state began before the trace
	at         *spot // where it left the processor or was created
	thread     int64 // on which it runs or ran last
	why        int32 // the name of the reason for the end of the last execution
	executions uint64
	moves      uint64
	times      [4]time.Duration // by state

	regions []*region // that are open, the innermost last
	locked  report.LockedThread
}

// waiting reports whether the goroutine is in a state that is counted as a wait.
func (g *goroutine) waiting() bool {
	return g.known && (g.state.Kind == lanes.Waiting || g.state.Kind == lanes.Syscall)
}

// executing reports whether the goroutine is on a thread.
func (g *goroutine) executing() bool { return g.known && g.state.Kind <= lanes.Syscall }

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
	executing := g.executing()
	if g.known {
		a.leave(g, ev, to, stack)
	}
	if to == xtrace.GoNotExist {
		a.ended(g)
		a.counts.Ended++
		a.counts.over.Add(a.now, a.counts.over.Last-1)
		delete(a.existing, id)
	} else {
		a.enter(g, ev, t, stack)
	}
	if executing && !(g.executing() && to.Executing()) {
		a.threads.release(g.thread, a.now)
	}
}

// found adds a goroutine that was created, or that existed when the trace began.
func (a *analysis) found(id int64, ev *xtrace.Event, from xtrace.GoState) *goroutine {
	g := &goroutine{thread: lanes.None}
	g.life = lanes.Interval{Kind: lanes.Life, Goroutine: id, Thread: lanes.None, By: lanes.None}
	if from == xtrace.GoNotExist {
		g.life.Start, g.life.By, g.life.Stack = a.now, goroutineID(ev), a.stack(ev.Stack())
		a.counts.Created++
		a.counts.over.Add(a.now, a.counts.over.Last+1)
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
	a.waits.leave(g, a.now, to == xtrace.GoRunning)
	g.waited(a.tables)
}

// spent keeps and counts the state of g, which ends now.
func (a *analysis) spent(g *goroutine) {
	v := g.state
	if v.Kind >= lanes.Runnable {
		v.Thread = lanes.None
	}
	a.end(&v)
	g.state.Length = v.Length
	g.times[v.Kind] += v.Length
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
	case xtrace.GoSyscall:
		g.state.Kind = lanes.Syscall
		if from != xtrace.GoRunning { // as the trace begins, or as C calls Go
			g.state.Thread = int64(ev.Thread())
			a.execute(g)
		}
		g.at = a.waits.spot(stack, lanes.Syscall, systemCall)
		a.waits.enter(g)
	case xtrace.GoWaiting:
		g.state.Kind = lanes.Waiting
		reason := t.Reason
		if reason == "" && a.coroutines && from == xtrace.GoRunning {
			reason = coroutine
		}
		g.at = a.waits.spot(stack, lanes.Waiting, reason)
		g.state.Name, g.why = g.at.name, g.at.name
		a.waits.enter(g)
	case xtrace.GoRunnable:
		g.state.Kind = lanes.Runnable
		switch from {
		case xtrace.GoRunning:
			g.at = a.waits.spot(stack, lanes.Runnable, t.Reason)
			g.state.Name, g.why = g.at.name, g.at.name
		case xtrace.GoSyscall:
			g.state.Stack, g.why = before.Stack, a.name(systemCall)
		case xtrace.GoWaiting:
			g.state.Stack = before.Stack
		case xtrace.GoNotExist:
			how := created
			if ofRuntime(a.Name(g.life.Name)) {
				how = runtimes
			}
			g.state.Stack = g.life.Stack
			g.at = a.waits.spot(g.life.Stack, lanes.Life, how)
		}
		if from == xtrace.GoWaiting || from == xtrace.GoNotExist {
			g.state.By, g.state.ByStack = goroutineID(ev), a.stack(ev.Stack())
		}
	default:
		g.known = false
	}
}

// execute begins an execution.
func (a *analysis) execute(g *goroutine) {
	on := g.state.Thread
	g.executions++
	if g.thread >= 0 && on >= 0 && g.thread != on {
		g.moves++
		entry(a.moves.why, g.why, report.Count{Name: a.Name(g.why)}).N++
	}
	g.thread = on // None in system calls that began before the trace, in formats before Go 1.22
	a.threads.occupy(on, a.now)
}

// ended sums up a goroutine that has ended, or with which the trace ends.
func (a *analysis) ended(g *goroutine) {
	for _, r := range slices.Backward(g.regions) {
		a.end(&r.Interval)
	}
	a.end(&g.life)
	f := a.function(g.life.Name)
	f.Goroutines++
	f.Executions += g.executions
	f.Moves += g.moves
	f.Running += g.times[lanes.Running]
	f.Runnable += g.times[lanes.Runnable]
	f.Waiting += g.times[lanes.Waiting]
	f.Syscall += g.times[lanes.Syscall]
	if g.executions > 0 {
		a.moves.Executions += g.executions
		a.moves.Moves += g.moves
	}
	if l := g.locked; l.Calls > 0 {
		l.Thread, l.Goroutine, l.Function = g.thread, g.life.Goroutine, f.Name
		l.Running, l.Syscall = g.times[lanes.Running], g.times[lanes.Syscall]
		l.Idle = g.times[lanes.Runnable] + g.times[lanes.Waiting]
		a.locked = append(a.locked, l)
	}
}

// finishGoroutines ends all goroutines with the trace.
func (a *analysis) finishGoroutines() {
	for _, g := range a.existing {
		if g.known {
			a.spent(g)
			a.waits.finish(g)
		}
		if isSystem(a.Name(g.life.Name)) {
			a.counts.System++
		}
		a.ended(g)
	}
}
