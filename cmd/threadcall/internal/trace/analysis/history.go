package analysis

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/report/trace"
)

// A history has what a goroutine did and for what others waited for it, in bounded memory.
type history struct {
	deeds     []*deed
	dependent time.Duration // waits that goroutines ended
	ended     trace.Sum     // waits of others, for this goroutine
	sends     time.Duration // of these: to send on a channel

	acts   []act         // the last ones
	recent [4]*waitPlace // the last different places
	burst  burst
}

// A deed sums up the times at one place.
type deed struct {
	*waitPlace
	trace.Sum
	from, to time.Duration // the start of the first, the start of the last
	longest  trace.Moment
}

// maxDeeds limits the deeds of a goroutine. The shortest sum makes room for another one.
const maxDeeds = 16

func (h *history) did(at *waitPlace, v *stay) {
	i := slices.IndexFunc(h.deeds, func(d *deed) bool { return d.waitPlace == at })
	if i < 0 {
		if len(h.deeds) == maxDeeds {
			slices.SortFunc(h.deeds, func(a, b *deed) int { return cmp.Compare(b.Time, a.Time) })
			h.deeds = h.deeds[:maxDeeds-1]
		}
		i = len(h.deeds)
		h.deeds = append(h.deeds, &deed{waitPlace: at, from: v.start})
	}
	d := h.deeds[i]
	d.Add(v.length)
	d.to = v.start
	if v.length > d.longest.Length {
		d.longest = moment(v)
	}
}

// An act is a time at one place. If it is a wait for another goroutine, root is that, or if that
// waited itself, the one at the end of this chain.
type act struct {
	*waitPlace
	from, to time.Duration
	root     *goroutine
}

// overlap returns how much of the act is in a time.
func (x act) overlap(from, to time.Duration) time.Duration {
	return max(0, min(x.to, to)-max(x.from, from))
}

const (
	maxActs = 16
	trifle  = 2 * time.Microsecond // of an act, and between two that count as one
)

// acted adds what a goroutine did to the acts of it.
func (h *history) acted(at *waitPlace, v *stay, root *goroutine) {
	x := act{at, v.start, v.start + v.length, root}
	n := len(h.acts)
	switch {
	case v.length < trifle:
	case n > 0 && h.acts[n-1].from == x.from: // it goes on
		h.acts[n-1] = x
	case n > 0 && h.acts[n-1].waitPlace == at && h.acts[n-1].root == root &&
		x.from-h.acts[n-1].to < trifle:
		h.acts[n-1].to = x.to
	case n == maxActs:
		copy(h.acts, h.acts[1:])
		h.acts[n-1] = x
	default:
		h.acts = append(h.acts, x)
	}
}

// A cause is what a goroutine did for which others waited, and if it waited for another one, what
// that did.
type cause struct{ at, root *waitPlace }

// behind adds what h did in a time to the causes of waits at a place. Who waits for a lock waits
// for what the one that has locked it does.
func (p *waitPlace) behind(h *goroutine, from, to time.Duration) {
	if len(h.acts) == maxActs && (from-h.start)*10 < to-from { // older acts are missing
		for _, d := range h.deeds {
			p.causes[cause{at: d.waitPlace}] += d.Time
		}
		return
	}
	for _, x := range h.acts {
		part := x.overlap(from, to)
		if part == 0 {
			continue
		}
		c := cause{at: x.waitPlace}
		if x.root != nil {
			most := time.Duration(0)
			for _, y := range x.root.acts {
				if n := y.overlap(max(from, x.from), min(to, x.to)); n > most {
					most, c.root = n, y.waitPlace
				}
			}
		}
		if c.root != nil && (c.at.Reason == trace.Mutex || c.at.Reason == trace.RWMutex) {
			c = cause{at: c.root}
		}
		if len(p.causes) < maxStacks || p.causes[c] > 0 {
			p.causes[c] += part
		}
	}
}

// waitedFor records that a wait of g has ended, and that h ended it. As long as h waited for
// another goroutine meanwhile, so did g. It returns the one for which g waited most.
func (a *analysis) waitedFor(g, h *goroutine) (root *goroutine) {
	p, v := g.at, &g.stay
	g.dependent += v.length
	if slices.Contains(h.recent[:], p) {
		p.Shared += v.length
	}
	if !slices.Contains(g.recent[:], p) {
		copy(g.recent[1:], g.recent[:])
		g.recent[0] = p
	}
	if h.stay.state == stateRunning { // up to now
		h.stay.length = a.now - h.stay.start
		h.acted(a.spot(v.byStack, stateRunning, ""), &h.stay, nil)
	}
	p.behind(h, max(v.start, p.until), a.now)
	p.until = a.now
	root, rest := h, v.length
	for _, x := range h.acts {
		if x.root != nil && x.root != g {
			other := x.overlap(v.start, a.now)
			x.root.serve(p, other)
			if rest -= other; other > v.length/2 {
				root = x.root
			}
		}
	}
	h.serve(p, rest)
	return root
}

// serve adds a time for which another goroutine waited for this one.
func (h *history) serve(p *waitPlace, length time.Duration) {
	switch {
	case length <= 0, p.Reason == trace.WaitGroup, p.Reason == trace.GCAssist,
		p.Reason == trace.RuntimeLock:
		return
	case p.Reason == trace.ChannelSend:
		h.sends += length
	}
	h.ended.Add(length)
}

