package trace

import (
	"time"

	xtrace "golang.org/x/exp/trace"
)

// maxIntervals is how many marks and stops are kept with their times.
const maxIntervals = 1000

// A collector follows the phases of the garbage collector.
type collector struct {
	cycles  uint64
	marking bool
	since   time.Duration // of the mark phase, negative if before the trace
	mark    histogram
	longest top[Interval]

	assisting map[xtrace.ResourceID]time.Duration // since when
	assist    histogram
	sweeping  map[xtrace.ResourceID]time.Duration // since when
	sweep     histogram

	swept, reclaimed uint64
}

func (c *collector) init() {
	c.longest = longest(maxIntervals)
	c.assisting = map[xtrace.ResourceID]time.Duration{}
	c.sweeping = map[xtrace.ResourceID]time.Duration{}
}

func (c *collector) marks(now time.Duration, kind xtrace.EventKind) {
	switch {
	case kind == xtrace.EventRangeEnd:
		if !c.marking {
			c.cycles++
		} else if c.since >= 0 {
			c.mark.add(uint64(now - c.since))
			c.longest.offer(Interval{c.since, now - c.since, "mark"})
		}
		c.marking = false
	case !c.marking: // each generation of the trace says again what is active
		c.marking = true
		c.cycles++
		c.since = now
		if kind == xtrace.EventRangeActive {
			c.since = -1
		}
	}
}

func (c *collector) assists(now time.Duration, on xtrace.ResourceID, kind xtrace.EventKind) {
	if length, ok := lasted(c.assisting, now, on, kind); ok {
		c.assist.add(length)
	}
}

func (c *collector) sweeps(now time.Duration, on xtrace.ResourceID, kind xtrace.EventKind, ev *xtrace.Event) {
	if length, ok := lasted(c.sweeping, now, on, kind); ok {
		c.sweep.add(length)
	}
	if kind == xtrace.EventRangeEnd {
		for _, a := range ev.RangeAttributes() {
			switch a.Name {
			case "bytes swept":
				c.swept += a.Value.Uint64()
			case "bytes reclaimed":
				c.reclaimed += a.Value.Uint64()
			}
		}
	}
}

// lasted returns the length of a range that ends and whose begin was seen.
func lasted(since map[xtrace.ResourceID]time.Duration, now time.Duration, on xtrace.ResourceID,
	kind xtrace.EventKind) (length uint64, ok bool) {
	switch kind {
	case xtrace.EventRangeBegin:
		since[on] = now
	case xtrace.EventRangeEnd:
		from, known := since[on]
		delete(since, on)
		return uint64(now - from), known
	}
	return 0, false
}

func (c *collector) report() GC {
	return GC{
		Cycles: c.cycles, Mark: c.mark.distribution(), Assist: c.assist.distribution(), Sweep: c.sweep.distribution(),
		Swept: c.swept, Reclaimed: c.reclaimed, Longest: inOrder(c.longest),
	}
}
