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

// A task is one whose end has not been seen. The parts of a call come in any order, because the
// clocks of two cores can differ.
type task struct {
	lanes.Interval
	begun, ended, running, ran bool
	kind                       string        // of a call: what follows taskPrefix
	from, to                   time.Duration // the function
	runner, thread             int64         // that run it
	on                         int32         // the stack where it stopped for longest
	stopped                    report.Wait
}

// A region is one that is open.
type region struct {
	lanes.Interval
	call    bool        // a function of threadcall
	stopped report.Wait // the longest wait in it
	at      int32       // the stack of that
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
	return entry(a.tasks, id, task{Interval: lanes.Interval{
		Kind: lanes.Task, Goroutine: lanes.None, Thread: lanes.None, By: lanes.None,
		Task: taskNumber(id),
	}})
}

func (a *analysis) typeOf(name int32) *report.Task {
	return entry(a.types, name, report.Task{Type: a.Name(name)})
}

func (a *analysis) taskBegin(ev *xtrace.Event) {
	of := ev.Task()
	t := a.task(of.ID)
	t.begun, t.Start, t.Name = true, a.now, a.name(of.Type)
	t.Goroutine, t.Stack = goroutineID(ev), a.stack(ev.Stack())
	if kind, ok := strings.CutPrefix(of.Type, taskPrefix); ok {
		t.kind = a.text(kind)
	}
}

func (a *analysis) taskEnd(ev *xtrace.Event) {
	of := ev.Task()
	t := a.task(of.ID)
	t.ended, t.Name, t.By = true, a.name(of.Type), goroutineID(ev)
	a.end(&t.Interval)
	sums := a.typeOf(t.Name)
	if !t.begun {
		sums.Unfinished++
	} else {
		sums.Times.Add(uint64(t.Length))
		if t.Length > sums.Longest.Length {
			sums.ID = t.Task
			sums.Longest = report.Moment{At: t.Start, Length: t.Length, Goroutine: t.By}
		}
	}
	a.check(of.ID, t)
}

// check counts a task if all its parts are known.
func (a *analysis) check(id xtrace.TaskID, t *task) {
	switch {
	case t.begun && t.ended && t.ran:
		a.count(t)
	case t.begun && t.ended && t.kind != "" && !t.running:
		a.calls.NotRun++
	case t.ended && t.ran:
		a.calls.Unfinished++
	case t.ended && t.kind == "" && !t.running:
	default:
		return
	}
	delete(a.tasks, id)
}

// finishTasks ends all tasks with the trace.
func (a *analysis) finishTasks() []report.Task {
	for _, t := range a.tasks {
		if t.kind != "" || t.running || t.ran {
			a.calls.Unfinished++
		}
		if t.begun && !t.ended {
			a.end(&t.Interval)
			a.typeOf(t.Name).Unfinished++
		}
	}
	for _, of := range a.types {
		of.Times.Finish()
	}
	return first(maxTaskTypes, a.types, func(x *report.Task) float64 { return x.Times.Sum })
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
		t.running, t.from, t.runner, t.thread = true, a.now, g.life.Goroutine, g.thread
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
		a.ran(g, of.Task, r)
	}
}

// ran joins a function that has ended with its call.
func (a *analysis) ran(g *goroutine, id xtrace.TaskID, r *region) {
	if r.Task != 0 || g.locked.Calls > 0 {
		g.locked.Calls++
		if !slices.ContainsFunc(g.regions, func(outer *region) bool { return outer.call }) {
			g.locked.Serving += r.Length
		}
	}
	t := &task{begun: true, ended: true, running: true, kind: "in place", from: r.Start,
		runner: g.life.Goroutine, thread: g.thread, Interval: r.Interval}
	if r.Task != 0 {
		t = a.task(id)
	}
	t.ran, t.to, t.on = true, a.now, r.Stack
	if r.stopped.N > 0 {
		t.stopped, t.on = r.stopped, r.at
	}
	a.check(id, t)
}

// waited records the wait of g that has ended with the function that it runs.
func (g *goroutine) waited(t *tables) {
	n := len(g.regions)
	if n == 0 || !g.waiting() || g.state.Length <= g.regions[n-1].stopped.Time {
		return
	}
	r, length := g.regions[n-1], g.state.Length
	r.stopped = report.Wait{Reason: t.Name(g.at.name), Sum: report.Sum{N: 1, Time: length}}
	r.at = g.state.Stack
}

func (a *analysis) count(t *task) {
	c := &a.calls
	c.Total++
	if t.Goroutine == t.runner && t.kind != posted {
		c.InPlace++
	}
	r := report.Call{
		Kind: t.kind, At: t.Start, Goroutine: t.Goroutine, Thread: t.thread,
		Queued: max(0, t.from-t.Start), Run: t.to - t.from, Return: max(0, t.End()-t.to),
	}
	if t.stopped.N > 0 {
		r.Stopped = &t.stopped
	}
	if n := len(c.Worst); n < shown || r.Total() > c.Worst[n-1].Total() {
		r.From, r.On = a.Stack(t.Stack), a.Stack(t.on)
		c.Worst = keepLongest(c.Worst, r, report.Call.Total)
	}
	key := place{t.kind, a.caller(t.Stack)}
	p := entry(c.places, key, report.Place{Frame: key.Frame, Kind: t.kind})
	p.N++
	p.Queued.Add(uint64(r.Queued))
	p.Run.Add(uint64(r.Run))
	p.Return.Add(uint64(r.Return))
}

func (c *calls) report() report.Calls {
	for _, p := range c.places {
		p.Queued.Finish()
		p.Run.Finish()
		p.Return.Finish()
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
		s.Kind, s.Goroutine, from = t.kind, t.Goroutine, t.Stack
		if t.running {
			s.Queued = max(0, t.from-t.Start)
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
	s.From, s.On = a.Stack(from), a.Stack(on)
	if len(a.calls.Slow) == shown {
		a.calls.Slow = a.calls.Slow[1:]
	}
	a.calls.Slow = append(a.calls.Slow, s)
}
