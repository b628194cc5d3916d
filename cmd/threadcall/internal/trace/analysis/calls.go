package analysis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
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

// The categories of log events of package recorder and of threadcall.
const (
	threadCategory = "threadcall.thread" // "id name" of a thread
	slowCategory   = "threadcall.slow"   // a slow call; the task is the call's
)

// A task is that of a call whose end has not been seen. The parts of a call come in any order,
// because the clocks of two cores can differ.
type task struct {
	begun, ended, running, ran bool
	kind                       string        // what follows taskPrefix
	at, end                    time.Duration // the call
	caller                     int64
	stack                      int32
	from, to                   time.Duration // the function
	runner                     int64         // that runs it
}

// A region is one that is open.
type region struct {
	lanes.Interval
	call bool // a function of threadcall
}

// calls sums up the calls of threadcall.
type calls struct {
	report.Calls
	places map[place]*report.Place
}

func taskNumber(id xtrace.TaskID) uint64 {
	if id == xtrace.NoTask || id == xtrace.BackgroundTask {
		return 0
	}
	return uint64(id)
}

// task returns the task that an event is about.
func (a *analysis) task(id xtrace.TaskID) *task {
	return entry(a.tasks, id, task{caller: lanes.None})
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
		a.calls.NotRun++
	case t.ended && t.ran:
		a.calls.Unfinished++
	default:
		return
	}
	delete(a.tasks, id)
}

func (a *analysis) regionBegin(ev *xtrace.Event) {
	g := a.existing[int64(ev.Goroutine())]
	if g == nil {
		return
	}
	r := ev.Region()
	g.regions = append(g.regions, &region{call: r.Type == regionType, Interval: lanes.Interval{
		Kind: lanes.Region, Start: a.now, Goroutine: g.life.Goroutine, Thread: lanes.None,
		By: lanes.None, Name: a.name(r.Type), Task: taskNumber(r.Task), Stack: a.stack(ev.Stack()),
	}})
	if r.Type == regionType && r.Task != xtrace.BackgroundTask {
		t := a.task(r.Task)
		t.running, t.from, t.runner = true, a.now, g.life.Goroutine
	}
}

func (a *analysis) regionEnd(ev *xtrace.Event) {
	g := a.existing[int64(ev.Goroutine())]
	if g == nil {
		return
	}
	of := ev.Region()
	name, number := a.name(of.Type), taskNumber(of.Task)
	i := len(g.regions) - 1
	for i >= 0 && (g.regions[i].Name != name || g.regions[i].Task != number) {
		i--
	}
	if i < 0 { // it began before the trace
		if of.Type == regionType {
			a.calls.Unfinished++
		}
		a.end(&lanes.Interval{
			Kind: lanes.Region, Start: g.life.Start, Goroutine: g.life.Goroutine, Thread: lanes.None,
			By: lanes.None, Name: name, Task: number,
		})
		return
	}
	r := g.regions[i]
	for _, within := range slices.Backward(g.regions[i:]) { // the ends of the inner ones are missing
		a.end(&within.Interval)
	}
	g.regions = g.regions[:i]
	if r.call {
		a.joined(g, of.Task, r)
	}
}

// joined joins a function that has ended with its call.
func (a *analysis) joined(g *goroutine, id xtrace.TaskID, r *region) {
	t := &task{begun: true, ended: true, running: true, kind: "in place", from: r.Start,
		runner: g.life.Goroutine, at: r.Start, end: a.now, caller: g.life.Goroutine, stack: r.Stack}
	if r.Task != 0 {
		t = a.task(id)
	}
	t.ran, t.to = true, a.now
	a.check(id, t)
}

func (a *analysis) count(t *task) {
	c := &a.calls
	c.Total++
	if t.caller == t.runner && t.kind != posted {
		c.InPlace++
	}
	key := place{t.kind, a.caller(t.stack)}
	p := entry(c.places, key, report.Place{Frame: key.Frame, Kind: t.kind})
	p.Queued.Add(uint64(max(0, t.from-t.at)))
	p.Run.Add(uint64(t.to - t.from))
	if length := max(t.end, t.to) - t.at; length > p.Longest.Length {
		p.Longest = report.Moment{At: t.at, Length: length, Goroutine: t.caller}
	}
}

func (c *calls) report() report.Calls {
	for _, p := range c.places {
		p.Queued.Finish()
		p.Run.Finish()
	}
	c.Places = first(maxPlaces, c.places,
		func(x *report.Place) float64 { return x.Queued.Sum + x.Run.Sum })
	return c.Calls
}

func (a *analysis) log(ev *xtrace.Event) {
	l := ev.Log()
	switch l.Category {
	case threadCategory:
		number, name, ok := strings.Cut(l.Message, " ")
		if id, err := strconv.ParseInt(number, 10, 64); ok && err == nil {
			a.tables.threads[id] = a.text(name)
		}
	case slowCategory:
		a.slowCall(&l)
	}
}

// slowCall adds a call that OnSlowCall has reported.
func (a *analysis) slowCall(l *xtrace.Log) {
	s := report.SlowCall{At: a.now, Goroutine: lanes.None, Queued: -1}
	n, _ := fmt.Sscanf(l.Message, "goroutine=%d thread=%d running=%d", &s.Runner, &s.Thread,
		&s.Running)
	if n < 3 || s.Running < 0 {
		return
	}
	var from, on int32
	if t := a.tasks[l.Task]; t != nil && t.begun {
		s.Kind, s.Goroutine, from = t.kind, t.caller, t.stack
		if t.running {
			s.Queued = max(0, t.from-t.at)
		}
	}
	if g := a.existing[s.Runner]; g != nil {
		for _, r := range g.regions {
			if r.call && r.Task == taskNumber(l.Task) {
				on = r.Stack
			}
		}
		if g.waiting() && len(g.regions) > 0 {
			s.Waits, s.Waited, on = a.Name(g.at.name), a.now-g.state.Start, g.state.Stack
		}
	}
	s.From, s.On, s.By, s.Place = a.Stack(from), a.Stack(on), a.caller(from), a.Place(on)
	if len(a.calls.Slow) == shown {
		a.calls.Slow = a.calls.Slow[1:]
	}
	a.calls.Slow = append(a.calls.Slow, s)
}
