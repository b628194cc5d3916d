package bench

import (
	"slices"
	"testing"
	"time"
)

// costing is a contender of which an operation takes as long as given.
func costing(name string, each time.Duration, ran *[]string) Contender {
	return func() (func(int) time.Duration, func()) {
		return func(n int) time.Duration {
			*ran = append(*ran, name)
			return time.Duration(n) * each
		}, func() { *ran = append(*ran, "end") }
	}
}

func TestRounds(t *testing.T) {
	var ran []string
	contenders := []Contender{costing("a", time.Microsecond, &ran),
		costing("b", 3*time.Microsecond, &ran)}
	steps := 0
	series, err := Rounds(t.Context(), contenders, Plan{Rounds: 7, Sample: time.Millisecond},
		func(done, all int) {
			if steps++; done != steps || all != 16 {
				t.Errorf("%d of %d steps, want %d of 16", done, all, steps)
			}
		})
	if err != nil || steps != 16 {
		t.Fatal(err, steps)
	}
	for i, want := range []float64{1000, 3000} {
		if !slices.Equal(series[i], slices.Repeat([]float64{want}, 7)) {
			t.Errorf("%v, want 7 times %v", series[i], want)
		}
	}
	var samples []string // the contender of each
	for i, what := range ran {
		if what == "end" {
			samples = append(samples, ran[i-1])
		}
	}
	for round := range slices.Chunk(samples, 2) { // the first is to try them
		if round[0] == round[1] {
			t.Errorf("%s had two samples in a round", round[0])
		}
	}
}

func TestRounds_plan(t *testing.T) {
	var ns []int
	c := Timed(func(n int) { ns = append(ns, n) })
	series, err := Rounds(t.Context(), []Contender{c}, Plan{Rounds: 20, N: 5, Limit: 1, Least: 3},
		func(int, int) {})
	if want := slices.Repeat([]int{5}, 4); err != nil || !slices.Equal(ns, want) ||
		len(series[0]) != 3 {
		t.Errorf("operations %v, want %v; %v", ns, want, err)
	}
}
