package trace

import "time"

// maxPoints is how many points a series has at most, and maxSteps how many a timeline.
const (
	maxPoints = 512
	maxSteps  = 256
)

// A series takes a number over time in bounded memory. When it becomes too long it puts neighbours together.
type series struct {
	step   time.Duration
	points []Point // by step
	set    []bool  // which of them there are
}

// add says that the number is x from the time t on. Times do not decrease.
func (s *series) add(t time.Duration, x float64) {
	if s.step == 0 {
		s.step = 1
		s.points, s.set = make([]Point, maxPoints), make([]bool, maxPoints)
	}
	for t/s.step >= maxPoints {
		s.thin()
	}
	i := int(t / s.step)
	p := &s.points[i]
	if !s.set[i] {
		s.set[i] = true
		*p = Point{At: time.Duration(i) * s.step, Min: x, Max: x, Last: x}
		return
	}
	p.Min, p.Max, p.Last = min(p.Min, x), max(p.Max, x), x
}

// thin doubles the step.
func (s *series) thin() {
	s.step *= 2
	for i := range s.points {
		var p Point
		set := false
		for _, from := range []int{2 * i, 2*i + 1} {
			switch {
			case from >= maxPoints || !s.set[from]:
			case !set:
				p, set = s.points[from], true
				p.At = time.Duration(i) * s.step
			default:
				q := s.points[from]
				p.Min, p.Max, p.Last = min(p.Min, q.Min), max(p.Max, q.Max), q.Last
			}
		}
		s.points[i], s.set[i] = p, set
	}
}

// result returns the series, with base added to each value, as one that lasts until end.
func (s *series) result(end time.Duration, base float64) Series {
	r := Series{Step: s.step, Points: []Point{}}
	if s.step == 0 {
		return r
	}
	for end/s.step >= maxPoints {
		s.thin()
	}
	r.Step = s.step
	for i, p := range s.points {
		if s.set[i] {
			r.Points = append(r.Points, Point{p.At, p.Min + base, p.Max + base, p.Last + base})
		}
	}
	return r
}

// Shares take how much of the time something was so, in bounded memory.
type shares struct {
	step time.Duration
	sums []time.Duration // by step
}

// add says that it was so from the one time to the other.
func (s *shares) add(from, to time.Duration) {
	if to <= from {
		return
	}
	if s.step == 0 {
		s.step = 1
		s.sums = make([]time.Duration, maxSteps)
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
func (s *shares) fit(t time.Duration) {
	for t > s.step*maxSteps {
		s.step *= 2
		for i := range s.sums {
			var sum time.Duration
			if 2*i < maxSteps {
				sum = s.sums[2*i] + s.sums[2*i+1]
			}
			s.sums[i] = sum
		}
	}
}

// result returns the shares of the steps up to end. Two of them with the same end have the same steps.
func (s *shares) result(end time.Duration) (step time.Duration, of []float64) {
	if s.step == 0 {
		s.step, s.sums = 1, make([]time.Duration, maxSteps)
	}
	s.fit(end)
	for i := time.Duration(0); i*s.step < end; i++ {
		width := min(s.step, end-i*s.step) // the last step may be cut short
		of = append(of, float64(s.sums[i])/float64(width))
	}
	return s.step, of
}
