package bisect

import (
	"math"
	"slices"
)

// Interval returns the values of a median that two coins, of which each has half of alpha, do not reject. It holds the
// true median with probability 1-alpha at the time at which a sequential test has stopped, which an interval for a fixed number
// of observations does not. It is infinite where there are too few observations.
func Interval(values []float64, alpha float64) (low, high float64) {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	low, high = math.Inf(-1), math.Inf(1)
	for k := 0; k < n && (Coin{Up: n - k, Down: k}).Rejects(alpha/2); k++ { // k values lie below the median, n-k above
		low, high = sorted[k], sorted[n-1-k]
	}
	return low, high
}
