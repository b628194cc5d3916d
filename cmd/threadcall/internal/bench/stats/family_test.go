package stats_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// many returns results of benchmarks, each with as many rounds, in which the new version takes longer in all but down.
func many(rounds int, down ...int) *stats.Data {
	d := stats.New("old", "new")
	for i, n := range down {
		name := fmt.Sprintf("B%02d", i)
		for round := range rounds {
			factor := 1.1
			if round < n {
				factor = 0.9
			}
			if round >= rounds-3 { // so that the sign test decides
				factor = 10
			}
			base := 1 + 0.01*float64(round)
			d.Add(0, round, result(name, base, "sec/op"))
			d.Add(1, round, result(name, base*factor, "sec/op"))
		}
	}
	return d
}

func TestManyVerdictsAreJudgedTogether(t *testing.T) {
	for name, c := range map[string]struct {
		d                         *stats.Data
		tests, visible, confirmed int
	}{
		// With ten rounds p is 0.002 if all agree and 0.021 if one does not.
		"one":                   {many(10, 1), 1, 1, 1},
		"two":                   {many(10, 0, 1), 2, 2, 2},       // 0.002 <= 0.05/2, 0.021 <= 0.05
		"the second of three":   {many(10, 0, 1, 1), 3, 3, 3},    // 0.021 <= 0.05/2 and 0.05
		"one among four":        {many(10, 1, 5, 5, 5), 4, 1, 0}, // 0.021 > 0.05/4
		"a sure one among four": {many(10, 0, 5, 5, 5), 4, 1, 1},
		"too few rounds":        {many(5, 0, 0), 0, 0, 0},
	} {
		f := c.d.Compare().Family
		if f.Tests != c.tests || f.Visible != c.visible || f.Confirmed != c.confirmed || math.Abs(f.Expected-0.05*float64(c.tests)) > 1e-9 {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestTheGeometricMeanIsOfRounds(t *testing.T) {
	d := stats.New("old", "new")
	for round := range 6 {
		drift := math.Pow(2, float64(round))
		for name, ratio := range map[string]float64{"A": 2, "B": 8} {
			d.Add(0, round, result(name, drift, "sec/op"))
			d.Add(1, round, result(name, drift*ratio*(1+0.001*float64(round)), "sec/op"))
		}
	}
	d.Add(0, 6, result("A", 1.0, "sec/op")) // without B, and without a partner
	d.Add(1, 6, result("A", 1.0, "sec/op"))
	mean := d.Compare().Tables[0].Geomean[1]
	if mean.N != 6 || mean.Over != 2 || mean.Verdict != stats.Worse || math.Abs(mean.Estimate-4.01) > 1e-3 ||
		math.Abs(mean.Interval.Low-4) > 1e-9 || math.Abs(mean.Interval.High-4.02) > 1e-9 {
		t.Errorf("%+v %+v", mean, mean.Interval)
	}
}

func TestAGeometricMeanLeavesOutWhatHasNoRatio(t *testing.T) {
	d := stats.New("old", "new")
	for round := range 6 {
		for _, b := range []struct {
			name     string
			old, new float64
		}{{"A", 2, 4}, {"B", 0, 0}, {"C", 0, 3}} {
			d.Add(0, round, result(b.name, b.old, "allocs/op"))
			d.Add(1, round, result(b.name, b.new, "allocs/op"))
		}
	}
	mean := d.Compare().Tables[0].Geomean[1]
	if mean.Over != 2 || math.Abs(mean.Estimate-math.Sqrt2) > 1e-9 || mean.Method != stats.Exactly {
		t.Errorf("%+v", mean)
	}
}

func TestRowsOfARunAreInTheOrderOfTheirNames(t *testing.T) {
	names := func(d *stats.Data) []string {
		var names []string
		for _, row := range d.Compare().Tables[0].Rows {
			names = append(names, row.Name)
		}
		return names
	}
	shuffled := []string{"B/n=64", "B/n=8", "A", "B/n=008/x", "B"}
	run, file := stats.New("now"), stats.New("now")
	for _, name := range shuffled {
		run.Add(0, 0, result(name, 1.0, "sec/op"))
		file.Add(0, -1, result(name, 1.0, "sec/op"))
	}
	if got, want := names(run), []string{"A", "B", "B/n=8", "B/n=008/x", "B/n=64"}; !slices.Equal(got, want) {
		t.Errorf("of a run: %q, want %q", got, want)
	}
	if got := names(file); !slices.Equal(got, shuffled) {
		t.Errorf("of a file: %q, want %q", got, shuffled)
	}
}

func TestTheMDEIsThatOfTheMedianAndOfTheNoisiestBenchmark(t *testing.T) {
	d := stats.New("old", "new")
	for round := range 12 {
		d.Add(0, round, result("Calm", 1+0.01*float64(round%3), "sec/op"))
		d.Add(1, round, result("Calm", 1+0.02*float64(round%5), "sec/op"))
		d.Add(0, round, result("Noisy", 1+0.1*float64(round%4), "sec/op"))
		d.Add(1, round, result("Noisy", 1+50*float64(round%3), "sec/op"))
	}
	c := d.Compare()
	median, largest, ok := c.MDE()
	if noisy := c.Tables[0].Rows[1].Deltas[1]; !ok || largest != noisy.MDE || median >= largest || largest < 0.01 {
		t.Errorf("%v, %v, %v; that of the noisy one is %v", median, largest, ok, noisy.MDE)
	}
	if _, _, ok := many(5, 0).Compare().MDE(); ok {
		t.Error("five rounds")
	}
}
