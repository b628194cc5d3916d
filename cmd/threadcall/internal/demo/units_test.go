package demo

import "testing"

func TestLimitsHaveTheUnitOfTheMedian(t *testing.T) {
	if got := limits(Spread{Median: 1500, Min: 140, Max: 37_000}); got != "0.14..37.0" {
		t.Error(got)
	}
}

func TestCountsForgiveTheRuntime(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 0.01: "0", 0.1: "0.10", 0.5: "0.50", 1.99: "2", 2.002: "2", 136.4: "136",
	} {
		if got := count(x); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   Spread
	}{
		{[]float64{3}, Spread{3, 3, 3}},
		{[]float64{9, 1}, Spread{5, 1, 9}},
		{[]float64{9, 1, 2}, Spread{2, 1, 9}},
		{[]float64{9, 1, 2, 4}, Spread{3, 1, 9}},
	} {
		if got := spread(c.values); got != c.want {
			t.Errorf("%v: %v, want %v", c.values, got, c.want)
		}
	}
}
