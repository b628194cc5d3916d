package report

import "time"

// A Series is a number over time. Points are merged beyond some hundreds, with their peaks and
// lows.
type Series struct {
	Step   time.Duration `json:"step_ns"` // the time of a point
	Points []Point       `json:"points"`  // in order; a step without a change has none
}

// A Point has a number from At on, for one step. The number then stays at Last until the next
// point.
type Point struct {
	At   time.Duration `json:"t_ns"`
	Min  float64       `json:"min"`
	Max  float64       `json:"max"`
	Last float64       `json:"last"`
}

// maxPoints limits the points of a series.
const maxPoints = 512

// A Curve records a number over time in bounded memory. Adjacent points are merged when there are
// too many.
type Curve struct {
	First, Peak, Last float64

	step   time.Duration
	points []Point
}

// Add records that the number is x from the time t on. Times do not decrease.
func (c *Curve) Add(t time.Duration, x float64) {
	if c.step == 0 {
		c.step, c.First, c.Peak = 1, x, x
	}
	c.Peak, c.Last = max(c.Peak, x), x
	c.fit(t)
	c.merge(Point{At: t, Min: x, Max: x, Last: x})
}

// merge adds p, which may belong to the last step.
func (c *Curve) merge(p Point) {
	p.At -= p.At % c.step
	if n := len(c.points) - 1; n >= 0 && c.points[n].At == p.At {
		p.Min, p.Max = min(c.points[n].Min, p.Min), max(c.points[n].Max, p.Max)
		c.points = c.points[:n]
	}
	c.points = append(c.points, p)
}

// fit doubles the step until the time t fits in.
func (c *Curve) fit(t time.Duration) {
	for t/c.step >= maxPoints {
		c.step *= 2
		points := c.points
		c.points = c.points[:0]
		for _, p := range points {
			c.merge(p)
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
	for _, p := range c.points {
		s.Points = append(s.Points, Point{p.At, p.Min + base, p.Max + base, p.Last + base})
	}
	return s
}
