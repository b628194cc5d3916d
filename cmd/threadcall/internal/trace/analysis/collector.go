package analysis

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// A collector sums up the ranges of the runtime: phases of the garbage collector, assists of
// goroutines that allocate, and stopped worlds.
type collector struct {
	open    map[rangeKey]openRange
	cycles  uint64
	mark    report.Histogram
	marks   report.Top[report.Interval] // the longest
	stops   report.Histogram
	longest report.Top[report.Interval]  // stops
	reasons map[string]*report.Histogram // of stops
	assists map[report.Frame]*report.AssistPlace
	assist  report.AssistTimes
}

type rangeKey struct {
	name  string
	scope xtrace.ResourceID
}

type openRange struct {
	start   time.Duration
	earlier bool // it began before the trace
	stack   int32
	times   [4]time.Duration // of the goroutine, until then
}

// The names of the runtime's ranges.
const (
	marking   = "GC concurrent mark phase"
	assisting = "GC mark assist"
	sweeping  = "GC incremental sweep"
	stopping  = "stop-the-world ("
)

func (c *collector) init() {
	c.open, c.reasons = map[rangeKey]openRange{}, map[string]*report.Histogram{}
	c.assists = map[report.Frame]*report.AssistPlace{}
	longer := func(a, b report.Interval) bool { return a.Length > b.Length }
	c.marks, c.longest = report.NewTop(shown, longer), report.NewTop(shown, longer)
}

// spent returns the times of a goroutine up to now.
func (g *goroutine) spent(now time.Duration) [4]time.Duration {
	times := g.times
	if g.known {
		times[g.state.Kind] += now - g.state.Start
	}
	return times
}

// rangeBegin begins a range. Each generation of the trace has the active ranges again.
func (a *analysis) rangeBegin(ev *xtrace.Event, active bool) {
	r := ev.Range()
	c := &a.collector
	if _, open := c.open[rangeKey{r.Name, r.Scope}]; open {
		return
	}
	o := openRange{start: a.now, earlier: active}
	if active {
		o.start = 0
	}
	switch r.Name {
	case marking:
		c.cycles++
		a.heap.collecting()
	case assisting:
		if g := a.existing[goroutineID(ev)]; g != nil && !active {
			o.stack, o.times = a.stack(ev.Stack()), g.spent(a.now)
		}
	}
	c.open[rangeKey{a.text(r.Name), r.Scope}] = o
}

func (a *analysis) rangeEnd(ev *xtrace.Event) {
	r := ev.Range()
	c := &a.collector
	key := rangeKey{a.text(r.Name), r.Scope}
	o, open := c.open[key]
	if r.Name == marking {
		a.heap.collected()
		if !open {
			c.cycles++
		}
	}
	if !open {
		return
	}
	delete(c.open, key)
	a.keepRange(key, o, goroutineID(ev))
	if o.earlier {
		return
	}
	length := a.now - o.start
	reason, stop := strings.CutPrefix(key.name, stopping)
	switch {
	case stop:
		c.addStop(report.Interval{At: o.start, Length: length, What: strings.TrimSuffix(reason, ")")})
	case key.name == marking:
		c.mark.Add(uint64(length))
		c.marks.Offer(report.Interval{At: o.start, Length: length, What: "mark"})
	case key.name == assisting:
		if g := a.existing[goroutineID(ev)]; g != nil {
			a.assisted(o, g.spent(a.now))
		}
	}
}

// keepRange keeps a range that ends now.
func (a *analysis) keepRange(key rangeKey, o openRange, by int64) {
	v := lanes.Interval{Kind: lanes.Range, Start: o.start, Goroutine: lanes.None, Thread: lanes.None,
		By: lanes.None, Name: a.name(key.name)}
	switch {
	case key.name == assisting, key.name == sweeping:
		v.Goroutine = by
	case key.scope.Kind == xtrace.ResourceGoroutine:
		v.By = int64(key.scope.Goroutine())
	}
	a.end(&v)
}

// finishRanges ends all ranges with the trace.
func (a *analysis) finishRanges() {
	for key, o := range a.collector.open {
		a.keepRange(key, o, lanes.None)
	}
}

