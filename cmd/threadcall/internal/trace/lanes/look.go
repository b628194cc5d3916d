package lanes

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// Limits of a look.
const (
	maxLook   = 100
	maxCourse = 500
)

// Look sums up a selection.
func (x *Index) Look(s Selection) (*report.Look, error) {
	f, err := x.filter(s)
	if err != nil {
		return nil, err
	}
	l := looking{
		Index: x, filter: f, place: s.Place, chosen: len(s.Goroutines) > 0,
		states: map[stateKey]*report.LookState{}, goroutines: map[int64]*report.LookGoroutine{}, threads: map[int64]*report.LookThread{},
		users:   map[userKey]*report.Histogram{},
		longest: report.NewTop(maxLook, func(a, b Interval) bool { return a.Length > b.Length }),
		course:  report.NewTop(maxCourse, func(a, b Interval) bool { return a.Start < b.Start }),
	}
	if err := x.Scan(f.from, f.to, l.add); err != nil {
		return nil, err
	}
	return l.report(), nil
}

type stateKey struct {
	kind  Kind
	name  int32
	stack int32
}

type userKey struct {
	kind Kind
	name int32
}

type looking struct {
	*Index
	*filter
	place      string
	chosen     bool // the goroutines were requested
	states     map[stateKey]*report.LookState
	goroutines map[int64]*report.LookGoroutine
	threads    map[int64]*report.LookThread
	users      map[userKey]*report.Histogram
	longest    report.Top[Interval]
	course     report.Top[Interval]
	courseAll  int
	logs       []report.LookLog
	logsMore   int
}

func (l *looking) goroutine(id int64) *report.LookGoroutine {
	g := l.goroutines[id]
	if g == nil {
		g = &report.LookGoroutine{ID: id}
		l.goroutines[id] = g
	}
	return g
}

func (l *looking) add(v *Interval) {
	if v.Kind != Range && !l.has(v.Goroutine) {
		return
	}
	length := l.within(v)
	switch v.Kind {
	case Running, Syscall, Runnable, Waiting:
		l.state(v, length)
	case Life:
		l.goroutine(v.Goroutine).Function = l.Name(v.Name)
	case Region, Task:
		key := userKey{v.Kind, v.Name}
		if l.users[key] == nil {
			l.users[key] = &report.Histogram{}
		}
		l.users[key].Add(uint64(v.Length))
	case Log:
		if len(l.logs) == maxLook {
			l.logsMore++
			return
		}
		l.logs = append(l.logs, report.LookLog{At: v.Start, Goroutine: v.Goroutine, Task: v.Task, Category: l.Name(v.Name), Message: v.Text})
	}
}

func (l *looking) state(v *Interval, length time.Duration) {
	g := l.goroutine(v.Goroutine)
	sum := map[Kind]*time.Duration{Running: &g.Running, Syscall: &g.Syscall, Runnable: &g.Runnable, Waiting: &g.Waiting}[v.Kind]
	*sum += length
	if v.Thread >= 0 && v.Kind <= Syscall {
		t := l.threads[v.Thread]
		if t == nil {
			t = &report.LookThread{ID: v.Thread, Name: l.Thread(v.Thread)}
			l.threads[v.Thread] = t
		}
		if v.Kind == Running {
			t.Running += length
		} else {
			t.Syscall += length
		}
	}
	if !l.at(v) {
		return
	}
	key := stateKey{v.Kind, v.Name, v.Stack}
	s := l.states[key]
	if s == nil {
		s = &report.LookState{State: v.Kind.String(), Reason: l.Name(v.Name)}
		l.states[key] = s
	}
	s.N++
	s.Time += length
	s.Max = max(s.Max, v.Length)
	own := *v
	if v.Kind != Running && (l.chosen || s.Reason != "runtime") {
		l.longest.Offer(own)
	}
	l.courseAll++
	l.course.Offer(own)
}

