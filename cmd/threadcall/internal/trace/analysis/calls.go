package analysis

import (
	"fmt"
	"strings"
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/report/trace"
)

// In traces, a call of threadcall is a task whose type begins with taskPrefix. The caller begins it
// and ends it, but the thread ends it if the caller does not wait. The function is a region of the
// task, on the thread. A function that is called on the thread itself is a region without a task,
// or of a task that the same goroutine began.
const (
	taskPrefix = "threadcall."
	regionType = "threadcall"
	posted     = "Go" // the kind without a wait, which is queued also if the thread itself calls
)

// slowCategory is the category of log events that are slow calls; the task is the call's.
const slowCategory = "threadcall.slow"

// A task is that of a call whose end has not been seen. The parts of a call come in any order,
// because the clocks of two cores can differ.
type task struct {
	begun, ended, running, ran bool
	kind                       string        // what follows taskPrefix
	at, end                    time.Duration // the call
	caller                     int64
	stack                      *stack
	from, to                   time.Duration // the function
	runner                     int64         // that runs it
}

// A region is a function of threadcall that runs.
type region struct {
	task  xtrace.TaskID
	start time.Duration
	stack *stack
}

func (a *analysis) task(id xtrace.TaskID) *task {
	return entry(a.tasks, id, task{caller: none, stack: a.nowhere})
}

func (a *analysis) taskBegin(ev *xtrace.Event) {
	of := ev.Task()
	if kind, ok := strings.CutPrefix(of.Type, taskPrefix); ok {
		t := a.task(of.ID)
		t.begun, t.at, t.kind = true, a.now, a.text(kind)
		t.caller, t.stack = goroutineID(ev), a.stack(ev.Stack())
	}
}

func (a *analysis) taskEnd(ev *xtrace.Event) {
	id := ev.Task().ID
	if t := a.tasks[id]; t != nil {
		t.ended, t.end = true, a.now
		a.check(id, t)
	}
}

// check counts a task if all its parts are known.
func (a *analysis) check(id xtrace.TaskID, t *task) {
	switch {
	case t.begun && t.ended && t.ran:
		a.count(t)
	case t.begun && t.ended && !t.running:
		a.Calls.NotRun++
	case t.ended && t.ran:
		a.Calls.Unfinished++
	default:
		return
	}
	delete(a.tasks, id)
}

func (a *analysis) regionBegin(ev *xtrace.Event) {
	of, g := ev.Region(), a.existing[int64(ev.Goroutine())]
	if g == nil || of.Type != regionType {
		return
	}
	g.regions = append(g.regions, region{of.Task, a.now, a.stack(ev.Stack())})
	if of.Task != xtrace.BackgroundTask {
		t := a.task(of.Task)
		t.running, t.from, t.runner = true, a.now, g.id
	}
}

// regionEnd ends a function, and joins it with its call.
func (a *analysis) regionEnd(ev *xtrace.Event) {
	of, g := ev.Region(), a.existing[int64(ev.Goroutine())]
	if g == nil || of.Type != regionType {
		return
	}
	i := len(g.regions) - 1
	for i >= 0 && g.regions[i].task != of.Task {
		i--
	}
	if i < 0 { // it began before the trace
		a.Calls.Unfinished++
		return
	}
	r := g.regions[i]
	g.regions = g.regions[:i] // the ends of the inner ones are missing
	t := &task{begun: true, ended: true, running: true, kind: "in place", from: r.start,
		runner: g.id, at: r.start, end: a.now, caller: g.id, stack: r.stack}
	if r.task != xtrace.BackgroundTask {
		t = a.task(r.task)
	}
	t.ran, t.to = true, a.now
	a.check(of.Task, t)
}

func (a *analysis) count(t *task) {
	a.Calls.Total++
	if t.caller == t.runner && t.kind != posted {
		a.Calls.InPlace++
	}
	key := placeKey{t.kind, t.stack.caller()}
	p := entry(a.calls, key, trace.CallPlace{Frame: key.Frame, Kind: t.kind})
	p.Queued.Add(uint64(max(0, t.from-t.at)))
	p.Run.Add(uint64(t.to - t.from))
	if length := max(t.end, t.to) - t.at; length > p.Longest.Length {
		p.Longest = trace.Moment{At: t.at, Length: length, Goroutine: t.caller}
	}
}

// log adds a call that OnSlowCall has reported.
func (a *analysis) log(ev *xtrace.Event) {
	l := ev.Log()
	s := trace.SlowCall{At: a.now, Goroutine: none, Queued: -1}
	n, _ := fmt.Sscanf(l.Message, "goroutine=%d thread=%d running=%d", &s.Runner, &s.Thread,
		&s.Running)
	if l.Category != slowCategory || n < 3 || s.Running < 0 {
		return
	}
	from, on := a.nowhere, a.nowhere
	if t := a.tasks[l.Task]; t != nil && t.begun {
		s.Kind, s.Goroutine, from = t.kind, t.caller, t.stack
		if t.running {
			s.Queued = max(0, t.from-t.at)
		}
	}
	if g := a.existing[s.Runner]; g != nil {
		for _, r := range g.regions {
			if r.task == l.Task {
				on = r.stack
			}
		}
		if g.at != nil && len(g.regions) > 0 {
			s.Waits, s.Waited, on = g.at.Reason, a.now-g.stay.start, g.stay.stack
		}
	}
	s.From, s.On, s.By, s.Place = from.list(), on.list(), from.caller(), a.place(on).Frame
	if len(a.Calls.Slow) == shown {
		a.Calls.Slow = a.Calls.Slow[1:]
	}
	a.Calls.Slow = append(a.Calls.Slow, s)
}
