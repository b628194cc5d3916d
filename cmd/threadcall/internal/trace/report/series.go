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
	points []Point // by step
	set    []bool  // by step: there is a point
}

// Add records that the number is x from the time t on. Times do not decrease.
func (c *Curve) Add(t time.Duration, x float64) {
	if c.step == 0 {
		c.step, c.First, c.Peak = 1, x, x
		c.points, c.set = make([]Point, maxPoints), make([]bool, maxPoints)
	}
	c.Peak, c.Last = max(c.Peak, x), x
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
