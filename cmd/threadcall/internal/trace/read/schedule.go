package read

import (
	"time"

	xtrace "golang.org/x/exp/trace"
)

// A scheduler follows the states of goroutines, and with them those of threads. Its results are made in affinity.go,
// locked.go, function.go and thread.go.
type scheduler struct {
	*analysis
	existing map[xtrace.GoID]*goroutine
	procs    map[xtrace.ProcID]proc

	population population
	moves      moves
	workers    workers
}

// A proc is a P.
type proc struct {
	stopped time.Duration // when a thread last gave it up
	by      int32         // that thread, -1 if it lost the P
}

func (s *scheduler) init(a *analysis) {
	s.analysis = a
	s.existing = map[xtrace.GoID]*goroutine{}
	s.procs = map[xtrace.ProcID]proc{}
	s.population.over.Add(0, 0)
	s.moves.init()
	s.workers.init()
}

func (s *scheduler) transition(ev *xtrace.Event) {
	t := ev.StateTransition()
	switch t.Resource.Kind {
	case xtrace.ResourceGoroutine:
		from, to := t.Goroutine()
		s.goroutine(ev, &t, from, to)
	case xtrace.ResourceProc:
		if from, to := t.Proc(); from == xtrace.ProcRunning && to == xtrace.ProcIdle {
			p := proc{stopped: s.now, by: -1}
			if t.Resource.Proc() == ev.Proc() {
				p.by = s.workers.number(ev.Thread(), s.now)
			}
			s.procs[t.Resource.Proc()] = p
		}
	}
}

func (s *scheduler) goroutine(ev *xtrace.Event, t *xtrace.StateTransition, from, to xtrace.GoState) {
	id := t.Resource.Goroutine()
	g := s.existing[id]
	if g == nil {
		if to == xtrace.GoNotExist {
			return
		}
		g = s.found(id, ev, t, from)
	}
	if g.function == 0 {
		g.function = s.begins(t.Stack)
	}
	if from == to {
		return // each generation of the trace lists the goroutines again
	}

	on := s.workers.number(ev.Thread(), s.now)
	s.leave(g)
	var at stackID
	switch to {
	case xtrace.GoRunnable, xtrace.GoWaiting, xtrace.GoSyscall:
		stack := ev.Stack()
		if from == xtrace.GoUndetermined {
			stack = t.Stack // the event is not its own
		}
		at = s.stacks.id(stack)
	}
	s.waits.leave(g, to, at)
	if from.Executing() && !to.Executing() {
		s.workers.release(g.thread, s.now)
	}
	g.state, g.since = to, s.now
	if from == xtrace.GoUndetermined {
		g.since = 0
	}
	switch to {
	case xtrace.GoRunning:
		if from == xtrace.GoSyscall {
			s.calls.resume(g)
		} else {
			s.execute(g, on, ev.Proc())
		}
	case xtrace.GoSyscall:
		if from != xtrace.GoRunning { // as the trace begins, or as C calls Go
			s.execute(g, on, ev.Proc())
		}
		g.reason = "syscall"
		s.calls.stop(g, t.Stack)
	case xtrace.GoRunnable:
		g.ready = ready{at: s.now, thread: on, proc: ev.Proc(), global: ev.Proc() == xtrace.NoProc}
		switch from {
		case xtrace.GoRunning:
			g.why, g.ready.global = s.stacks.stopReason(t.Reason, at), true
			g.reason = s.stacks.own(t.Reason)
			s.calls.stop(g, t.Stack)
		case xtrace.GoSyscall:
			g.why, g.ready.global, g.ready.syscall = inSyscall, true, true
		}
	case xtrace.GoWaiting:
		g.reason = s.stacks.own(t.Reason)
		if t.Reason == "" && s.coroutines {
			g.reason = coroutine
		}
		g.why = whyWaited(g.reason)
		s.calls.stop(g, t.Stack)
	case xtrace.GoNotExist:
		s.ended(g)
		s.population.ended++
		s.population.change(s.now, -1)
		delete(s.existing, id)
	}
	s.waits.enter(g, from, t.Reason, at)
}

// found adds a goroutine that was created, or that existed when the trace began.
func (s *scheduler) found(id xtrace.GoID, ev *xtrace.Event, t *xtrace.StateTransition, from xtrace.GoState) *goroutine {
	g := &goroutine{id: id, thread: -1, state: from, since: s.now}
	if from == xtrace.GoNotExist {
		g.created, g.first = s.stacks.id(ev.Stack()), s.now
		s.population.created++
		s.population.change(s.now, 1)
	} else {
		s.population.before++
	}
	s.existing[id] = g
	return g
}

// begins returns the outermost function of a stack.
func (s *scheduler) begins(st xtrace.Stack) int32 {
	if root := s.stacks.root(s.stacks.id(st)); root != "" {
		return s.functions.number(root)
	}
	return 0
}

// leave adds up the state that ends.
func (s *scheduler) leave(g *goroutine) {
	length := s.now - g.since
	switch g.state {
	case xtrace.GoRunning:
		g.times.running += length
		s.workers.spent(g.thread, g.since, s.now, false)
	case xtrace.GoSyscall:
		g.times.syscall += length
		s.workers.spent(g.thread, g.since, s.now, true)
	case xtrace.GoRunnable:
		g.times.runnable += length
		s.workers.waited(g, "ready to run", length)
	case xtrace.GoWaiting:
		g.times.waiting += length
		s.workers.waited(g, g.reason, length)
	}
}

// execute begins an execution.
func (s *scheduler) execute(g *goroutine, on int32, p xtrace.ProcID) {
	g.executions++
	if on >= 0 { // formats before Go 1.22 have no thread in system calls that began before the trace
		g.on.add(on)
	}
	if g.thread >= 0 && on >= 0 && g.thread != on {
		s.moved(g, on, p)
	}
	s.workers.tenant(g, on, s.procs[p], s.stops.last, s.now)
	g.thread = on
	s.workers.occupy(on, s.now)
	s.calls.resume(g)
}

// ended adds up a goroutine that has ended, or with which the trace ends.
func (s *scheduler) ended(g *goroutine) {
	s.tasks.lived(g)
	s.functions.add(g)
	s.moves.add(s, g)
	s.workers.left(g, s.now)
}

// finish ends all goroutines with the trace.
func (s *scheduler) finish(end time.Duration) {
	s.now = end
	for _, g := range s.existing {
		s.leave(g)
		if g.state == xtrace.GoRunning {
			s.waits.running += end - g.from
		}
		s.waits.block(g)
		g.since = end
		if isSystem(s.functions.list[g.function].Name) {
			s.population.system++
		}
		s.ended(g)
	}
}
