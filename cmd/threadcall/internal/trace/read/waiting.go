package read

import (
	"cmp"
	"slices"
	"strings"
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// waiting sums up where goroutines waited, for what, and what ended their waits. Sums are kept by stack, distributions by
// place.
type waiting struct {
	*analysis
	spots   [][]*spot  // by stack, then by state and reason
	readied [][]*spot  // by the stack of what made goroutines ready; only n and time are used
	created []*latency // by the stack where goroutines were created
	reasons map[string]*waitReason
	places  map[waitKey]*waitPlace
	latency map[waitKey]*latency
	running time.Duration
	total   func(kind string, stack []report.Frame, sum report.Sum) // see Options
}

// A spot is a stack on which goroutines leave the processor for one reason. It is also where they become ready.
type spot struct {
	state  xtrace.GoState
	raw    string // the runtime's reason
	stack  stackID
	place  *waitPlace // nil for spots of goroutines that were stopped or created
	after  *latency   // of what became ready here; nil until something does
	how    string     // it becomes ready
	sum    report.Sum // of waits that profiles have
	total  time.Duration
	wakers []endedBy
	others report.Sum // by wakers beyond maxWakers
}

// endedBy is a stack on which goroutines ended waits of a spot.
type endedBy struct {
	stack stackID
	report.Sum
}

// maxWakers limits the wakers of a spot.
const maxWakers = 48

type waitKey struct {
	what string
	report.Frame
}

type waitReason struct {
	times   report.Histogram
	earlier report.Sum
	blocked uint64
}

type waitPlace struct {
	waitKey
	reason    *waitReason
	times     report.Histogram
	earlier   report.Sum
	now, most uint64
	since     time.Duration // now is not zero
	contended time.Duration
	longest   report.Moment
	spots     []*spot

	blocked report.Blocked
	created map[stackID]*report.Sum
}

type latency struct {
	waitKey
	times   report.Histogram
	longest report.Moment
}

// away is the state of a goroutine that does not run.
type away struct {
	at      *spot // where it left, or began
	by      stackID
	from    time.Duration
	earlier bool // the state began before the trace
	started bool // it has run in the trace
}

func (w *waiting) init(a *analysis) {
	w.analysis = a
	w.reasons = map[string]*waitReason{}
	w.places = map[waitKey]*waitPlace{}
	w.latency = map[waitKey]*latency{}
}

// spot returns the spot of a stack.
func (w *waiting) spot(id stackID, state xtrace.GoState, raw string) *spot {
	for int(id) >= len(w.spots) {
		w.spots = append(w.spots, nil)
	}
	for _, s := range w.spots[id] {
		if s.state == state && s.raw == raw {
			return s
		}
	}
	s := &spot{state: state, raw: raw, stack: id}
	switch state {
	case xtrace.GoWaiting:
		s.how = "woken"
		s.place = w.place(w.stacks.waitReason(raw, id), id)
	case xtrace.GoSyscall:
		s.how = systemCall
		s.place = w.place(w.stacks.waitReason(systemCall, id), id)
	case xtrace.GoRunnable:
		s.how = w.stacks.stopReason(raw, id)
	}
	if s.place != nil {
		s.place.spots = append(s.place.spots, s)
	}
	w.spots[id] = append(w.spots[id], s)
	return s
}

func (w *waiting) place(reason string, id stackID) *waitPlace {
	key := waitKey{reason, w.stacks.waitPlace(id)}
	p := w.places[key]
	if p == nil {
		r := w.reasons[reason]
		if r == nil {
			r = &waitReason{}
			w.reasons[reason] = r
		}
		p = &waitPlace{waitKey: key, reason: r, created: map[stackID]*report.Sum{}}
		w.places[key] = p
	}
	return p
}

// enter records that g begins the state that it has now.
func (w *waiting) enter(g *goroutine, from xtrace.GoState, reason string, at stackID) {
	g.from, g.earlier = w.now, from == xtrace.GoUndetermined
	switch g.state {
	case xtrace.GoRunning:
		g.started = true
		return
	case xtrace.GoWaiting, xtrace.GoSyscall:
		if g.state == xtrace.GoSyscall {
			reason = ""
		}
		g.at = w.spot(at, g.state, reason)
		p := g.at.place
		if p.now++; p.now == 1 {
			p.since = w.now
			if g.earlier {
				p.since = 0
			}
		}
		p.most = max(p.most, p.now)
	case xtrace.GoRunnable:
		g.by = at
		switch from {
		case xtrace.GoRunning:
			g.at = w.spot(g.by, xtrace.GoRunnable, reason)
		case xtrace.GoNotExist, xtrace.GoUndetermined:
			g.at = nil
		}
	}
}

// leave records that the state of g ends, by an event with the stack by.
func (w *waiting) leave(g *goroutine, to xtrace.GoState, by stackID) {
	length := w.now - g.from
	switch g.state {
	case xtrace.GoRunning:
		w.running += length
	case xtrace.GoWaiting, xtrace.GoSyscall:
		w.waited(g, to, by, length)
	case xtrace.GoRunnable:
		if to != xtrace.GoRunning || g.earlier {
			return
		}
		l := w.after(g)
		l.times.Add(uint64(length))
		if length > l.longest.Length {
			l.longest = report.Moment{At: g.from, Length: length, Goroutine: int64(g.id)}
		}
		if g.started {
			for int(g.by) >= len(w.readied) {
				w.readied = append(w.readied, nil)
			}
			if w.readied[g.by] == nil {
				w.readied[g.by] = []*spot{{stack: g.by}}
			}
			w.readied[g.by][0].sum.Add(length)
		}
	}
}

func (w *waiting) waited(g *goroutine, to xtrace.GoState, by stackID, length time.Duration) {
	s := g.at
	p := s.place
	if p.now--; p.now == 0 {
		p.contended += w.now - p.since
	}
	s.total += length
	from := g.from
	switch {
	case g.earlier:
		from, length = 0, w.now
		p.earlier.Add(length)
	default:
		p.times.Add(uint64(length))
		if g.started {
			s.sum.Add(length)
		}
	}
	if length > p.longest.Length {
		p.longest = report.Moment{At: from, Length: length, Goroutine: int64(g.id)}
	}
	if g.state == xtrace.GoWaiting && to == xtrace.GoRunnable {
		s.woken(by, length)
	}
}

func (s *spot) woken(by stackID, length time.Duration) {
	for i := range s.wakers {
		if s.wakers[i].stack == by {
			s.wakers[i].Add(length)
			return
		}
	}
	if len(s.wakers) == maxWakers {
		s.others.Add(length)
		return
	}
	s.wakers = append(s.wakers, endedBy{by, report.Sum{N: 1, Time: length}})
}

// after returns the latency of what became ready as g did.
func (w *waiting) after(g *goroutine) *latency {
	switch {
	case g.at != nil && g.at.after != nil:
		return g.at.after
	case g.at == nil && int(g.created) < len(w.created) && w.created[g.created] != nil:
		return w.created[g.created]
	}
	var key waitKey
	function := w.functions.list[g.function].Name
	switch {
	case g.at != nil:
		key = waitKey{g.at.how, w.stacks.waitPlace(g.at.stack)}
	case g.created != 0:
		key = waitKey{"created", w.stacks.waitPlace(g.created)}
	default:
		key = waitKey{"created", report.Frame{Func: function}}
	}
	if ofRuntime(function) {
		key.what = runtimes
	}
	l := w.latency[key]
	if l == nil {
		l = &latency{waitKey: key}
		w.latency[key] = l
	}
	switch {
	case g.at != nil:
		g.at.after = l
	case g.created != 0 && !ofRuntime(function):
		for int(g.created) >= len(w.created) {
			w.created = append(w.created, nil)
		}
		w.created[g.created] = l
	}
	return l
}

// block counts a goroutine with which the trace ends.
func (w *waiting) block(g *goroutine) {
	if g.state != xtrace.GoWaiting && g.state != xtrace.GoSyscall {
		return
	}
	p := g.at.place
	if ofRuntime(w.functions.list[g.function].Name) {
		return
	}
	length := w.now - g.from
	if g.earlier {
		length = w.now
	}
	p.reason.blocked++
	b := &p.blocked
	if b.N++; b.N == 1 {
		b.Stack = w.stacks.get(g.at.stack)
	}
	if g.created != 0 {
		b.New++
	}
	b.Sum += length
	b.Longest = max(b.Longest, length)
	sum := p.created[g.created]
	if sum == nil {
		sum = &report.Sum{}
		p.created[g.created] = sum
	}
	sum.Add(length)
}

// The limits of lists in a report.
const (
	maxWaitPlaces = 500
	shownWakers   = 10
)

func (w *waiting) report() report.Waiting {
	r := report.Waiting{
		Running: w.running, Reasons: []report.WaitReason{}, Places: []report.WaitPlace{}, Blocked: []report.Blocked{},
		Latency: report.Latency{Places: []report.LatencyPlace{}}, Totals: w.totals(),
	}
	for _, p := range w.places {
		p.reason.times.Merge(&p.times)
		p.reason.earlier = report.Sum{N: p.reason.earlier.N + p.earlier.N, Time: p.reason.earlier.Time + p.earlier.Time}
	}
	for name, reason := range w.reasons {
		r.Reasons = append(r.Reasons, report.WaitReason{Reason: name, Times: reason.times.Distribution(), Earlier: reason.earlier, Blocked: reason.blocked})
	}
	slices.SortFunc(r.Reasons, func(a, b report.WaitReason) int {
		return cmp.Or(cmp.Compare(b.Times.Sum, a.Times.Sum), cmp.Compare(a.Reason, b.Reason))
	})
	var places []*waitPlace
	for _, p := range w.places {
		if p.now > 0 {
			p.contended += w.now - p.since
		}
		if p.times.N()+p.earlier.N > 0 {
			places = append(places, p)
		}
		if p.blocked.N > 0 {
			r.Blocked = append(r.Blocked, w.blocked(p))
		}
	}
	slices.SortFunc(places, func(a, b *waitPlace) int {
		return cmp.Or(cmp.Compare(b.times.Sum(), a.times.Sum()), cmp.Compare(b.earlier.Time, a.earlier.Time), a.compare(b.waitKey))
	})
	for _, p := range places[:min(len(places), maxWaitPlaces)] {
		longest := slices.MaxFunc(p.spots, func(a, b *spot) int { return cmp.Compare(a.total, b.total) })
		r.Places = append(r.Places, report.WaitPlace{
			Reason: p.what, Frame: p.Frame, Library: w.stacks.standard(&p.Frame, symbol.Package(p.Func)), Times: p.times.Distribution(), Earlier: p.earlier, Contended: p.contended,
			Most: p.most, Longest: p.longest, Stack: w.stacks.get(longest.stack), Wakers: w.wakers(p),
		})
	}
	slices.SortFunc(r.Blocked, func(a, b report.Blocked) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(b.Sum, a.Sum), waitKey{a.Reason, a.Frame}.compare(waitKey{b.Reason, b.Frame}))
	})
	r.Blocked = r.Blocked[:min(len(r.Blocked), maxWaitPlaces)]

	var all report.Histogram
	for _, l := range w.latency {
		if l.what != runtimes {
			all.Merge(&l.times)
		}
		r.Latency.Places = append(r.Latency.Places, report.LatencyPlace{How: l.what, Frame: l.Frame, Times: l.times.Distribution(), Longest: l.longest})
	}
	r.Latency.All = all.Distribution()
	slices.SortFunc(r.Latency.Places, func(a, b report.LatencyPlace) int {
		return cmp.Or(cmp.Compare(b.Times.Sum, a.Times.Sum), waitKey{a.How, a.Frame}.compare(waitKey{b.How, b.Frame}))
	})
	r.Latency.Places = r.Latency.Places[:min(len(r.Latency.Places), maxWaitPlaces)]
	return r
}

