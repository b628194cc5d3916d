package read

import (
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// A collector follows the phases of the garbage collector.
type collector struct {
	cycles  uint64
	marking bool
	since   time.Duration // of the mark phase, negative if before the trace
	mark    report.Histogram
	longest report.Top[report.Interval]

	assist, sweep    ranges
	swept, reclaimed uint64
}

func (c *collector) init() { c.longest = report.Longest() }

func (c *collector) marks(now time.Duration, kind xtrace.EventKind) {
	switch {
	case kind == xtrace.EventRangeEnd:
		if !c.marking {
			c.cycles++
		} else if c.since >= 0 {
			c.mark.Add(uint64(now - c.since))
			c.longest.Offer(report.Interval{At: c.since, Length: now - c.since, What: "mark"})
		}
		c.marking = false
	case !c.marking: // each generation of the trace has the active ranges again
		c.marking = true
		c.cycles++
		c.since = now
		if kind == xtrace.EventRangeActive {
			c.since = -1
		}
	}
}

func (c *collector) sweeps(now time.Duration, on xtrace.ResourceID, kind xtrace.EventKind, ev *xtrace.Event) {
	c.sweep.follow(now, on, kind)
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

func (c *collector) report() report.GC {
	return report.GC{
		Cycles: c.cycles, Mark: c.mark.Distribution(), Assist: c.assist.Distribution(), Sweep: c.sweep.Distribution(),
		Swept: c.swept, Reclaimed: c.reclaimed, Longest: report.InOrder(c.longest),
	}
}

// ranges follow ranges of one kind on many resources.
type ranges struct {
	since map[xtrace.ResourceID]time.Duration
	report.Histogram
}

// follow returns the length of a range that ends, if the trace has its begin.
func (r *ranges) follow(now time.Duration, on xtrace.ResourceID, kind xtrace.EventKind) (length time.Duration, ok bool) {
	switch kind {
	case xtrace.EventRangeBegin:
		if r.since == nil {
			r.since = map[xtrace.ResourceID]time.Duration{}
		}
		r.since[on] = now
	case xtrace.EventRangeEnd:
		from, known := r.since[on]
		delete(r.since, on)
		if known {
			r.Add(uint64(now - from))
		}
		return now - from, known
	}
	return 0, false
}
