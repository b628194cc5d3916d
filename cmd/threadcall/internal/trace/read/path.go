package read

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"sort"
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// maxSegments limits the states of goroutines in a window, and with them the memory for it, to half a gigabyte.
const maxSegments = 8 << 20

// maxSteps limits the steps in a report.
const maxSteps = 2000

// Path reads a trace for the second time and returns the critical path in a window of it. Memory grows with the number of
// events in the window.
//
// The path is found backwards from the end. While its goroutine runs, is ready, or is in a system call, so is the path.
// When the goroutine waits and another one has ended the wait, the path goes to that one for the time of the wait: what
// it did then was the reason for the wait. At its begin, a goroutine was created by another one, where the path goes on.
func Path(r io.Reader, w Window) (*report.Path, error) {
	_, whole, err := recognize(r)
	if err != nil {
		return nil, err
	}
	p := &pathFinder{Window: w, stacks: newStacks(), all: map[xtrace.GoID]*history{}}
	if err := p.read(whole); err != nil {
		return nil, err
	}
	p.walk(xtrace.GoID(w.Goroutine), w.From, w.To, 0, 0, "")
	return p.report(), nil
}

// A pathFinder has what goroutines did in the window.
type pathFinder struct {
	Window
	stacks *stacks
	all    map[xtrace.GoID]*history
	n      int // segments
	steps  []report.Step
}

// A history is what one goroutine did.
type history struct {
	segments  []segment
	now       segment // that has not ended
	creator   xtrace.GoID
	createdAt stackID
}

// A segment is a time in which a goroutine is in one state.
type segment struct {
	from, to time.Duration
	state    xtrace.GoState
	reason   string // for a wait
	at       stackID
	by       xtrace.GoID // that ended the wait, -1 if none did
	byStack  stackID
}

func (p *pathFinder) read(in io.Reader) error {
	var start xtrace.Time
	now := time.Duration(-1)
	err := guarded(in, func(r *xtrace.Reader) error {
		for {
			ev, err := r.ReadEvent()
			if err != nil {
				return err
			}
			if now < 0 {
				start = ev.Time()
			}
			if now = max(now, ev.Time().Sub(start)); now > p.To {
				return io.EOF
			}
			switch ev.Kind() {
			case xtrace.EventSync:
				p.stacks.generation()
			case xtrace.EventStateTransition:
				if t := ev.StateTransition(); t.Resource.Kind == xtrace.ResourceGoroutine {
					p.transition(now, &ev, &t)
				}
			}
			if p.n > maxSegments {
				return fmt.Errorf("the path of %s needs too much memory: there are more than %d states of goroutines in %v", p.What, maxSegments, p.To-p.From)
			}
		}
	})
	if err != nil && (now < p.To || p.n > maxSegments) {
		return err
	}
	for _, h := range p.all {
		h.now.to = p.To
		p.keep(h)
	}
	return nil
}

func (p *pathFinder) transition(now time.Duration, ev *xtrace.Event, t *xtrace.StateTransition) {
	from, to := t.Goroutine()
	id := t.Resource.Goroutine()
	h := p.all[id]
	if h == nil {
		h = &history{creator: xtrace.NoGoroutine}
		p.all[id] = h
		if from == xtrace.GoNotExist {
			h.creator, h.createdAt = ev.Goroutine(), p.stacks.id(ev.Stack())
		} else {
			h.now = segment{state: from}
		}
	}
	if from == to {
		return
	}
	s := &h.now
	s.to, s.by = now, xtrace.NoGoroutine
	if from.Executing() && s.at == 0 {
		s.at = p.stacks.id(t.Stack)
	}
	if from == xtrace.GoWaiting && to == xtrace.GoRunnable && ev.Goroutine() != xtrace.NoGoroutine && ev.Goroutine() != id {
		s.by, s.byStack = ev.Goroutine(), p.stacks.id(ev.Stack())
	}
	p.keep(h)
	last := h.now
	h.now = segment{from: now, state: to, by: xtrace.NoGoroutine}
	if from == xtrace.GoUndetermined {
		h.now.from = 0
	}
	switch to {
	case xtrace.GoNotExist:
		if now < p.From { // no step will be there
			delete(p.all, id)
		}
	case xtrace.GoWaiting, xtrace.GoSyscall:
		h.now.at, h.now.reason = p.stacks.id(t.Stack), t.Reason
	case xtrace.GoRunnable:
		switch h.now.at = last.at; from {
		case xtrace.GoRunning:
			h.now.at = p.stacks.id(t.Stack)
		case xtrace.GoNotExist:
			h.now.at = h.createdAt
		}
	}
}

