package analysis

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/report/trace"
)

// waiting sums up where goroutines waited, for what, and what ended their waits, and how long they
// were ready before they ran.
type waiting struct {
	*tables
	spots   [][]spot // by stack, then by state and reason
	places  map[placeKey]*waitPlace
	latency trace.Distribution // of goroutines that were ready
}

// A spot is a stack on which goroutines leave the processor for one reason.
type spot struct {
	state state
	raw   string // the runtime's reason
	place *waitPlace
}

// A placeKey is a frame where something is the case, such as a reason to wait.
type placeKey struct {
	what string
	trace.Frame
}

// A waitPlace sums up the waits at a place. Places where goroutines stopped running have the reason
// ran, and no sums.
type waitPlace struct {
	trace.WaitPlace
	ended  uint64
	now    uint64
	since  time.Duration // now is not zero
	until  time.Duration // causes are known
	causes map[cause]time.Duration
	stack  int32               // of the longest
	wakers map[int32]trace.Sum // by the stack that ended the wait

	blocked trace.Blocked
	created map[int32]trace.Sum // the blocked by the stack that created them
}

// maxStacks limits the stacks that are kept for a place; others count as the empty one.
const maxStacks = 1000

// spot returns the spot of a stack.
func (w *waiting) spot(stack int32, in state, raw string) *spot {
	for int(stack) >= len(w.spots) {
		w.spots = append(w.spots, nil)
	}
	for i, s := range w.spots[stack] {
		if s.state == in && s.raw == raw {
			return &w.spots[stack][i]
		}
	}
	raw = w.text(raw)
	p := w.place(stack)
	key := placeKey{w.waitReason(raw, stack), p.Frame}
	if in == stateRunning { // a function and its caller, on whatever lines
		key = placeKey{trace.Ran, trace.Frame{Func: p.Func, File: p.From.Func}}
	}
	w.spots[stack] = append(w.spots[stack], spot{in, raw, entry(w.places, key, waitPlace{
		WaitPlace: trace.WaitPlace{Reason: key.what, Place: p},
		wakers:    map[int32]trace.Sum{}, created: map[int32]trace.Sum{},
		causes: map[cause]time.Duration{},
	})})
	return &w.spots[stack][len(w.spots[stack])-1]
}

// enter records that g begins to wait.
func (w *waiting) enter(g *goroutine, stack int32, reason string) {
	p := w.spot(stack, g.stay.state, reason).place
	g.at = p
	if p.now++; p.now == 1 {
		p.since = g.stay.start
	}
}

// leave counts the wait of g, which has ended.
func (w *waiting) leave(g *goroutine, now time.Duration) {
	v, p := &g.stay, g.at
	if p.now--; p.now == 0 {
		p.Contended += now - p.since
	}
	p.ended++
	if g.earlier {
		return
	}
	p.Times.Add(uint64(v.length))
	if g.id == 1 {
		p.Main += v.length
	}
	if v.length > p.Longest.Length {
		p.Longest, p.stack = moment(v), v.stack
	}
	if v.state == stateWaiting {
		addTo(p.wakers, v.byStack, v.length)
	}
}

func moment(v *stay) trace.Moment {
	return trace.Moment{At: v.start, Length: v.length, Goroutine: v.goroutine}
}

// addTo adds a time to the sum of a stack.
func addTo(sums map[int32]trace.Sum, stack int32, length time.Duration) {
	sum, known := sums[stack]
	if !known && len(sums) >= maxStacks {
		stack = 0
		sum = sums[stack]
	}
	sum.Add(length)
	sums[stack] = sum
}

func (w *waiting) finish(g *goroutine) {
	if !g.waiting() || ofRuntime(g.function) {
		return
	}
	v, p := &g.stay, g.at
	b := &p.blocked
	if b.N++; b.N == 1 {
		b.Stack = w.list(v.stack)
	}
	if g.created != 0 {
		b.New++
	}
	b.Sum += v.length
	b.Longest = max(b.Longest, v.length)
	addTo(p.created, g.created, v.length)
}

func (w *waiting) report(end time.Duration) trace.Waiting {
	r := trace.Waiting{Latency: w.latency}
	r.Latency.Finish()
	waits, blocked := map[placeKey]*trace.WaitPlace{}, map[placeKey]*trace.Blocked{}
	for key, p := range w.places {
		if p.Reason == trace.Ran {
			continue
		}
		if p.now > 0 {
			p.Contended += end - p.since
		}
		if p.Times.N > 0 {
			for _, d := range []*trace.Distribution{&p.Times, &p.Ready, &p.Ran} {
				d.Finish()
			}
			p.Library = w.standard(&p.Frame)
			p.Stack, p.From, p.Wakers = w.list(p.stack), w.place(p.stack).From, w.byPlace(p.wakers)
			p.Causes = p.causeList()
			waits[key] = &p.WaitPlace
		}
		if b := &p.blocked; b.N > 0 {
			b.Reason, b.Frame, b.Ended, b.Created = p.Reason, p.Frame, p.ended, w.byPlace(p.created)
			slices.SortStableFunc(b.Created, func(a, b trace.Waker) int { return cmp.Compare(b.N, a.N) })
			blocked[key] = b
		}
	}
	r.Places = first(maxPlaces, waits, func(x *trace.WaitPlace) float64 { return x.Times.Sum })
	r.Blocked = first(maxPlaces, blocked, func(x *trace.Blocked) float64 { return float64(x.N) })
	return r
}

// causeList returns the longest causes. A goroutine that runs stops at whatever places, so all of
// them count for the one with the longest time.
func (p *waitPlace) causeList() []trace.Cause {
	all := map[cause]*trace.Cause{}
	var running time.Duration
	var most *trace.Cause
	for c, length := range p.causes {
		x := &trace.Cause{Deed: deed{waitPlace: c.at, Sum: trace.Sum{Time: length}}.report()}
		if all[c] = x; c.root != nil {
			root := deed{waitPlace: c.root}.report()
			x.Root = &root
		}
		if x.Doing == trace.Ran {
			if running += length; most == nil || length > most.Time {
				most = x
			}
		}
	}
	if most != nil {
		most.Time = running
	}
	return first(3, all, func(x *trace.Cause) float64 { return float64(x.Time) })
}

// byPlace sums up by the place of each stack and returns the longest sums.
func (w *waiting) byPlace(stacks map[int32]trace.Sum) []trace.Waker {
	sums := map[trace.Frame]*trace.Waker{}
	for stack, sum := range stacks {
		f := w.place(stack).Frame
		if strings.HasPrefix(f.Func, "runtime.") { // a timer, the network, the collector
			f = trace.Frame{Func: trace.NoFunction}
		}
		entry(sums, f, trace.Waker{Frame: f, By: finalizers[w.root(stack)]}).Merge(sum)
	}
	return first(shown, sums, func(x *trace.Waker) float64 { return float64(x.Time) })
}
