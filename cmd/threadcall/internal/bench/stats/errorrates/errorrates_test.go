package main

import (
	"math"
	"testing"
)

// These are the claims of docs/bench-statistics.md, with fewer trials: four standard deviations are allowed.
func TestWhatTheDocumentSays(t *testing.T) {
	*trials = 1000
	slack := 4 * math.Sqrt(0.05*0.95/float64(*trials))
	alarms := func(machine, test string, n int) float64 {
		for m := range machines {
			for _, x := range tests {
				if machines[m].name == machine && x.name == test {
					return rates(m, n, x.p, x.afterwards)[0]
				}
			}
		}
		t.Fatalf("no %s or %s", machine, test)
		return 0
	}
	for _, m := range machines {
		if rate := alarms(m.name, "pairs", 12); rate > 0.05+slack {
			t.Errorf("%s: pairs raise %.3f false alarms", m.name, rate)
		}
	}
	if rate := alarms("drift", "benchstat, one after the other", 10); rate < 0.3 {
		t.Errorf("drift disturbs benchstat less than stated: %.3f", rate)
	}
	if rate := alarms("the second is slower", "benchstat, in turns", 20); rate < 0.05+slack {
		t.Errorf("ranks in turns hold their rate where they are said not to: %.3f", rate)
	}
}

func TestTheSignedRankTestIsExact(t *testing.T) {
	one := func(ratios ...float64) ([]float64, []float64) {
		old := make([]float64, len(ratios))
		for i := range old {
			old[i] = 1
		}
		return old, ratios
	}
	for _, c := range []struct {
		ratios []float64
		p      float64
	}{
		{[]float64{1.1, 1.2, 1.3, 1.4, 1.5, 1.6}, 2. / 64},
		{[]float64{1 / 1.1, 1.2, 1.3, 1.4, 1.5, 1.6}, 4. / 64}, // sums 0 and 1
		{[]float64{1.1, 1 / 1.2}, 1},
	} {
		if p := signedRank(one(c.ratios...)); math.Abs(p-c.p) > 1e-12 {
			t.Errorf("%v: %v, want %v", c.ratios, p, c.p)
		}
	}
}
