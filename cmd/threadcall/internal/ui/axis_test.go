package ui

import (
	"math"
	"slices"
	"testing"
)

func TestTicksAreRound(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		n         int
		want      []float64
	}{
		{-0.3, 5.2, 6, []float64{0, 1, 2, 3, 4, 5}},
		{20, 28, 4, []float64{20, 22, 24, 26, 28}},
		{7, 61, 3, []float64{20, 40, 60}},
	} {
		got := Axis{Low: c.low, High: c.high}.Ticks(c.n)
		if !slices.Equal(got, c.want) || slices.ContainsFunc(got, func(x float64) bool { return x == 0 && math.Signbit(x) }) {
			t.Errorf("%v to %v: %v, want %v", c.low, c.high, got, c.want)
		}
	}
}
