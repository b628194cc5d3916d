package report

import (
	"math"
	"time"
)

// A Regression fits a line to points, which it does not keep.
type Regression struct {
	n             int
	first, last   float64
	x, y          float64 // means
	sxx, sxy, syy float64 // sums of products of the differences from the means
}

// Add adds a point.
func (r *Regression) Add(at time.Duration, value float64) {
	x := at.Minutes()
	if r.n == 0 {
		r.first = value
	}
	r.last = value
	r.n++
	dx, dy := x-r.x, value-r.y
	r.x += dx / float64(r.n)
	r.y += dy / float64(r.n)
	r.sxx += dx * (x - r.x)
	r.sxy += dx * (value - r.y)
	r.syy += dy * (value - r.y)
}

// Trend returns the line, or nil if there are fewer than three points.
func (r *Regression) Trend() *Trend {
	if r.n < 3 || r.sxx == 0 {
		return nil
	}
	slope := r.sxy / r.sxx
	rest := max(0, r.syy-slope*r.sxy)
	return &Trend{
		N: r.n, First: uint64(r.first), Last: uint64(r.last),
		Growth: slope, Error: math.Sqrt(rest / float64(r.n-2) / r.sxx),
	}
}
