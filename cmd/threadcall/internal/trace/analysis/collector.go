package analysis

import (
	"strings"
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// A collector sums up the ranges of the runtime: phases of the garbage collector, assists of
// goroutines that allocate, and stopped worlds.
type collector struct {
	report.GC
	open    map[rangeKey]openRange
	stops   report.Stops
	reasons map[string]*report.StopReason
}

type rangeKey struct {
	name  string
	scope xtrace.ResourceID
}

type openRange struct {
	start   time.Duration
	earlier bool          // it began before the trace
	ran     time.Duration // the goroutine, until then
}

// The names of the runtime's ranges.
const (
	marking   = "GC concurrent mark phase"
	assisting = "GC mark assist"
	sweeping  = "GC incremental sweep"
	stopping  = "stop-the-world ("
)

// ran returns for how long the goroutine has run up to now.
func (g *goroutine) ran(now time.Duration) time.Duration {
	if g.known && g.state.Kind == lanes.Running {
		return g.times[lanes.Running] + now - g.state.Start
	}
	return g.times[lanes.Running]
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
		c.Cycles++
	case assisting:
		if g := a.existing[goroutineID(ev)]; g != nil && !active {
			o.ran = g.ran(a.now)
		}
	}
	c.open[rangeKey{a.text(r.Name), r.Scope}] = o
}

func (a *analysis) rangeEnd(ev *xtrace.Event) {
	r := ev.Range()
	c := &a.collector
	key := rangeKey{a.text(r.Name), r.Scope}
	o, open := c.open[key]
	if r.Name == marking && !open {
		c.Cycles++
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
		c.Mark.Add(uint64(length))
	case key.name == assisting:
		if g := a.existing[goroutineID(ev)]; g != nil {
			c.Assist.N++
			c.Assist.Worked += g.ran(a.now) - o.ran
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

// addStop counts a stop of the world.
func (c *collector) addStop(v report.Interval) {
	own := v.What == "start trace" || v.What == "stop trace"
	of := entry(c.reasons, v.What, report.StopReason{Reason: v.What, Own: own})
	of.Times.Add(uint64(v.Length))
	if !of.Own {
		c.stops.All.Add(uint64(v.Length))
		c.stops.Longest = keepLongest(c.stops.Longest, v,
			func(v report.Interval) time.Duration { return v.Length })
	}
}

// finish completes the sums.
func (c *collector) finish() {
	c.Mark.Finish()
	c.stops.All.Finish()
	for _, of := range c.reasons {
		of.Times.Finish()
	}
	c.stops.Reasons = first(len(c.reasons), c.reasons,
		func(x *report.StopReason) float64 { return x.Times.Sum })
}
