package read

import (
	"math"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// A heap follows the sizes that the trace has.
type heap struct {
	sizes, goals      report.Curve
	known             bool
	first, last, peak uint64
	from, to          time.Duration // of first and last

	// Of the current low, which begins with the end of a collection, just after an event with the new size.
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
	if size > math.MaxInt64 {
		return // there is none
	}
	h.goals.Add(now, float64(size))
}

// collected is the end of a collection.
func (h *heap) collected() {
	if h.known {
		h.inLow, h.low, h.at = true, h.last, h.to
	}
}

// collecting is the begin of a collection, or the end of the trace.
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
