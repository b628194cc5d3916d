package analysis

import (
	"strings"
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/report/trace"
)

// A collector sums up the ranges of the runtime: phases of the garbage collector, assists of
// goroutines that allocate, and stopped worlds.
type collector struct {
	trace.GC
	open  map[rangeKey]openRange
	stops trace.Stops
	sites map[int32]trace.Sum // of assists, by stack
	ended bool                // a mark phase, after which the next goal is set
}

type rangeKey struct {
	name  string
	scope xtrace.ResourceID
}

type openRange struct {
	start   time.Duration
	earlier bool          // it began before the trace
	ran     time.Duration // for which its goroutine had run before
	stack   int32
}

// The names of the runtime's ranges.
const (
	marking   = "GC concurrent mark phase"
	assisting = "GC mark assist"
	stopping  = "stop-the-world ("
)

// rangeBegin begins a range. Each generation of the trace has the active ranges again.
func (a *analysis) rangeBegin(ev *xtrace.Event, active bool) {
	r := ev.Range()
	c := &a.collector
	if _, open := c.open[rangeKey{r.Name, r.Scope}]; open {
		return
	}
	o := openRange{start: a.now, earlier: active, stack: a.stack(ev.Stack())}
	if g := a.existing[goroutineID(ev)]; g != nil {
		o.ran = g.ran(a.now)
	}
	if active {
		o.start = 0
	}
	if r.Name == marking {
		c.Cycles++
	}
	c.open[rangeKey{a.text(r.Name), r.Scope}] = o
}

func (a *analysis) rangeEnd(ev *xtrace.Event) {
	r := ev.Range()
	c := &a.collector
	key := rangeKey{a.text(r.Name), r.Scope}
	o, open := c.open[key]
	if r.Name == marking {
		if c.ended = true; !open {
			c.Cycles++
		}
	}
	if !open {
		return
	}
	delete(c.open, key)
	if o.earlier {
		return
	}
	length := a.now - o.start
	reason, stop := strings.CutPrefix(key.name, stopping)
	switch {
	case stop:
		if why := strings.TrimSuffix(reason, ")"); why != "start trace" && why != "stop trace" {
			c.stops.All.Add(uint64(length))
			if length > c.stops.Longest.Length {
				c.stops.Longest = trace.Moment{At: o.start, Length: length, Goroutine: none}
				c.stops.Why = why
			}
		}
	case key.name == marking:
		c.Mark.Add(uint64(length))
	case key.name == assisting:
		if g := a.existing[goroutineID(ev)]; g != nil && !ofRuntime(g.function) &&
			!tracer(a.place(o.stack).Func) {
			length = g.ran(a.now) - o.ran
			c.Assist.Add(length)
			addTo(c.sites, o.stack, length)
			g.assist += length
		}
	}
}

// goal counts a goal of the heap that leaves little room, at the end of a collection after which so
// much was live.
func (c *collector) goal(live, goal uint64) {
	if room := float64(goal)/float64(live) - 1; c.ended && goal > 4<<20 && 0 <= room && room < 0.5 {
		c.Tight.Live.Add(live)
		c.Tight.Goal.Add(goal)
		c.Tight.Room.Add(uint64(1e6 * room))
	}
	c.ended = false
}
