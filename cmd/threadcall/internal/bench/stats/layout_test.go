package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// laidOut returns rounds in which the layouts take turns. Each makes the new version slower by a factor of its own.
func laidOut(r *rand.Rand, rounds, layouts int, change, effect, noise float64) *stats.Data {
	d := stats.New("old", "new")
	factors := make([]float64, layouts)
	for i := range factors {
		factors[i] = change * normal(r, effect)
	}
	for round := range rounds {
		layout := round % layouts
		d.AddLayout(0, round, layout+1, result("A", normal(r, noise/math.Sqrt2), "sec/op"))
		d.AddLayout(1, round, layout+1, result("A", factors[layout]*normal(r, noise/math.Sqrt2), "sec/op"))
	}
	return d
}

// Rounds of the same layout are no evidence of a change beyond that of the layout.
func TestWhatLayoutsDoIsNoChange(t *testing.T) {
	trials, alarms := 1000, 0
	r := rand.New(rand.NewPCG(16, 2))
	for range trials {
		if only(t, laidOut(r, 40, 8, 1, 0.05, 0.01)).Visible() {
			alarms++
		}
	}
	if limit := 0.05*float64(trials) + 3*math.Sqrt(0.05*0.95*float64(trials)); float64(alarms) > limit {
		t.Errorf("%d false alarms of %d", alarms, trials)
	}
}

func TestAChangeIsSeparatedFromLayouts(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 3))
	for _, c := range []struct{ change, effect, noise float64 }{{1.3, 0.05, 0.01}, {1, 0.1, 0.02}, {1.1, 0, 0.05}} {
		d := only(t, laidOut(r, 400, 200, c.change, c.effect, c.noise))
		if l := d.Layout; l == nil || l.N != 200 || d.N != 200 || math.Abs(l.Effect-c.effect) > 0.015 || math.Abs(l.Noise-c.noise) > 0.01 ||
			math.Abs(d.Estimate-c.change) > 0.03 {
			t.Errorf("%+v: %+v, %+v", c, d, d.Layout)
		}
	}
}

func TestLayoutsByHand(t *testing.T) {
	d := stats.New("old", "new")
	for round, x := range []float64{2, 8, 2, 8, 3, 3} { // of layouts 1, 2, 1, 2, 3, 3
		layout := []int{1, 2, 1, 2, 3, 3}[round]
		d.AddLayout(0, round, layout, result("A", 1.0, "sec/op"))
		d.AddLayout(1, round, layout, result("A", x, "sec/op"))
	}
	got := only(t, d)
	// The means are 2, 8 and 3, and their logarithms have the standard deviation 0.713.
	if math.Abs(got.Estimate-3.5) > 1e-9 || got.N != 3 || got.Verdict != stats.TooFew || got.Layout.Noise != 0 || math.Abs(got.Layout.Effect-0.7128) > 1e-3 {
		t.Errorf("%+v, %+v", got, got.Layout)
	}
}
