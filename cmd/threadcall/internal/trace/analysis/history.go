package analysis

import (
	"cmp"
	"slices"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// A history has what a goroutine did and for what others waited for it, in bounded memory.
type history struct {
	deeds     []deed
	dependent time.Duration // waits that goroutines ended
	ended     report.Sum    // waits of others, for this goroutine
	sends     time.Duration // of these: to send on a channel

	last struct { // the last wait that a goroutine ended
		from, to time.Duration
		root     *goroutine
	}
	recent [4]*waitPlace // the last different places
	burst  burst
}

// A deed sums up the times at one place.
type deed struct {
	*waitPlace
	report.Sum
	from, to time.Duration // the start of the first, the start of the last
	longest  report.Moment
}

// maxDeeds limits the deeds of a goroutine. The shortest sum makes room for another one.
const maxDeeds = 16

// did adds a time.
func (h *history) did(at *waitPlace, v *stay) {
	i := 0
	for i < len(h.deeds) && h.deeds[i].waitPlace != at {
		i++
	}
	if i == maxDeeds {
		for k := range h.deeds {
			if i == maxDeeds || h.deeds[k].Time < h.deeds[i].Time {
				i = k
			}
		}
		h.deeds[i] = deed{waitPlace: at, from: v.start}
	} else if i == len(h.deeds) {
		h.deeds = append(h.deeds, deed{waitPlace: at, from: v.start})
	}
	d := &h.deeds[i]
	d.Add(v.length)
	d.to = v.start
	if v.length > d.longest.Length {
		d.longest = moment(v)
	}
}

// waitedFor records that a wait of g has ended, and that h ended it. As long as h waited for
// another goroutine meanwhile, so did g.
func (g *goroutine) waitedFor(h *goroutine, now time.Duration) {
	p, v := g.at, &g.stay
	g.dependent += v.length
	if slices.Contains(h.recent[:], p) {
		p.Shared += v.length
	}
	if !slices.Contains(g.recent[:], p) {
		copy(g.recent[1:], g.recent[:])
		g.recent[0] = p
	}
	root, other := h, time.Duration(0)
	if h.last.root != nil && h.last.root != g {
		other = max(0, min(h.last.to, now)-max(h.last.from, v.start))
		h.last.root.serve(p, other)
		if other > v.length/2 {
			root = h.last.root
		}
	}
	h.serve(p, v.length-other)
	g.last.from, g.last.to, g.last.root = v.start, now, root
}

// serve adds a time for which another goroutine waited for this one.
func (h *history) serve(p *waitPlace, length time.Duration) {
	switch {
	case length <= 0, p.Reason == waitGroup, p.Reason == gcAssist, p.Reason == runtimeLock:
		return
	case p.Reason == channelSend:
		h.sends += length
	}
	h.ended.Add(length)
}

// judge keeps what the verdict needs of a goroutine that has ended, or with which the trace ends.
func (a *analysis) judge(g *goroutine) {
	f := a.function(g.function)
	var waits, most *deed
	for i := range g.deeds {
		d := &g.deeds[i]
		if most == nil || d.Time > most.Time {
			most = d
		}
		switch {
		case d.Reason == ran:
			at := report.Deed{Doing: ran, Frame: d.Frame, From: d.From}
			entry(a.stopped, ranAt{g.function, d.waitPlace}, at).Merge(d.Sum)
		case d.N >= fewest && (waits == nil || d.Time > waits.Time):
			waits = d
		}
	}
	if g.id == 1 && waits != nil {
		a.loop = &report.Loop{Deed: waits.report(), Span: waits.to - waits.from, Moved: g.moved,
			Stalls: []report.Deed{}}
		for i := range g.deeds {
			d := &g.deeds[i]
			if d.Reason != ran && d.longest.At > waits.from && d.longest.At < waits.to && d != waits {
				a.loop.Stalls = append(a.loop.Stalls, d.report())
			}
		}
	}
	g.last.root = nil
	if g.ended.N == 0 || isSystem(f.Name) {
		return
	}
	s := report.Server{Goroutine: g.id, Function: f.Name, Lived: a.now - g.start,
		Active:   g.times[stateRunning] + g.times[stateReady] + g.times[stateSyscall],
		Depended: g.dependent, Waits: g.ended, Sends: g.sends}
	if most != nil {
		s.Most = most.report()
	}
	a.servers = append(a.servers, s)
	slices.SortStableFunc(a.servers, func(a, b report.Server) int {
		return cmp.Compare(b.Waits.Time, a.Waits.Time)
	})
	a.servers = a.servers[:min(len(a.servers), shown)]
}

func (d *deed) report() report.Deed {
	return report.Deed{Doing: d.Reason, Frame: d.Frame, From: d.From, Sum: d.Sum, Longest: d.longest}
}

// ranAt is a place where goroutines of a function stopped running.
type ranAt struct {
	function string
	*waitPlace
}

// wakeups sums up by stack what one goroutine made ready in one stretch of running.
type wakeups struct{ at map[int32]*report.Wakeups }

// A burst is a series of wake-ups on one stack.
type burst struct {
	stack int32
	n     uint64
	from  time.Duration
	by    int64
}

// fewest is the least number of goroutines that a burst makes ready, and of waits in a loop.
const fewest = 20

func (w *wakeups) add(h *goroutine, stack int32, now time.Duration) {
	if stack != h.burst.stack {
		w.finish(&h.burst)
		h.burst = burst{stack: stack, from: now, by: h.id}
	}
	h.burst.n++
}

func (w *wakeups) finish(b *burst) {
	if b.n >= fewest {
		of := entry(w.at, b.stack, report.Wakeups{})
		of.N++
		of.Woken += b.n
		if b.n > of.Most {
			of.Most, of.Largest = b.n, report.Moment{At: b.from, Goroutine: b.by}
		}
	}
	*b = burst{}
}

// ready adds the time for which a goroutine was ready.
func (w *wakeups) ready(v *stay) {
	if of := w.at[v.byStack]; of != nil {
		of.Ready += v.length
		of.Largest.Length = max(of.Largest.Length, min(v.length, v.start+v.length-of.Largest.At))
	}
}

func (w *wakeups) report(t *tables) []report.Wakeups {
	byPlace := map[report.Frame]*report.Wakeups{}
	for stack, x := range w.at {
		f := t.place(stack)
		of := entry(byPlace, f, report.Wakeups{Frame: f})
		of.N, of.Woken, of.Ready = of.N+x.N, of.Woken+x.Woken, of.Ready+x.Ready
		if x.Most > of.Most {
			of.Most, of.Largest = x.Most, x.Largest
		}
	}
	return first(shown, byPlace, func(x *report.Wakeups) float64 { return float64(x.Ready) })
}

// A load counts goroutines that run and that are ready.
type load struct {
	report.Load
	running, ready int
	at, from, to   time.Duration // of the last change; of the last time in which all Ps ran
}

// change changes the counts.
func (l *load) change(a *analysis, running, ready int) {
	if l.full(a) {
		l.Full += a.now - l.to
		l.Ready += (a.now - l.at) * time.Duration(l.ready)
		l.to = a.now
	}
	l.at = a.now
	l.running, l.ready = max(0, l.running+running), max(0, l.ready+ready)
	if l.full(a) && a.now-l.to > briefly {
		l.from, l.to = a.now, a.now
	}
}

// full reports whether all Ps run goroutines.
func (l *load) full(a *analysis) bool {
	return a.gomaxprocs > 0 && l.running >= int(a.gomaxprocs)
}

// While a goroutine follows another one on a P, for this time at most, the Ps count as full.
const briefly = 100 * time.Microsecond

// event records that a timer or the network has ended a wait. If all Ps ran goroutines just before,
// for a millisecond or more, it may be late by that time.
func (l *load) event(a *analysis, v *stay) {
	l.change(a, 0, 0)
	late := l.to - max(l.from, v.start)
	if late < time.Millisecond || a.now-l.to > briefly {
		return
	}
	l.Late.Add(late)
	if late > l.Latest.Length {
		l.Latest = report.Moment{At: a.now - late, Length: late, Goroutine: v.goroutine}
	}
}