func (k waitKey) compare(to waitKey) int {
	return cmp.Or(cmp.Compare(k.what, to.what), cmp.Compare(k.Func, to.Func), cmp.Compare(k.File, to.File), cmp.Compare(k.Line, to.Line))
}

func (w *waiting) blocked(p *waitPlace) report.Blocked {
	b := p.blocked
	b.Reason, b.Frame, b.Ended = p.what, p.Frame, p.times.N()+p.earlier.N
	b.Created = w.byPlace(func(add func(stackID, report.Sum)) {
		for id, sum := range p.created {
			add(id, *sum)
		}
	})
	slices.SortStableFunc(b.Created, func(a, b report.Waker) int { return cmp.Compare(b.N, a.N) })
	return b
}

func (w *waiting) wakers(p *waitPlace) []report.Waker {
	return w.byPlace(func(add func(stackID, report.Sum)) {
		for _, s := range p.spots {
			for _, by := range s.wakers {
				add(by.stack, by.Sum)
			}
			if s.others.N > 0 {
				add(0, s.others)
			}
		}
	})
}

// byPlace sums up by the place of each stack and returns the longest sums.
func (w *waiting) byPlace(each func(add func(stackID, report.Sum))) []report.Waker {
	sums := map[report.Frame]report.Sum{}
	each(func(id stackID, sum report.Sum) {
		f := w.stacks.waitPlace(id)
		if strings.HasPrefix(f.Func, "runtime.") { // a timer, the network, the collector
			f = report.Frame{Func: "?"}
		}
		sums[f] = report.Sum{N: sums[f].N + sum.N, Time: sums[f].Time + sum.Time}
	})
	list := []report.Waker{}
	for f, sum := range sums {
		list = append(list, report.Waker{Frame: f, Sum: sum})
	}
	slices.SortFunc(list, func(a, b report.Waker) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), waitKey{"", a.Frame}.compare(waitKey{"", b.Frame}))
	})
	return list[:min(len(list), shownWakers)]
}

// totals returns what go tool trace -pprof has.
func (w *waiting) totals() []report.Total {
	kinds := []struct {
		spots [][]*spot
		has   func(*spot) bool
	}{
		{w.spots, func(s *spot) bool { return s.state == xtrace.GoWaiting && s.raw == "network" }},
		{w.spots, func(s *spot) bool {
			return s.state == xtrace.GoWaiting && (strings.Contains(s.raw, "chan") || strings.Contains(s.raw, "sync") || strings.Contains(s.raw, "select"))
		}},
		{w.spots, func(s *spot) bool { return s.state == xtrace.GoSyscall }},
		{w.readied, func(*spot) bool { return true }},
	}
	var list []report.Total
	for i, name := range report.TotalKinds {
		t := report.Total{Kind: name}
		for _, spots := range kinds[i].spots {
			for _, s := range spots {
				if s.sum.N == 0 || !kinds[i].has(s) {
					continue
				}
				t.N += s.sum.N
				t.Time += s.sum.Time
				if w.total != nil {
					w.total(name, w.stacks.get(s.stack), s.sum)
				}
			}
		}
		list = append(list, t)
	}
	return list
}
