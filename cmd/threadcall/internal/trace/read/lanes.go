package read

import (
	"slices"
	"strconv"
	"strings"
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// ThreadCategory is that of the log events with which package recorder leaves the names of threads: "id name".
const ThreadCategory = "threadcall.thread"

// A follower keeps the intervals of a trace for package lanes.
type follower struct {
	*analysis
	out    *lanes.Writer
	of     map[xtrace.GoID]*followed
	tasks  map[xtrace.TaskID]*lanes.Interval
	ranges map[rangeKey]time.Duration
}

type rangeKey struct {
	name  string
	scope xtrace.ResourceID
}

// A followed is a goroutine that exists.
type followed struct {
	life    lanes.Interval
	state   lanes.Interval
	known   bool // state is one
	named   bool // life has its name
	regions []lanes.Interval
}

func newFollower(a *analysis, out *lanes.Writer) *follower {
	return &follower{
		analysis: a, out: out, of: map[xtrace.GoID]*followed{}, tasks: map[xtrace.TaskID]*lanes.Interval{},
		ranges: map[rangeKey]time.Duration{},
	}
}

// end keeps an interval that ends now.
func (f *follower) end(v *lanes.Interval) {
	v.Length = max(0, f.now-v.Start)
	f.out.Add(v)
}

func (f *follower) event(ev *xtrace.Event, kind xtrace.EventKind) {
	switch kind {
	case xtrace.EventStateTransition:
		if t := ev.StateTransition(); t.Resource.Kind == xtrace.ResourceGoroutine {
			f.transition(ev, &t)
		}
	case xtrace.EventRangeBegin, xtrace.EventRangeActive, xtrace.EventRangeEnd:
		f.span(ev, kind)
	case xtrace.EventRegionBegin, xtrace.EventRegionEnd:
		f.region(ev, kind)
	case xtrace.EventTaskBegin, xtrace.EventTaskEnd:
		f.task(ev, kind)
	case xtrace.EventLog:
		f.log(ev)
	}
}

func (f *follower) transition(ev *xtrace.Event, t *xtrace.StateTransition) {
	from, to := t.Goroutine()
	id := t.Resource.Goroutine()
	g := f.of[id]
	if g == nil {
		if to == xtrace.GoNotExist {
			return
		}
		g = &followed{life: lanes.Interval{Kind: lanes.Life, Goroutine: int64(id), Thread: lanes.None, By: lanes.None}}
		g.state = lanes.Interval{Goroutine: int64(id), Thread: lanes.None, By: lanes.None}
		if from == xtrace.GoNotExist {
			g.life.Start, g.life.By, g.life.Stack = f.now, goroutineID(ev), int32(f.stacks.id(ev.Stack()))
		}
		f.of[id] = g
	}
	stack := f.stacks.id(t.Stack)
	if !g.named && stack != 0 {
		g.life.Name, g.named = f.name(stack)
	}
	if from == to {
		return
	}
	thread := g.state.Thread
	if g.known {
		switch g.state.Kind {
		case lanes.Waiting:
			g.state.By, g.state.ByStack = goroutineID(ev), int32(f.stacks.id(ev.Stack()))
		case lanes.Running:
			g.state.Stack = int32(stack)
		}
		on := g.state
		if on.Kind == lanes.Waiting || on.Kind == lanes.Runnable {
			on.Thread = lanes.None
		}
		f.end(&on)
	}
	g.known = true
	g.state = lanes.Interval{Start: f.now, Goroutine: int64(id), Thread: thread, By: lanes.None, Stack: int32(stack)}
	if from == xtrace.GoUndetermined {
		g.state.Start = 0
	}
	switch to {
	case xtrace.GoRunning:
		g.state.Kind, g.state.Thread = lanes.Running, int64(ev.Thread())
	case xtrace.GoSyscall:
		g.state.Kind = lanes.Syscall
		if from != xtrace.GoRunning {
			g.state.Thread = int64(ev.Thread())
		}
	case xtrace.GoRunnable:
		g.state.Kind, g.state.Name = lanes.Runnable, 0
		if from == xtrace.GoRunning {
			g.state.Name = f.out.Name(f.stacks.stopReason(t.Reason, stack))
		}
		if from == xtrace.GoWaiting || from == xtrace.GoNotExist {
			g.state.By, g.state.ByStack = goroutineID(ev), int32(f.stacks.id(ev.Stack()))
		}
	case xtrace.GoWaiting:
		g.state.Kind = lanes.Waiting
		reason := t.Reason
		if reason == "" && f.coroutines && from == xtrace.GoRunning {
			reason = coroutine
		}
		g.state.Name = f.out.Name(f.stacks.waitReason(reason, stack))
	case xtrace.GoNotExist:
		f.leave(g)
		delete(f.of, id)
	default:
		g.known = false
	}
}

// name returns the name of the outermost function of a stack that is not of a package which starts functions in
// goroutines, and whether there is one.
func (f *follower) name(stack stackID) (name int32, ok bool) {
	numbers := f.stacks.list[stack]
	for _, n := range slices.Backward(numbers) {
		switch function := f.stacks.frames[n].Func; symbol.Package(function) {
		case "sync", "golang.org/x/sync/errgroup":
		default:
			return f.out.Name(function), true
		}
	}
	return f.out.Name(f.stacks.root(stack)), false
}

func goroutineID(ev *xtrace.Event) int64 {
	if g := ev.Goroutine(); g > 0 {
		return int64(g)
	}
	return lanes.None
}

// leave ends a goroutine and its regions.
func (f *follower) leave(g *followed) {
	for _, r := range slices.Backward(g.regions) {
		f.end(&r)
	}
	f.end(&g.life)
}

func (f *follower) span(ev *xtrace.Event, kind xtrace.EventKind) {
	r := ev.Range()
	key := rangeKey{r.Name, r.Scope}
	start, open := f.ranges[key]
	switch {
	case kind != xtrace.EventRangeEnd:
		if !open {
			key.name = f.stacks.own(key.name)
			f.ranges[key] = f.now
			if kind == xtrace.EventRangeActive {
				f.ranges[key] = 0
			}
		}
	case open:
		delete(f.ranges, key)
		v := lanes.Interval{Kind: lanes.Range, Start: start, Goroutine: lanes.None, Thread: lanes.None, By: lanes.None, Name: f.out.Name(r.Name)}
		if strings.HasPrefix(r.Name, "GC mark assist") || strings.HasPrefix(r.Name, "GC incremental sweep") {
			v.Goroutine = goroutineID(ev)
		} else if r.Scope.Kind == xtrace.ResourceGoroutine {
			v.By = int64(r.Scope.Goroutine())
		}
		f.end(&v)
	}
}

func (f *follower) region(ev *xtrace.Event, kind xtrace.EventKind) {
	g := f.of[ev.Goroutine()]
	if g == nil {
		return
	}
	r := ev.Region()
	name, task := f.out.Name(r.Type), taskNumber(r.Task)
	if kind == xtrace.EventRegionBegin {
		g.regions = append(g.regions, lanes.Interval{Kind: lanes.Region, Start: f.now, Goroutine: g.life.Goroutine,
			Thread: lanes.None, By: lanes.None, Name: name, Task: task, Stack: int32(f.stacks.id(ev.Stack()))})
		return
	}
	for i, open := range slices.Backward(g.regions) {
		if open.Name == name && open.Task == task {
			for _, within := range slices.Backward(g.regions[i:]) { // the ends of those are missing
				f.end(&within)
			}
			g.regions = g.regions[:i]
			return
		}
	}
	f.end(&lanes.Interval{Kind: lanes.Region, Start: g.life.Start, Goroutine: g.life.Goroutine, Thread: lanes.None,
		By: lanes.None, Name: name, Task: task}) // from before the trace
}

func taskNumber(id xtrace.TaskID) uint64 {
	if id == xtrace.NoTask || id == xtrace.BackgroundTask {
		return 0
	}
	return uint64(id)
}

func (f *follower) task(ev *xtrace.Event, kind xtrace.EventKind) {
	t := ev.Task()
	open := f.tasks[t.ID]
	if kind == xtrace.EventTaskBegin {
		f.tasks[t.ID] = &lanes.Interval{Kind: lanes.Task, Start: f.now, Goroutine: goroutineID(ev), Thread: lanes.None, By: lanes.None,
			Name: f.out.Name(t.Type), Task: taskNumber(t.ID), Stack: int32(f.stacks.id(ev.Stack()))}
		return
	}
	if open == nil {
		open = &lanes.Interval{Kind: lanes.Task, Goroutine: lanes.None, Thread: lanes.None, Name: f.out.Name(t.Type), Task: taskNumber(t.ID)}
	}
	open.By = goroutineID(ev)
	f.end(open)
	delete(f.tasks, t.ID)
}

func (f *follower) log(ev *xtrace.Event) {
	l := ev.Log()
	if l.Category == ThreadCategory {
		number, name, ok := strings.Cut(l.Message, " ")
		if id, err := strconv.ParseInt(number, 10, 64); ok && err == nil {
			f.out.NameThread(id, ui.Plain(name))
		}
		return
	}
	f.out.Add(&lanes.Interval{Kind: lanes.Log, Start: f.now, Goroutine: goroutineID(ev), Thread: int64(ev.Thread()), By: lanes.None,
		Name: f.out.Name(l.Category), Task: taskNumber(l.Task), Stack: int32(f.stacks.id(ev.Stack())), Text: ui.Plain(l.Message)})
}

// finish ends all intervals with the trace.
func (f *follower) finish() {
	for _, g := range f.of {
		if g.known {
			if g.state.Kind == lanes.Waiting || g.state.Kind == lanes.Runnable {
				g.state.Thread = lanes.None
			}
			f.end(&g.state)
		}
		f.leave(g)
	}
	for _, t := range f.tasks {
		f.end(t)
	}
	for key, start := range f.ranges {
		v := lanes.Interval{Kind: lanes.Range, Start: start, Goroutine: lanes.None, Thread: lanes.None, By: lanes.None, Name: f.out.Name(key.name)}
		f.end(&v)
	}
}

// stackList are the stacks of a trace that has been read.
type stackList struct{ *stacks }

func (s stackList) Len() int                       { return len(s.list) }
func (s stackList) Get(stack int32) []report.Frame { return s.get(stackID(stack)) }
func (s stackList) Place(stack int32) report.Frame { return s.waitPlace(stackID(stack)) }
