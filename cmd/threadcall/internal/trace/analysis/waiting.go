package analysis

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/report/trace"
)

// A spot is a reason for which goroutines leave the processor on a stack.
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
	now    uint64
	since  time.Duration // now is not zero
	until  time.Duration // causes are known
	causes map[cause]time.Duration
	stack  *stack               // of the longest
	wakers map[*stack]trace.Sum // by the stack that ended the wait

	blocked trace.Blocked
	created map[*stack]trace.Sum // the blocked by the stack that created them
}

// maxStacks limits the stacks that are kept for a place; others count as the empty one.
const maxStacks = 1000

// spot returns the place where goroutines leave the processor on a stack, for one reason.
func (a *analysis) spot(s *stack, in state, raw string) *waitPlace {
	for _, known := range s.spots {
		if known.state == in && known.raw == raw {
			return known.place
		}
	}
	raw = a.text(raw)
	at := a.place(s)
	key := placeKey{a.waitReason(raw, s), at.Frame}
	if in == stateRunning { // a function and its caller, on whatever lines
		key = placeKey{trace.Ran, trace.Frame{Func: at.Func, File: at.From.Func}}
	}
	p := entry(a.waits, key, waitPlace{
		WaitPlace: trace.WaitPlace{Reason: key.what, Place: at}, stack: a.nowhere,
		wakers: map[*stack]trace.Sum{}, created: map[*stack]trace.Sum{},
		causes: map[cause]time.Duration{},
	})
	s.spots = append(s.spots, spot{in, raw, p})
	return p
}

// wait records that g begins to wait.
func (a *analysis) wait(g *goroutine, reason string) {
	p := a.spot(g.stay.stack, g.stay.state, reason)
	g.at = p
	if p.now++; p.now == 1 {
		p.since = g.stay.start
	}
}

// waited counts the wait of g, which has ended.
func (a *analysis) waited(g *goroutine) {
	v, p := &g.stay, g.at
	if p.now--; p.now == 0 {
		p.Contended += a.now - p.since
	}
	p.blocked.Ended++
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
		a.addTo(p.wakers, v.byStack, v.length)
	}
}

func moment(v *stay) trace.Moment {
	return trace.Moment{At: v.start, Length: v.length, Goroutine: v.goroutine}
}

// addTo adds a time to the sum of a stack.
func (a *analysis) addTo(sums map[*stack]trace.Sum, s *stack, length time.Duration) {
	if sums[s].N == 0 && len(sums) >= maxStacks {
		s = a.nowhere
	}
	sum := sums[s]
	sum.Add(length)
	sums[s] = sum
}

// block counts the wait of g, with which the trace ends.
func (a *analysis) block(g *goroutine) {
	if g.at == nil || ofRuntime(g.function) {
		return
	}
	v, p := &g.stay, g.at
	b := &p.blocked
	if b.N++; b.N == 1 {
		b.Stack = v.stack.list()
	}
	if g.created != a.nowhere {
		b.New++
	}
	b.Sum += v.length
	b.Longest = max(b.Longest, v.length)
	a.addTo(p.created, g.created, v.length)
}

// finishWaits completes the places of waits.
func (a *analysis) finishWaits() {
	waits, blocked := map[placeKey]*trace.WaitPlace{}, map[placeKey]*trace.Blocked{}
	for key, p := range a.waits {
		if p.Reason == trace.Ran {
			continue
		}
		if p.now > 0 {
			p.Contended += a.now - p.since
		}
		if p.Times.N > 0 {
			finish(&p.Times, &p.Ready, &p.Ran)
			p.Library = a.standard(p.Frame)
			p.Stack, p.From, p.Wakers = p.stack.list(), a.place(p.stack).From, a.byPlace(p.wakers)
			p.Causes = p.causeList()
			waits[key] = &p.WaitPlace
		}
		if b := &p.blocked; b.N > 0 {
			b.Reason, b.Frame, b.Created = p.Reason, p.Frame, a.byPlace(p.created)
			slices.SortStableFunc(b.Created, func(a, b trace.Waker) int { return cmp.Compare(b.N, a.N) })
			blocked[key] = b
		}
	}
	a.Waiting.Places = first(maxPlaces, waits,
		func(x *trace.WaitPlace) float64 { return x.Times.Sum })
	a.Waiting.Blocked = first(maxPlaces, blocked,
		func(x *trace.Blocked) float64 { return float64(x.N) })
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
			x.Root = new(deed{waitPlace: c.root}.report())
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
func (a *analysis) byPlace(stacks map[*stack]trace.Sum) []trace.Waker {
	sums := map[trace.Frame]*trace.Waker{}
	for stack, sum := range stacks {
		f := a.place(stack).Frame
		if strings.HasPrefix(f.Func, "runtime.") { // a timer, the network, the collector
			f = trace.Frame{Func: trace.NoFunction}
		}
		entry(sums, f, trace.Waker{Frame: f, By: finalizers[stack.root()]}).Merge(sum)
	}
	return first(shown, sums, func(x *trace.Waker) float64 { return float64(x.Time) })
}
