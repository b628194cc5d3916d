package analysis

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// waiting sums up where goroutines waited, for what, and what ended their waits, and how long they
// were ready before they ran.
type waiting struct {
	*tables
	spots   [][]*spot // by stack, then by state and reason
	places  map[place]*waitPlace
	latency map[place]*report.LatencyPlace
	running time.Duration
}

// A spot is a stack on which goroutines leave the processor for one reason. It is also where they
// become ready.
type spot struct {
	kind  lanes.Kind // of the state, or Life where goroutines are created
	raw   string     // the runtime's reason
	name  int32      // of the reason
	stack int32
	place *waitPlace           // nil unless goroutines wait there
	ready *report.LatencyPlace // of what became ready; nil until something does
}

// A place is a frame where something is the case: a reason to wait, or how a goroutine became
// ready.
type place struct {
	what string
	report.Frame
}

// A waitPlace sums up the waits at a place.
type waitPlace struct {
	report.WaitPlace
	now    uint64
	since  time.Duration        // now is not zero
	stack  int32                // of the longest
	wakers map[int32]report.Sum // by the stack that ended the wait

	blocked report.Blocked
	created map[int32]report.Sum // the blocked by the stack that created them
}

// maxStacks limits the stacks that are kept for a place; others count as the empty one.
const maxStacks = 1000

// spot returns the spot of a stack.
func (w *waiting) spot(stack int32, kind lanes.Kind, raw string) *spot {
	for int(stack) >= len(w.spots) {
		w.spots = append(w.spots, nil)
	}
	for _, s := range w.spots[stack] {
		if s.kind == kind && s.raw == raw {
			return s
		}
	}
	raw = w.text(raw)
	s := &spot{kind: kind, raw: raw, stack: stack}
	reason := raw
	switch kind {
	case lanes.Waiting, lanes.Syscall:
		reason = w.waitReason(raw, stack)
		key := place{reason, w.Place(stack)}
		s.place = entry(w.places, key, waitPlace{
			WaitPlace: report.WaitPlace{Reason: reason, Frame: key.Frame},
			wakers:    map[int32]report.Sum{}, created: map[int32]report.Sum{},
		})
	case lanes.Runnable:
		reason = cmp.Or(stopReasons[raw], unknown)
	}
	s.name = w.name(reason)
	w.spots[stack] = append(w.spots[stack], s)
	return s
}

// how returns how goroutines become ready at a spot.
func (w *waiting) how(s *spot) string {
	switch {
	case s.kind != lanes.Life && ofRuntime(w.root(s.stack)):
		return runtimes
	case s.kind == lanes.Waiting:
		return "woken"
	case s.kind == lanes.Syscall:
		return systemCall
	}
	return w.Name(s.name)
}

// enter records that g begins to wait.
func (w *waiting) enter(g *goroutine) {
	p := g.at.place
	if p.now++; p.now == 1 {
		p.since = g.state.Start
	}
}

// leave counts the state of g, which has ended.
func (w *waiting) leave(g *goroutine, now time.Duration, runs bool) {
	v := &g.state
	m := report.Moment{At: v.Start, Length: v.Length, Goroutine: v.Goroutine}
	switch v.Kind {
	case lanes.Running:
		w.running += v.Length
	case lanes.Waiting, lanes.Syscall:
		p := g.at.place
		if p.now--; p.now == 0 {
			p.Contended += now - p.since
		}
		if g.earlier {
			p.Earlier.Add(v.Length)
		} else {
			p.Times.Add(uint64(v.Length))
		}
		if v.Length > p.Longest.Length {
			p.Longest, p.stack = m, g.at.stack
		}
		if v.Kind == lanes.Waiting {
			addTo(p.wakers, v.ByStack, v.Length)
		}
	case lanes.Runnable:
		unknown := g.at != nil && g.at.stack == 0 && ofRuntime(w.Name(g.life.Name))
		if !runs || g.earlier || g.at == nil || unknown {
			return
		}
		l := w.after(g.at)
		l.Times.Add(uint64(v.Length))
		if v.Length > l.Longest.Length {
			l.Longest = m
		}
	}
}