// keep keeps the segment that ends, if it is in the window.
func (p *pathFinder) keep(h *history) {
	if s := h.now; s.to > p.From && s.from < s.to && s.state != xtrace.GoNotExist && s.state != xtrace.GoUndetermined {
		h.segments = append(h.segments, s)
		p.n++
	}
}

// maxDepth limits the length of a chain of goroutines that wait for one another.
const maxDepth = 1000

// walk adds the steps from from to to, backwards. At to, the goroutine is at the place.
func (p *pathFinder) walk(id xtrace.GoID, from, to time.Duration, at stackID, depth int, why string) {
	for to > from {
		h := p.all[id]
		var s segment
		if h != nil {
			i := sort.Search(len(h.segments), func(i int) bool { return h.segments[i].from >= to }) - 1
			switch {
			case i >= 0:
				s = h.segments[i]
			case h.creator > 0 && h.creator != id: // it did not exist, and its creator was about to create it
				id, at = h.creator, h.createdAt
				continue
			}
		}
		if s.to < to { // nothing is known
			p.step(id, max(s.to, from), to, unknown, 0, depth, why)
			to = max(s.to, from)
			continue
		}
		begin := max(s.from, from)
		if at == 0 || s.state == xtrace.GoWaiting {
			at = s.at
		}
		switch s.state {
		case xtrace.GoRunning:
			p.step(id, begin, to, "ran", at, depth, why)
		case xtrace.GoRunnable:
			p.step(id, begin, to, "ready", s.at, depth, why)
		case xtrace.GoSyscall:
			p.step(id, begin, to, systemCall, s.at, depth, why)
		default:
			reason := p.stacks.waitReason(s.reason, s.at)
			if s.by > 0 && s.to == to && depth < maxDepth {
				p.walk(s.by, begin, to, s.byStack, depth+1, reason)
			} else {
				p.step(id, begin, to, reason, s.at, depth, why)
			}
		}
		to, at = begin, 0
	}
}

// step adds a step, or makes the one after it longer.
func (p *pathFinder) step(id xtrace.GoID, from, to time.Duration, doing string, at stackID, depth int, why string) {
	s := report.Step{At: from, Length: to - from, Goroutine: int64(id), Doing: doing, Frame: p.stacks.waitPlace(at), Depth: depth, For: why}
	if n := len(p.steps) - 1; n >= 0 {
		if next := &p.steps[n]; next.At == to && next.Goroutine == s.Goroutine && next.Doing == doing && next.Frame == s.Frame && next.Depth == depth {
			next.At, next.Length = from, next.Length+s.Length
			return
		}
	}
	p.steps = append(p.steps, s)
}

func (p *pathFinder) report() *report.Path {
	r := &report.Path{What: p.What, At: p.From, Length: p.To - p.From, Goroutine: p.Goroutine, Parts: []report.Part{}}
	type what struct {
		doing string
		report.Frame
	}
	parts := map[what]report.Sum{}
	for _, s := range p.steps {
		key := what{s.Doing, s.Frame}
		parts[key] = report.Sum{N: parts[key].N + 1, Time: parts[key].Time + s.Length}
	}
	for key, sum := range parts {
		r.Parts = append(r.Parts, report.Part{Doing: key.doing, Frame: key.Frame, Sum: sum})
	}
	slices.SortFunc(r.Parts, func(a, b report.Part) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), waitKey{a.Doing, a.Frame}.compare(waitKey{b.Doing, b.Frame}))
	})
	if n := len(p.steps); n > maxSteps {
		slices.SortFunc(p.steps, func(a, b report.Step) int { return cmp.Compare(b.Length, a.Length) })
		p.steps, r.Omitted = p.steps[:maxSteps], uint64(n-maxSteps)
	}
	r.Steps = append([]report.Step{}, p.steps...)
	slices.SortFunc(r.Steps, func(a, b report.Step) int { return cmp.Compare(a.At, b.At) })
	return r
}
