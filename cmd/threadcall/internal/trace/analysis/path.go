package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// Limits of a path.
const (
	maxStates = 8 << 20 // of goroutines in the time of the path, for which it takes half a gigabyte
	maxSteps  = 2000    // in a report
	maxDepth  = 1000    // of a chain of goroutines that wait for one another
)

// Path returns the critical path of a task: its ID, its type for the longest one, "goroutine=ID",
// or "slow" for the last slow call of the report.
//
// The path is found backwards from the end. While its goroutine runs, is ready, or is in a system
// call, so is the path. When the goroutine waits and another one has ended the wait, the path goes
// to that one for the time of the wait: what it did then was the reason for the wait. At its start,
// a goroutine was created by another one, where the path goes on.
func Path(file *lanes.File, r *report.Report, of string) (*report.Path, error) {
	var v lanes.Interval // the time, and the goroutine that ended it
	what := ""
	if n := len(r.Calls.Slow); of == "slow" && n > 0 {
		s := r.Calls.Slow[n-1]
		v = lanes.Interval{Start: s.Begin(), Length: s.At - s.Begin(), Goroutine: s.Runner}
		what = "the slow call at " + ui.Duration(s.Begin())
	} else if err := file.Scan(func(x *lanes.Interval) {
		name := file.Name(x.Name)
		switch {
		case what != "" && x.Length <= v.Length:
		case x.Kind == lanes.Life && of == fmt.Sprint("goroutine=", x.Goroutine):
			v, what = *x, fmt.Sprintf("goroutine %d, %s", x.Goroutine, name)
		case x.Kind == lanes.Task && (of == name || x.Task != 0 && of == fmt.Sprint(x.Task)):
			v, what = *x, fmt.Sprintf("task %d, %s", x.Task, name)
			if x.By != lanes.None {
				v.Goroutine = x.By
			}
		}
	}); err != nil {
		return nil, err
	}
	if what == "" {
		return nil, fmt.Errorf("the trace has no task or goroutine %q", of)
	}
	p := &pathFinder{File: file, Path: &report.Path{What: what, At: v.Start, Length: v.Length,
		Goroutine: v.Goroutine, Steps: []report.Step{}},
		lives: map[int64]lanes.Interval{}, states: map[int64][]lanes.Interval{}}
	n := 0
	err := file.Scan(func(x *lanes.Interval) {
		switch {
		case x.Start > v.End() || x.End() < v.Start || n > maxStates:
		case x.Kind == lanes.Life:
			p.lives[x.Goroutine] = *x
		case x.Kind <= lanes.Waiting && x.Length > 0:
			p.states[x.Goroutine] = append(p.states[x.Goroutine], *x)
			n++
		}
	})
	if n > maxStates {
		err = fmt.Errorf("the path of %s needs too much memory: there are more than %d states of "+
			"goroutines in %v", what, maxStates, v.Length)
	}
	if err == nil {
		p.walk(v.Goroutine, v.Start, v.End(), 0, 0, "")
		p.finish()
	}
	return p.Path, err
}

// A pathFinder has what goroutines did in the time of the path, in the order of time.
type pathFinder struct {
	*lanes.File
	*report.Path
	lives  map[int64]lanes.Interval
	states map[int64][]lanes.Interval
}

var doing = [...]string{lanes.Running: "ran", lanes.Runnable: "ready", lanes.Syscall: systemCall,
	lanes.Life: unknown}

// walk adds the steps between two times, backwards. At the end, the goroutine is on the stack.
func (p *pathFinder) walk(id int64, from, to time.Duration, stack int32, depth int, why string) {
	for to > from {
		states, life := p.states[id], p.lives[id]
		i := sort.Search(len(states), func(i int) bool { return states[i].Start >= to }) - 1
		if i < 0 && life.By > 0 && life.By != id && life.Start >= to { // it was about to be created
			id, stack = life.By, life.Stack
			continue
		}
		s := lanes.Interval{Start: from, Kind: lanes.Life} // nothing is known
		if i >= 0 && states[i].End() >= to {
			s = states[i]
		} else if i >= 0 {
			s.Start = states[i].End()
		}
		start := max(s.Start, from)
		switch {
		case s.Kind == lanes.Waiting && s.By > 0 && s.By != id && s.End() == to && depth < maxDepth:
			p.walk(s.By, start, to, s.ByStack, depth+1, p.Name(s.Name))
		case s.Kind == lanes.Waiting:
			p.step(id, start, to, p.Name(s.Name), s.Stack, depth, why)
		case s.Kind == lanes.Running && stack != 0:
			p.step(id, start, to, doing[s.Kind], stack, depth, why)
		default:
			p.step(id, start, to, doing[s.Kind], s.Stack, depth, why)
		}
		to, stack = start, 0
	}
}

// step adds a step, or makes the one after it longer.
func (p *pathFinder) step(id int64, from, to time.Duration, what string, stack int32, depth int,
	why string) {
	s := report.Step{
		Moment: report.Moment{At: from, Length: to - from, Goroutine: id}, Doing: what,
		Frame: p.Place(stack), Depth: depth, For: why,
	}
	if n := len(p.Steps) - 1; n >= 0 {
		next := &p.Steps[n]
		if longer := s; next.At == to {
			longer.At, longer.Length = next.At, next.Length
			if longer == *next {
				next.At, next.Length = from, next.Length+s.Length
				return
			}
		}
	}
	p.Steps = append(p.Steps, s)
}

// finish sums up the steps.
func (p *pathFinder) finish() {
	parts := map[place]*report.Part{}
	for _, s := range p.Steps {
		part := report.Part{Doing: s.Doing, Frame: s.Frame}
		entry(parts, place{s.Doing, s.Frame}, part).Add(s.Length)
	}
	p.Parts = first(len(parts), parts, func(x *report.Part) float64 { return float64(x.Time) })
	slices.SortFunc(p.Steps, func(a, b report.Step) int { return cmp.Compare(b.Length, a.Length) })
	p.Omitted = uint64(max(0, len(p.Steps)-maxSteps))
	p.Steps = p.Steps[:min(len(p.Steps), maxSteps)]
	slices.SortFunc(p.Steps, func(a, b report.Step) int { return cmp.Compare(a.At, b.At) })
}