// sumUp keeps what the verdict needs of a goroutine that has ended, or with which the trace ends.
func (a *analysis) sumUp(g *goroutine) {
	f := a.function(g.function)
	var waits, most *deed
	for _, d := range g.deeds {
		if most == nil || d.Time > most.Time {
			most = d
		}
		switch {
		case d.Reason == trace.Ran:
			at := deed{waitPlace: d.waitPlace}.report()
			entry(a.stopped, ranAt{g.function, d.waitPlace}, at).Merge(d.Sum)
		case d.N >= fewest && (waits == nil || d.Time > waits.Time):
			waits = d
		}
	}
	if g.id == 1 && waits != nil {
		loop := &trace.Loop{Deed: waits.report(), Span: waits.to - waits.from, Moved: g.moved,
			Stalls: []trace.Deed{}}
		for _, d := range g.deeds {
			if d.Reason != trace.Ran && d.longest.At > waits.from && d.longest.At < waits.to && d != waits {
				loop.Stalls = append(loop.Stalls, d.report())
			}
		}
		a.Waiting.Loop = loop
	}
	g.deeds, g.acts = nil, nil // others refer to the goroutine
	if g.ended.N == 0 || isSystem(f.Name) {
		return
	}
	s := trace.Server{Goroutine: g.id, Function: f.Name, Lived: a.now - g.start,
		Active:   g.times[stateRunning] + g.times[stateReady] + g.times[stateSyscall],
		Depended: g.dependent, Waits: g.ended, Sends: g.sends}
	if most != nil {
		s.Most = most.report()
	}
	all := append(a.Waiting.Servers, s)
	slices.SortStableFunc(all, func(a, b trace.Server) int {
		return cmp.Compare(b.Waits.Time, a.Waits.Time)
	})
	a.Waiting.Servers = all[:min(len(all), shown)]
}

func (d deed) report() trace.Deed {
	return trace.Deed{Doing: d.Reason, Place: d.Place, Sum: d.Sum, Longest: d.longest}
}

// ranAt is a place where goroutines of a function stopped running.
type ranAt struct {
	function string
	*waitPlace
}

// A burst is a series of goroutines that one goroutine makes ready on one stack, in one stretch of
// running.
type burst struct {
	stack *stack
	n     uint64
	from  time.Duration
}

// fewest is the least number of goroutines that a burst makes ready, and of waits in a loop.
const fewest = 20

// wakes counts a goroutine that h makes ready.
func (a *analysis) wakes(h *goroutine, by *stack) {
	if by != h.burst.stack {
		a.endBurst(h)
		h.burst = burst{stack: by, from: a.now}
	}
	h.burst.n++
}

func (a *analysis) endBurst(h *goroutine) {
	if b := h.burst; b.n >= fewest {
		of := entry(a.bursts, b.stack, trace.Wakeups{})
		of.N++
		of.Woken += b.n
		if b.n > of.Most {
			of.Most, of.Largest = b.n, trace.Moment{At: b.from, Goroutine: h.id}
		}
	}
	h.burst = burst{}
}

// wasReady adds the time for which a goroutine was ready after a burst.
func (a *analysis) wasReady(v *stay) {
	if of := a.bursts[v.byStack]; of != nil {
		of.Ready += v.length
		of.Largest.Length = max(of.Largest.Length, min(v.length, v.start+v.length-of.Largest.At))
	}
}

// finishWakeups sums up the bursts by their places.
func (a *analysis) finishWakeups() {
	byPlace := map[trace.Frame]*trace.Wakeups{}
	for stack, x := range a.bursts {
		f := a.place(stack).Frame
		if strings.HasPrefix(f.Func, "runtime.") {
			continue
		}
		of := entry(byPlace, f, trace.Wakeups{Frame: f})
		of.N, of.Woken, of.Ready = of.N+x.N, of.Woken+x.Woken, of.Ready+x.Ready
		if x.Most > of.Most {
			of.Most, of.Largest = x.Most, x.Largest
		}
	}
	a.Waiting.Wakeups = first(shown, byPlace,
		func(x *trace.Wakeups) float64 { return float64(x.Ready) })
}

// A load counts goroutines that run and that are ready. All Ps are busy if all run goroutines, or
// if so many are ready that they are on their way from one to the next.
type load struct {
	running, ready int
	at, from, to   time.Duration // of the last change; of the last time in which all Ps ran
}

func (a *analysis) change(running, ready int) {
	l, sum := &a.load, &a.Waiting.Load
	if a.full() {
		sum.Full += a.now - l.to
		sum.Ready += (a.now - l.at) * time.Duration(l.ready)
		l.to = a.now
	}
	l.at = a.now
	l.running, l.ready = max(0, l.running+running), max(0, l.ready+ready)
	if a.full() && a.now-l.to > briefly {
		l.from, l.to = a.now, a.now
	}
}

// full reports whether all Ps are busy.
func (a *analysis) full() bool {
	ps := int(a.Trace.GOMAXPROCS)
	return ps > 0 && (a.load.running >= ps || a.load.ready >= 2*ps)
}

// While a goroutine follows another one on a P, for this time at most, the Ps count as full.
const briefly = 100 * time.Microsecond

// late records that a timer or the network has ended a wait. If all Ps ran goroutines just before,
// for a millisecond or more, it may be late by that time.
func (a *analysis) late(v *stay) {
	a.change(0, 0)
	l, sum := &a.load, &a.Waiting.Load
	late := l.to - max(l.from, v.start)
	if late < time.Millisecond || a.now-l.to > briefly {
		return
	}
	sum.Late.Add(late)
	if late > sum.Latest.Length {
		sum.Latest = trace.Moment{At: a.now - late, Length: late, Goroutine: v.goroutine}
	}
}
