package analysis

import (
	"cmp"
	"slices"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// Limits of a look.
const (
	maxLook      = 100
	maxIntervals = 500 // of a single goroutine
)

// Look sums up a part of a trace.
func Look(x *lanes.Index, s lanes.Selection) (*report.Look, error) {
	s, err := x.Clip(s)
	if err != nil {
		return nil, err
	}
	l := looking{
		Index: x, Selection: s,
		states: map[stateKey]*report.LookState{}, goroutines: map[int64]*report.LookGoroutine{},
		intervals: report.NewTop(maxLook, func(a, b lanes.Interval) bool { return a.Length > b.Length }),
		logs:      report.NewTop(maxLook, func(a, b report.LookLog) bool { return a.At < b.At }),
	}
	if len(s.Goroutines) == 1 {
		earlier := func(a, b lanes.Interval) bool { return a.Start < b.Start }
		l.intervals = report.NewTop(maxIntervals, earlier)
	}
	if err := x.Scan(s.From, s.To, l.add); err != nil {
		return nil, err
	}
	return l.report(), nil
}

// stateKey is a state by reason and place; running has neither, because where a goroutine stopped
// says little about where it ran.
type stateKey struct {
	kind lanes.Kind
	name int32
	report.Frame
}

type looking struct {
	*lanes.Index
	lanes.Selection
	states     map[stateKey]*report.LookState
	goroutines map[int64]*report.LookGoroutine
	intervals  report.Top[lanes.Interval]
	more       int // intervals
	logs       report.Top[report.LookLog]
	allLogs    int
}

func (l *looking) add(v *lanes.Interval) {
	if !l.Has(v.Goroutine) {
		return
	}
	switch v.Kind {
	case lanes.Log:
		l.allLogs++
		l.logs.Offer(report.LookLog{At: v.Start, Goroutine: v.Goroutine, Task: v.Task,
			Category: l.Name(v.Name), Message: ui.Head(v.Text, 1000)})
	case lanes.Life:
		l.goroutine(v.Goroutine).Function = l.Name(v.Name)
	case lanes.Running, lanes.Syscall, lanes.Runnable, lanes.Waiting:
		l.state(v, v.Within(l.From, l.To))
	}
}

func (l *looking) goroutine(id int64) *report.LookGoroutine {
	g := l.goroutines[id]
	if g == nil {
		g = &report.LookGoroutine{ID: id}
		l.goroutines[id] = g
	}
	return g
}

func (l *looking) state(v *lanes.Interval, length time.Duration) {
	g := l.goroutine(v.Goroutine)
	key := stateKey{v.Kind, v.Name, report.Frame{}}
	if v.Kind != lanes.Running && v.Stack != 0 {
		key.Frame = l.Place(v.Stack)
	}
	switch v.Kind {
	case lanes.Running:
		g.Running += length
	case lanes.Syscall:
		g.Syscall += length
	case lanes.Runnable:
		g.Runnable += length
	case lanes.Waiting:
		g.Waiting += length
	}
	s := l.states[key]
	if s == nil {
		s = &report.LookState{State: v.Kind.String(), Reason: l.Name(v.Name), Place: key.Frame}
		l.states[key] = s
	}
	s.Add(length)
	s.Max = max(s.Max, v.Length)
	if len(l.Goroutines) == 1 || v.Kind != lanes.Running && s.Reason != runtimes {
		l.more++
		l.intervals.Offer(*v)
	}
}

// sorted returns the first values of a map, in an order.
func sorted[K comparable, T any](all map[K]*T, compare func(a, b T) int) []T {
	list := []T{}
	for _, v := range all {
		list = append(list, *v)
	}
	slices.SortFunc(list, compare)
	return list[:min(len(list), maxLook)]
}

func (l *looking) report() *report.Look {
	r := &report.Look{
		From: l.From, To: l.To, Of: len(l.goroutines),
		Logs: l.logs.Kept, LogsMore: l.allLogs - len(l.logs.Kept),
		Intervals: []report.LookInterval{},
	}
	r.States = sorted(l.states, func(a, b report.LookState) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time),
			place{a.State + a.Reason, a.Place}.compare(place{b.State + b.Reason, b.Place}))
	})
	r.Goroutines = sorted(l.goroutines, func(a, b report.LookGoroutine) int {
		return cmp.Or(cmp.Compare(b.Running+b.Runnable+b.Syscall, a.Running+a.Runnable+a.Syscall),
			cmp.Compare(a.ID, b.ID))
	})
	for _, v := range l.intervals.Kept {
		r.Intervals = append(r.Intervals, report.LookInterval{
			Moment: report.Moment{At: v.Start, Length: v.Length, Goroutine: v.Goroutine},
			Thread: v.Thread, State: v.Kind.String(), Reason: l.Name(v.Name),
			Place: l.placeOf(v.Stack), Stack: l.Stack(v.Stack),
			By: v.By, ByPlace: l.placeOf(v.ByStack), ByStack: l.Stack(v.ByStack),
		})
	}
	r.More = l.more - len(r.Intervals)
	return r
}

// placeOf returns the place of a stack, which may be empty.
func (l *looking) placeOf(stack int32) report.Frame {
	if stack == 0 {
		return report.Frame{}
	}
	return l.Place(stack)
}
