package stats

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// A Layout separates a change, or the values of a version, from where the linker has put the code. Each layout is a program with the functions in
// another order, which is measured in some of the rounds. The Delta is about the means of the layouts: rounds of the same
// layout repeat what that does to the program, so that they count as one.
type Layout struct {
	N      int     `json:"n"`      // layouts
	Effect float64 `json:"effect"` // standard deviation over layouts, relative; noise is in it only if Noise is 0
	Noise  float64 `json:"noise"`  // standard deviation within a layout; 0: each was measured once, so that it is not known
}

// perLayout returns the cell with one sample a layout, the geometric mean of its own, in a round of the layout's number.
// Without layouts it is the same cell.
func (c Cell) perLayout() Cell {
	var keys []place
	values := map[place][]float64{}
	for _, s := range c.Samples {
		if s.Layout == 0 || s.Round < 0 {
			return c
		}
		k := place{run: s.Run, layout: s.Layout}
		if values[k] == nil {
			keys = append(keys, k)
		}
		values[k] = append(values[k], s.Value)
	}
	one := c
	one.Samples = nil
	for _, k := range keys {
		one.Samples = append(one.Samples, Sample{Run: k.run, Round: k.layout, Layout: k.layout, Value: mean(values[k])})
	}
	one.N = len(one.Samples)
	return one
}

// mean returns the geometric mean if there is one.
func mean(values []float64) float64 {
	switch {
	case slices.Min(values) == slices.Max(values):
		return values[0]
	case slices.Min(values) <= 0:
		return stats.Mean(values)
	}
	return stats.GeoMean(values)
}

// layoutOf returns what the layouts do to the change, or nil if there are fewer than two: to the ratios within rounds.
func layoutOf(old, new Cell, absolute bool) *Layout {
	values := map[place]float64{}
	for _, s := range old.Samples {
		values[s.at()] = s.Value
	}
	ratios := Cell{}
	for _, s := range new.Samples {
		if o, ok := values[s.at()]; ok && !absolute && o > 0 && s.Value > 0 {
			s.Value /= o
			ratios.Samples = append(ratios.Samples, s)
		}
	}
	return ratios.layout()
}

// layout returns what the layouts do to the samples, or nil if there are fewer than two layouts. It is an analysis of variance
// of the logarithms, with layouts as a random effect.
func (c Cell) layout() *Layout {
	groups := map[place][]float64{}
	var all []float64
	for _, s := range c.Samples {
		if s.Layout == 0 || s.Value <= 0 {
			continue
		}
		x := math.Log(s.Value)
		k := place{run: s.Run, layout: s.Layout}
		groups[k], all = append(groups[k], x), append(all, x)
	}
	if len(groups) < 2 {
		return nil
	}
	l := &Layout{N: len(groups)}
	center := stats.Mean(all)
	within, between, squares := 0., 0., 0.
	for _, g := range groups {
		n := float64(len(g))
		within += sumOfSquares(g, stats.Mean(g))
		between += n * math.Pow(stats.Mean(g)-center, 2)
		squares += n * n
	}
	k, n := float64(len(groups)), float64(len(all))
	if n == k { // noise and layout cannot be separated
		l.Effect = math.Sqrt(between / (k - 1))
		return l
	}
	noise := within / (n - k)
	l.Noise = math.Sqrt(noise)
	l.Effect = math.Sqrt(max(0, (between/(k-1)-noise)/((n-squares/n)/(k-1))))
	return l
}

func sumOfSquares(xs []float64, around float64) (sum float64) {
	for _, x := range xs {
		sum += (x - around) * (x - around)
	}
	return sum
}