// placeOf returns the place of a stack: the requested one, if the stack has it.
func (l *looking) placeOf(stack int32) report.Frame {
	if stack == 0 {
		return report.Frame{}
	}
	frames := l.Stack(stack)
	if i := slices.IndexFunc(frames, func(f report.Frame) bool { return At(f, l.place) }); i >= 0 {
		return frames[i]
	}
	return l.Index.stacks.Place(stack)
}

func (l *looking) report() *report.Look {
	r := &report.Look{
		From: l.from, To: l.to, Place: l.place, Of: len(l.goroutines), LogsMore: l.logsMore, Logs: append([]report.LookLog{}, l.logs...),
		States: []report.LookState{}, Goroutines: []report.LookGoroutine{}, Threads: []report.LookThread{},
		Longest: []report.LookInterval{}, Course: []report.LookInterval{}, Tasks: []report.LookUser{}, Regions: []report.LookUser{},
	}
	type placeKey struct {
		state, reason string
		report.Frame
	}
	of := map[placeKey]int{}
	for k, s := range l.states {
		s.Place = l.placeOf(k.stack)
		key := placeKey{s.State, s.Reason, s.Place}
		if k.kind == Running { // where it stopped says little about where it ran
			key.Frame, s.Place = report.Frame{}, report.Frame{}
		}
		i, ok := of[key]
		if !ok {
			of[key] = len(r.States)
			r.States = append(r.States, *s)
			continue
		}
		sum := &r.States[i]
		sum.N, sum.Time, sum.Max = sum.N+s.N, sum.Time+s.Time, max(sum.Max, s.Max)
	}
	slices.SortFunc(r.States, func(a, b report.LookState) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.State, b.State), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Place.Func, b.Place.Func),
			cmp.Compare(a.Place.Line, b.Place.Line))
	})
	r.States = r.States[:min(len(r.States), maxLook)]
	for _, g := range l.goroutines {
		r.Goroutines = append(r.Goroutines, *g)
	}
	slices.SortFunc(r.Goroutines, func(a, b report.LookGoroutine) int {
		return cmp.Or(cmp.Compare(b.Running+b.Runnable+b.Syscall, a.Running+a.Runnable+a.Syscall), cmp.Compare(a.ID, b.ID))
	})
	r.Goroutines = r.Goroutines[:min(len(r.Goroutines), maxLook)]
	for _, t := range l.threads {
		r.Threads = append(r.Threads, *t)
	}
	slices.SortFunc(r.Threads, func(a, b report.LookThread) int {
		return cmp.Or(cmp.Compare(b.Running+b.Syscall, a.Running+a.Syscall), cmp.Compare(a.ID, b.ID))
	})
	for _, v := range l.longest.Kept {
		r.Longest = append(r.Longest, l.interval(v))
	}
	if len(l.goroutines) == 1 {
		for _, v := range l.course.Kept {
			r.Course = append(r.Course, l.interval(v))
		}
		r.CourseMore = l.courseAll - len(r.Course)
	}
	for key, h := range l.users {
		list := &r.Regions
		if key.kind == Task {
			list = &r.Tasks
		}
		*list = append(*list, report.LookUser{Type: l.Name(key.name), Times: h.Distribution()})
	}
	for _, list := range [][]report.LookUser{r.Regions, r.Tasks} {
		slices.SortFunc(list, func(a, b report.LookUser) int {
			return cmp.Or(cmp.Compare(b.Times.Sum, a.Times.Sum), strings.Compare(a.Type, b.Type))
		})
	}
	r.Regions, r.Tasks = r.Regions[:min(len(r.Regions), maxLook)], r.Tasks[:min(len(r.Tasks), maxLook)]
	for i := range r.Logs {
		r.Logs[i].Message = ui.Head(r.Logs[i].Message, 1000)
	}
	return r
}

func (l *looking) interval(v Interval) report.LookInterval {
	return report.LookInterval{
		At: v.Start, Length: v.Length, Goroutine: v.Goroutine, Thread: v.Thread, State: v.Kind.String(), Reason: l.Name(v.Name),
		Place: l.placeOf(v.Stack), Stack: l.Stack(v.Stack), By: v.By, ByPlace: l.placeOf(v.ByStack), ByStack: l.Stack(v.ByStack),
	}
}