// assisted counts an assist. A goroutine in an assist works, or waits for credit that others
// collect, or is ready and waits for a P.
func (a *analysis) assisted(o openRange, now [4]time.Duration) {
	f := a.Place(o.stack)
	p := a.collector.assists[f]
	if p == nil {
		p = &report.AssistPlace{Frame: f}
		a.collector.assists[f] = p
	}
	for _, sum := range []*report.AssistTimes{&p.AssistTimes, &a.collector.assist} {
		sum.N++
		sum.Worked += now[lanes.Running] - o.times[lanes.Running]
		sum.Waited += now[lanes.Waiting] - o.times[lanes.Waiting]
		sum.Ready += now[lanes.Runnable] - o.times[lanes.Runnable]
	}
}

// addStop counts a stop of the world.
func (c *collector) addStop(v report.Interval) {
	h := c.reasons[v.What]
	if h == nil {
		h = &report.Histogram{}
		c.reasons[v.What] = h
	}
	h.Add(uint64(v.Length))
	if !tracesOwn(v.What) {
		c.stops.Add(uint64(v.Length))
		c.longest.Offer(v)
	}
}

// tracesOwn reports whether the reason of a stop is the trace itself.
func tracesOwn(reason string) bool { return reason == "start trace" || reason == "stop trace" }

func (c *collector) stopReport() report.Stops {
	r := report.Stops{All: c.stops.Distribution(), Reasons: []report.StopReason{},
		Longest: c.longest.Kept}
	for reason, h := range c.reasons {
		r.Reasons = append(r.Reasons, report.StopReason{
			Reason: reason, Own: tracesOwn(reason), Times: h.Distribution(),
		})
	}
	slices.SortFunc(r.Reasons, func(a, b report.StopReason) int {
		return cmp.Or(cmp.Compare(b.Times.Sum, a.Times.Sum), cmp.Compare(a.Reason, b.Reason))
	})
	return r
}

// maxAssistPlaces limits the places in a report.
const maxAssistPlaces = 100

func (c *collector) report() report.GC {
	a := report.Assist{AssistTimes: c.assist, Places: []report.AssistPlace{}}
	for _, p := range c.assists {
		a.Places = append(a.Places, *p)
	}
	slices.SortFunc(a.Places, func(a, b report.AssistPlace) int {
		return cmp.Or(cmp.Compare(b.Sum(), a.Sum()), place{"", a.Frame}.compare(place{"", b.Frame}))
	})
	a.Places = a.Places[:min(len(a.Places), maxAssistPlaces)]
	return report.GC{Cycles: c.cycles, Mark: c.mark.Distribution(), Assist: a, Longest: c.marks.Kept}
}

// A heap follows the sizes that the trace has.
type heap struct {
	sizes, goals      report.Curve
	known             bool
	first, last, peak uint64
	from, to          time.Duration // of first and last

	// The current low begins with the end of a collection, just after an event with the new size.
	inLow bool
	low   uint64
	at    time.Duration
	lows  report.Regression
}

func (h *heap) allocated(now time.Duration, size uint64) {
	if !h.known {
		h.known, h.first, h.from = true, size, now
	}
	h.last, h.to = size, now
	h.peak = max(h.peak, size)
	h.sizes.Add(now, float64(size))
	if h.inLow && size < h.low {
		h.low, h.at = size, now
	}
}

func (h *heap) goal(now time.Duration, size uint64) {
	if size <= math.MaxInt64 { // else there is none
		h.goals.Add(now, float64(size))
	}
}

// collected is the end of a collection.
func (h *heap) collected() {
	if h.known {
		h.inLow, h.low, h.at = true, h.last, h.to
	}
}

// collecting is the start of a collection, or the end of the trace.
func (h *heap) collecting() {
	if h.inLow {
		h.lows.Add(h.at, float64(h.low))
		h.inLow = false
	}
}

func (h *heap) report(end time.Duration) report.Heap {
	h.collecting()
	r := report.Heap{
		Allocated: h.sizes.Series(end, 0), Goal: h.goals.Series(end, 0),
		First: h.first, Last: h.last, Peak: h.peak, Lows: h.lows.Trend(),
	}
	if h.to > h.from {
		r.Growth = (float64(h.last) - float64(h.first)) / (h.to - h.from).Minutes()
	}
	return r
}
