package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
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
func Path(x *lanes.Index, r *report.Report, of string) (*report.Path, error) {
	v, what, err := find(x, r, of)
	if err != nil {
		return nil, err
	}
	if what == "" {
		return nil, fmt.Errorf("the trace has no task or goroutine %q", of)
	}
	p := &pathFinder{Index: x, all: map[int64]*history{}}
	err = x.Scan(v.Start, v.End(), p.add)
	switch {
	case err != nil:
		return nil, err
	case p.n > maxStates:
		return nil, fmt.Errorf("the path of %s needs too much memory: there are more than %d states of "+
			"goroutines in %v", what, maxStates, v.Length)
	}
	for _, h := range p.all {
		slices.SortFunc(h.states, func(a, b lanes.Interval) int { return cmp.Compare(a.Start, b.Start) })
	}
	p.walk(v.Goroutine, v.Start, v.End(), 0, 0, "")
	path := p.report()
	path.What, path.At, path.Length, path.Goroutine = what, v.Start, v.Length, v.Goroutine
	return path, nil
}

// find returns the time that the path is of, with the goroutine that ended it, and its name, which
// is empty if there is none.
func find(x *lanes.Index, r *report.Report, of string) (v lanes.Interval, what string, err error) {
	if n := len(r.Calls.Slow); of == "slow" && n > 0 {
		s := r.Calls.Slow[n-1]
		v = lanes.Interval{Start: s.Begin(), Length: s.At - s.Begin(), Goroutine: s.Runner}
		return v, "the slow call at " + ui.Duration(s.Begin()), nil
	}
	id, _ := strconv.ParseUint(of, 10, 64)
	number, isGoroutine := strings.CutPrefix(of, "goroutine=")
	err = x.Scan(0, x.Duration, func(found *lanes.Interval) {
		name := x.Name(found.Name)
		switch {
		case what != "" && found.Length <= v.Length:
		case isGoroutine && found.Kind == lanes.Life && fmt.Sprint(found.Goroutine) == number:
			v, what = *found, fmt.Sprintf("goroutine %s, %s", number, name)
		case found.Kind == lanes.Task && (name == of || id != 0 && found.Task == id):
			v, what = *found, fmt.Sprintf("task %d, %s", found.Task, name)
			if v.By != lanes.None {
				v.Goroutine = v.By
			}
		}
	})
	return v, what, err
}

// A pathFinder has what goroutines did in the time of the path.
type pathFinder struct {
	*lanes.Index
	all   map[int64]*history
	n     int // states
	steps []report.Step
}

// A history is what one goroutine did.
type history struct {
	life   lanes.Interval
	states []lanes.Interval // in the order of time
}

func (p *pathFinder) add(v *lanes.Interval) {
	if v.Kind > lanes.Life || p.n > maxStates {
		return
	}
	h := p.all[v.Goroutine]
	if h == nil {
		h = &history{}
		p.all[v.Goroutine] = h
	}
	switch {
	case v.Kind == lanes.Life:
		h.life = *v
	case v.Length > 0:
		h.states = append(h.states, *v)
		p.n++
	}
}

// walk adds the steps between two times, backwards. At the end, the goroutine is on the stack.
func (p *pathFinder) walk(id int64, from, to time.Duration, stack int32, depth int, why string) {
	for to > from {
		h := p.all[id]
		var s lanes.Interval
		if h != nil {
			i := sort.Search(len(h.states), func(i int) bool { return h.states[i].Start >= to }) - 1
			switch {
			case i >= 0:
				s = h.states[i]
			case h.life.By > 0 && h.life.By != id && h.life.Start >= to: // it was about to be created
				id, stack = h.life.By, h.life.Stack
				continue
			}
		}
		if s.End() < to || s.Length == 0 { // nothing is known
			p.step(id, max(s.End(), from), to, unknown, 0, depth, why)
			to = max(s.End(), from)
			continue
		}
		start := max(s.Start, from)
		if stack == 0 || s.Kind == lanes.Waiting {
			stack = s.Stack
		}
		switch s.Kind {
		case lanes.Running:
			p.step(id, start, to, "ran", stack, depth, why)
		case lanes.Runnable:
			p.step(id, start, to, "ready", s.Stack, depth, why)
		case lanes.Syscall:
			p.step(id, start, to, systemCall, s.Stack, depth, why)
		default:
			if s.By > 0 && s.By != id && s.End() == to && depth < maxDepth {
				p.walk(s.By, start, to, s.ByStack, depth+1, p.Name(s.Name))
			} else {
				p.step(id, start, to, p.Name(s.Name), s.Stack, depth, why)
			}
		}
		to, stack = start, 0
	}
}

// step adds a step, or makes the one after it longer.
func (p *pathFinder) step(id int64, from, to time.Duration, doing string, stack int32, depth int,
	why string) {
	s := report.Step{
		Moment: report.Moment{At: from, Length: to - from, Goroutine: id}, Doing: doing,
		Frame: p.Place(stack), Depth: depth, For: why,
	}
	if n := len(p.steps) - 1; n >= 0 {
		next := &p.steps[n]
		if next.At == to && next.Goroutine == id && next.Doing == doing && next.Frame == s.Frame &&
			next.Depth == depth {
			next.At, next.Length = from, next.Length+s.Length
			return
		}
	}
	p.steps = append(p.steps, s)
}

func (p *pathFinder) report() *report.Path {
	r := &report.Path{Parts: []report.Part{}}
	parts := map[place]report.Sum{}
	for _, s := range p.steps {
		sum := parts[place{s.Doing, s.Frame}]
		sum.Add(s.Length)
		parts[place{s.Doing, s.Frame}] = sum
	}
	for key, sum := range parts {
		r.Parts = append(r.Parts, report.Part{Doing: key.what, Frame: key.Frame, Sum: sum})
	}
	slices.SortFunc(r.Parts, func(a, b report.Part) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time),
			place{a.Doing, a.Frame}.compare(place{b.Doing, b.Frame}))
	})
	if n := len(p.steps); n > maxSteps {
		slices.SortFunc(p.steps, func(a, b report.Step) int { return cmp.Compare(b.Length, a.Length) })
		p.steps, r.Omitted = p.steps[:maxSteps], uint64(n-maxSteps)
	}
	r.Steps = append([]report.Step{}, p.steps...)
	slices.SortFunc(r.Steps, func(a, b report.Step) int { return cmp.Compare(a.At, b.At) })
	return r
}
