package report

import (
	"math"
	"time"
)

// maxPoints limits the points of a series, maxSteps the steps of a timeline.
const (
	maxPoints = 512
	maxSteps  = 256
)

// A Curve records a number over time in bounded memory. Adjacent points are merged when there are too many.
type Curve struct {
	step   time.Duration
	points []Point // by step
	set    []bool  // by step: there is a point
}

// Add records that the number is x from the time t on. Times do not decrease.
func (c *Curve) Add(t time.Duration, x float64) {
	if c.step == 0 {
		c.step = 1
		c.points, c.set = make([]Point, maxPoints), make([]bool, maxPoints)
	}
	c.fit(t)
	c.merge(Point{At: t, Min: x, Max: x, Last: x})
}

// merge adds p to the point of its step.
func (c *Curve) merge(p Point) {
	i := int(p.At / c.step)
	p.At = time.Duration(i) * c.step
	if old := c.points[i]; c.set[i] {
		p.Min, p.Max = min(old.Min, p.Min), max(old.Max, p.Max)
	}
	c.points[i], c.set[i] = p, true
}

// fit doubles the step until the time t fits in.
func (c *Curve) fit(t time.Duration) {
	for t/c.step >= maxPoints {
		c.step *= 2
		for i := range c.points {
			if c.set[i] {
				c.set[i] = false
				c.merge(c.points[i])
			}
		}
	}
}

// Series returns the number up to the time end, with base added to each value.
func (c *Curve) Series(end time.Duration, base float64) Series {
	s := Series{Points: []Point{}}
	if c.step > 0 {
		c.fit(end)
	}
	s.Step = c.step
	for i, p := range c.points {
		if c.set[i] {
			s.Points = append(s.Points, Point{p.At, p.Min + base, p.Max + base, p.Last + base})
		}
	}
	return s
}

// Shares record, in bounded memory, how much of the time a condition holds.
type Shares struct {
	step time.Duration
	sums []time.Duration // by step
}

// Add records that the condition holds from one time to another.
func (s *Shares) Add(from, to time.Duration) {
	if to <= from {
		return
	}
	s.fit(to)
	for from < to {
		i := from / s.step
		until := min(to, (i+1)*s.step)
		s.sums[i] += until - from
		from = until
	}
}

// fit doubles the step until the time t fits in.
func (s *Shares) fit(t time.Duration) {
	if s.step == 0 {
		s.step, s.sums = 1, make([]time.Duration, maxSteps)
	}
	for t > s.step*maxSteps {
		s.step *= 2
		for i := range maxSteps / 2 {
			s.sums[i] = s.sums[2*i] + s.sums[2*i+1]
		}
		clear(s.sums[maxSteps/2:])
	}
}

// Steps returns the shares of the steps up to the time end, from 0 to 1. Steps depend on end alone if nothing was
// recorded after it.
func (s *Shares) Steps(end time.Duration) (step time.Duration, of []float64) {
	s.fit(end)
	for i := time.Duration(0); i*s.step < end; i++ {
		width := min(s.step, end-i*s.step) // the last step may be cut short
		of = append(of, float64(s.sums[i])/float64(width))
	}
	return s.step, of
}

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
