package trace

import (
	"math"
	"time"
)

// A heap follows the sizes that the runtime tells.
type heap struct {
	sizes, goals      series
	known             bool
	first, last, peak uint64
	from, to          time.Duration // of first and last

	// Of the current low, which begins with the end of a collection, when the runtime has just told the new size.
	inLow bool
	low   uint64
	at    time.Duration
	lows  trend
}

func (h *heap) allocated(now time.Duration, size uint64) {
	if !h.known {
		h.known, h.first, h.from = true, size, now
	}
	h.last, h.to = size, now
	h.peak = max(h.peak, size)
	h.sizes.add(now, float64(size))
	if h.inLow && size < h.low {
		h.low, h.at = size, now
	}
}

func (h *heap) goal(now time.Duration, size uint64) {
	if size > math.MaxInt64 {
		return // there is none
	}
	h.goals.add(now, float64(size))
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
		h.lows.add(h.at, float64(h.low))
		h.inLow = false
	}
}

func (h *heap) report(end time.Duration) Heap {
	h.collecting()
	r := Heap{
		Allocated: h.sizes.result(end, 0), Goal: h.goals.result(end, 0),
		First: h.first, Last: h.last, Peak: h.peak, Lows: h.lows.result(),
	}
	if h.to > h.from {
		r.Growth = (float64(h.last) - float64(h.first)) / (h.to - h.from).Minutes()
	}
	return r
}

// A trend is a regression whose points come one by one.
type trend struct {
	n             int
	first, last   float64
	x, y          float64 // means
	sxx, sxy, syy float64 // sums of squares about them
}

func (t *trend) add(at time.Duration, value float64) {
	x := at.Minutes()
	if t.n == 0 {
		t.first = value
	}
	t.last = value
	t.n++
	dx, dy := x-t.x, value-t.y
	t.x += dx / float64(t.n)
	t.y += dy / float64(t.n)
	t.sxx += dx * (x - t.x)
	t.sxy += dx * (value - t.y)
	t.syy += dy * (value - t.y)
}

func (t *trend) result() *Trend {
	if t.n < 3 || t.sxx == 0 {
		return nil
	}
	slope := t.sxy / t.sxx
	rest := max(0, t.syy-slope*t.sxy)
	return &Trend{
		N: t.n, First: uint64(t.first), Last: uint64(t.last),
		Growth: slope, Error: math.Sqrt(rest / float64(t.n-2) / t.sxx),
	}
}
