package main

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"

	bench "github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// tests are ways to ask whether new differs from old. They return the p-value.
var tests = []struct {
	name       string
	afterwards bool // all of new is measured after all of old
	p          func(old, new []float64) float64
}{
	{"pairs", false, pairs},
	{"t-test", false, pairedT},
	{"signed rank", false, signedRank},
	{"benchstat, in turns", false, benchstat},
	{"benchstat, one after the other", true, benchstat},
}

// pairs is what threadcall bench does.
func pairs(old, new []float64) float64 { return compare(old, new).P }

func compare(old, new []float64) bench.Delta {
	d := bench.New("old", "new")
	for i := range old {
		for version, value := range []float64{old[i], new[i]} {
			d.Add(version, i, &benchfmt.Result{Name: benchfmt.Name("X"), Values: []benchfmt.Value{{Value: value, Unit: "sec/op"}}})
		}
	}
	return d.Compare(bench.Options{}).Tables[0].Rows[0].Deltas[1]
}

// pairedT is the t-test on the logarithms of the rounds' ratios.
func pairedT(old, new []float64) float64 {
	r, err := stats.OneSampleTTest(&stats.Sample{Xs: logRatios(old, new)}, 0, stats.LocationDiffers)
	if err != nil {
		return 1
	}
	return r.P
}

func benchstat(old, new []float64) float64 {
	sample := func(xs []float64) *benchmath.Sample {
		return benchmath.NewSample(slices.Clone(xs), &benchmath.DefaultThresholds)
	}
	return benchmath.AssumeNothing.Compare(sample(old), sample(new)).P
}

// signedRank is Wilcoxon's test, exact, on the logarithms of the ratios. No library that the project uses has it: it is
// here to know what that costs.
func signedRank(old, new []float64) float64 {
	logs := logRatios(old, new)
	slices.SortFunc(logs, func(a, b float64) int {
		switch {
		case math.Abs(a) < math.Abs(b):
			return -1
		case math.Abs(a) > math.Abs(b):
			return 1
		}
		return 0
	})
	up, all := 0, len(logs)*(len(logs)+1)/2
	for i, x := range logs {
		if x > 0 {
			up += i + 1
		}
	}
	ways := make([]float64, all+1) // to reach each sum with ranks up to i, times 2^-i
	ways[0] = 1
	for rank := 1; rank <= len(logs); rank++ {
		for sum := all; sum >= 0; sum-- {
			ways[sum] /= 2
			if sum >= rank {
				ways[sum] += ways[sum-rank] / 2
			}
		}
	}
	p := 0.0
	for sum := 0; sum <= min(up, all-up); sum++ {
		p += ways[sum]
	}
	return min(1, 2*p)
}

func logRatios(old, new []float64) []float64 {
	logs := make([]float64, len(old))
	for i := range old {
		logs[i] = math.Log(new[i] / old[i])
	}
	return logs
}