// addTo adds a time to the sum of a stack.
func addTo(sums map[int32]report.Sum, stack int32, length time.Duration) {
	sum, known := sums[stack]
	if !known && len(sums) >= maxStacks {
		stack = 0
		sum = sums[stack]
	}
	sum.Add(length)
	sums[stack] = sum
}

// after returns the latency of what became ready at a spot.
func (w *waiting) after(s *spot) *report.LatencyPlace {
	if s.ready == nil {
		key := place{w.how(s), w.Place(s.stack)}
		s.ready = entry(w.latency, key, report.LatencyPlace{How: key.what, Frame: key.Frame})
	}
	return s.ready
}

// finish counts a goroutine with which the trace ends.
func (w *waiting) finish(g *goroutine) {
	v := &g.state
	if v.Kind == lanes.Running {
		w.running += v.Length
	}
	if !g.waiting() || ofRuntime(w.Name(g.life.Name)) {
		return
	}
	p := g.at.place
	b := &p.blocked
	if b.N++; b.N == 1 {
		b.Stack = w.Stack(g.at.stack)
	}
	if g.life.Stack != 0 {
		b.New++
	}
	b.Sum += v.Length
	b.Longest = max(b.Longest, v.Length)
	addTo(p.created, g.life.Stack, v.Length)
}

func (w *waiting) report(end time.Duration) report.Waiting {
	r := report.Waiting{Running: w.running}
	reasons, waits := map[string]*report.WaitReason{}, map[place]*report.WaitPlace{}
	blocked := map[place]*report.Blocked{}
	for key, p := range w.places {
		of := entry(reasons, p.Reason, report.WaitReason{Reason: p.Reason})
		of.Times.Merge(&p.Times)
		of.Earlier.Merge(p.Earlier)
		of.Blocked += p.blocked.N
		if p.now > 0 {
			p.Contended += end - p.since
		}
		ended := p.Times.N + p.Earlier.N
		if ended > 0 {
			p.Times.Finish()
			p.Library = w.standard(&p.Frame)
			p.Stack, p.Wakers = w.Stack(p.stack), w.byPlace(p.wakers)
			waits[key] = &p.WaitPlace
		}
		if b := &p.blocked; b.N > 0 {
			b.Reason, b.Frame, b.Ended, b.Created = p.Reason, p.Frame, ended, w.byPlace(p.created)
			slices.SortStableFunc(b.Created, func(a, b report.Waker) int { return cmp.Compare(b.N, a.N) })
			blocked[key] = b
		}
	}
	for _, of := range reasons {
		of.Times.Finish()
	}
	for _, l := range w.latency {
		if l.How != runtimes {
			r.Latency.All.Merge(&l.Times)
		}
		l.Times.Finish()
	}
	r.Latency.All.Finish()
	r.Reasons = first(len(reasons), reasons,
		func(x *report.WaitReason) float64 { return x.Times.Sum })
	r.Places = first(maxPlaces, waits, func(x *report.WaitPlace) float64 { return x.Times.Sum })
	r.Blocked = first(maxPlaces, blocked, func(x *report.Blocked) float64 { return float64(x.N) })
	r.Latency.Places = first(maxPlaces, w.latency,
		func(x *report.LatencyPlace) float64 { return x.Times.Sum })
	return r
}

// byPlace sums up by the place of each stack and returns the longest sums.
func (w *waiting) byPlace(stacks map[int32]report.Sum) []report.Waker {
	sums := map[report.Frame]*report.Waker{}
	for stack, sum := range stacks {
		f := w.Place(stack)
		if strings.HasPrefix(f.Func, "runtime.") { // a timer, the network, the collector
			f = report.Frame{Func: "?"}
		}
		entry(sums, f, report.Waker{Frame: f}).Merge(sum)
	}
	return first(shown, sums, func(x *report.Waker) float64 { return float64(x.Time) })
}
