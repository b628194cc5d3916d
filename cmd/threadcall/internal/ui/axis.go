package ui

import "math"

// An Axis maps values to places in a drawing.
type Axis struct {
	Low, High   float64 // values at the ends
	Left, Right float64 // their places
}

// At returns the place of x. A value beyond an end is at that end.
func (a Axis) At(x float64) float64 {
	x = min(max(x, a.Low), a.High)
	return a.Left + (x-a.Low)/(a.High-a.Low)*(a.Right-a.Left)
}

// Beyond reports whether x lies outside the axis.
func (a Axis) Beyond(x float64) bool { return x < a.Low || x > a.High }

// Ticks returns about n round values.
func (a Axis) Ticks(n int) (ticks []float64) {
	step := math.Pow(10, math.Floor(math.Log10((a.High-a.Low)/float64(n))))
	for _, factor := range []float64{1, 2, 5, 10} {
		if (a.High-a.Low)/(step*factor) <= float64(n) {
			step *= factor
			break
		}
	}
	for k := math.Ceil(a.Low / step); k*step <= a.High; k++ {
		ticks = append(ticks, k*step+0) // not -0
	}
	return ticks
}
