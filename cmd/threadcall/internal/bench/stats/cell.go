package stats

import (
	"slices"

	"golang.org/x/perf/benchmath"
)

// summarise fills what follows from the samples.
func (c *Cell) summarise(exact bool) {
	values := c.values()
	c.N = len(values)
	if c.N == 0 {
		return
	}
	c.Exact = slices.Min(values) == slices.Max(values)
	c.Layout = c.layout()
	assume := benchmath.Assumption(benchmath.AssumeNothing)
	if exact && c.Exact {
		assume = benchmath.AssumeExact
	}
	s := assume.Summary(benchmath.NewSample(values, &benchmath.DefaultThresholds), Confidence)
	c.Center = s.Center
	if len(s.Warnings) == 0 { // it has the only one that there can be if an end is infinite
		c.Interval = &Interval{s.Lo, s.Hi}
	}
}

// values returns a copy of the values of the samples, in their order.
func (c *Cell) values() []float64 {
	values := make([]float64, len(c.Samples))
	for i, s := range c.Samples {
		values[i] = s.Value
	}
	return values
}

// partners returns the values that two cells have measured in the same round of the same run, and whether all of the
// smaller one are among them.
func partners(old, new Cell) (a, b []float64, all bool) {
	type place struct {
		run       string
		round, nr int
	}
	values := map[place]float64{}
	seen := map[place]int{}
	next := func(s Sample) place {
		p := place{s.Run, s.Round, 0}
		seen[p]++
		p.nr = seen[p]
		return p
	}
	for _, s := range old.Samples {
		values[next(s)] = s.Value
	}
	clear(seen)
	for _, s := range new.Samples {
		if v, ok := values[next(s)]; ok && s.Round >= 0 {
			a, b = append(a, v), append(b, s.Value)
		}
	}
	return a, b, len(a) > 0 && len(a) == min(len(old.Samples), len(new.Samples))
}
