package chart

import (
	"math"
)

// An axis is where values lie in a drawing.
type axis struct {
	low, high float64 // values at its ends
	left      float64 // where they are
	right     float64
}

// at returns the place of x. What is beyond the ends is at the end.
func (a axis) at(x float64) float64 {
	x = min(max(x, a.low), a.high)
	return a.left + (x-a.low)/(a.high-a.low)*(a.right-a.left)
}

// beyond says whether x lies outside.
func (a axis) beyond(x float64) bool { return x < a.low || x > a.high }

// ticks returns about n round values.
func (a axis) ticks(n int) []float64 {
	step := math.Pow(10, math.Floor(math.Log10((a.high-a.low)/float64(n))))
	for _, factor := range []float64{1, 2, 5, 10} {
		if (a.high-a.low)/(step*factor) <= float64(n) {
			step *= factor
			break
		}
	}
	var ticks []float64
	for k := math.Ceil(a.low / step); k*step <= a.high; k++ {
		ticks = append(ticks, k*step+0) // not -0
	}
	return ticks
}
