package analysis

import (
	"strings"
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/report/trace"
)

// Ranges of the runtime are phases of the garbage collector, assists of goroutines that allocate,
// and stopped worlds.
type rangeKey struct {
	name  string
	scope xtrace.ResourceID
}

type openRange struct {
	start time.Duration
	ran   time.Duration // for which its goroutine had run before
	stack *stack
}

// The names of the runtime's ranges.
const (
	marking   = "GC concurrent mark phase"
	assisting = "GC mark assist"
	stopping  = "stop-the-world ("
)

// rangeBegin begins a range. Those that are active when the trace begins are not counted.
func (a *analysis) rangeBegin(ev *xtrace.Event) {
	r := ev.Range()
	o := openRange{start: a.now, stack: a.stack(ev.Stack())}
	if g := a.existing[goroutineID(ev)]; g != nil {
		o.ran = g.ran(a.now)
	}
	if r.Name == marking {
		a.GC.Cycles++
	}
	a.open[rangeKey{a.text(r.Name), r.Scope}] = o
}

func (a *analysis) rangeEnd(ev *xtrace.Event) {
	r := ev.Range()
	key := rangeKey{a.text(r.Name), r.Scope}
	o, open := a.open[key]
	if r.Name == marking {
		if a.marked = true; !open {
			a.GC.Cycles++
		}
	}
	delete(a.open, key)
	if !open {
		return
	}
	length := a.now - o.start
	reason, stop := strings.CutPrefix(key.name, stopping)
	switch {
	case stop:
		if why := strings.TrimSuffix(reason, ")"); why != "start trace" && why != "stop trace" {
			a.Stops.All.Add(uint64(length))
			if length > a.Stops.Longest.Length {
				a.Stops.Longest = trace.Moment{At: o.start, Length: length, Goroutine: none}
				a.Stops.Why = why
			}
		}
	case key.name == marking:
		a.GC.Mark.Add(uint64(length))
	case key.name == assisting:
		if g := a.existing[goroutineID(ev)]; g != nil && !ofRuntime(g.function) &&
			!tracer(a.place(o.stack).Func) {
			length = g.ran(a.now) - o.ran
			a.GC.Assist.Add(length)
			a.addTo(a.sites, o.stack, length)
			g.assist += length
		}
	}
}

// goal counts a goal of the heap that leaves little room, at the end of a collection after which so
// much was live.
func (a *analysis) goal(live, goal uint64) {
	if room := float64(goal)/float64(live) - 1; a.marked && goal > 4<<20 && 0 <= room && room < 0.5 {
		a.GC.Tight.Live.Add(live)
		a.GC.Tight.Goal.Add(goal)
		a.GC.Tight.Room.Add(uint64(1e6 * room))
	}
	a.marked = false
}
