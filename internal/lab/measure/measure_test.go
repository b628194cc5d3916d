package measure

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"
)

// costs is a contender for which each time costs so much.
func costs(name string, each time.Duration, ran *[]string) Contender {
	return Contender{name, func() (func(int) time.Duration, func()) {
		return func(n int) time.Duration {
			*ran = append(*ran, name)
			return time.Duration(n) * each
		}, func() { *ran = append(*ran, "end") }
	}}
}

func TestEachContenderHasATurnInEachRound(t *testing.T) {
	var ran []string
	contenders := []Contender{costs("a", time.Microsecond, &ran), costs("b", 3*time.Microsecond, &ran)}
	steps := 0
	series, err := Rounds(context.Background(), contenders, Extent{Rounds: 7, Turn: time.Millisecond}, func(done, all int) {
		if steps++; done != steps || all != 16 {
			t.Errorf("%d of %d steps, want %d of 16", done, all, steps)
		}
	})
	if err != nil || steps != 16 {
		t.Fatal(err, steps)
	}
	for i, want := range []float64{1000, 3000} {
		if s := series[i]; s.Name != contenders[i].Name || len(s.Values) != 7 || s.Median().Centre != want {
			t.Errorf("%+v, want 7 values of %v", s, want)
		}
	}
	var turns []string // the last that each has measured before it ended
	for i, what := range ran {
		if what == "end" {
			turns = append(turns, ran[i-1])
		}
	}
	for round := range slices.Chunk(turns, 2) { // the first is to try them
		if round[0] == round[1] {
			t.Errorf("%s had two turns in a round", round[0])
		}
	}
}

func TestATurnIsAsLongAsItShouldBe(t *testing.T) {
	for _, slower := range []time.Duration{1, 5} { // the machine, once it has been tried
		var total time.Duration
		each, opened := time.Duration(7), 0
		c := Contender{"c", func() (func(int) time.Duration, func()) {
			if opened++; opened == 2 {
				total, each = 0, 7*slower
			}
			return func(n int) time.Duration { total += time.Duration(n) * each; return time.Duration(n) * each }, func() {}
		}}
		series, err := Rounds(context.Background(), []Contender{c}, Extent{Rounds: 1, Turn: time.Second}, func(int, int) {})
		if err != nil {
			t.Fatal(err)
		}
		if total < time.Second || total > time.Second+slower*time.Second/pieces {
			t.Errorf("the turn took %v, want a second", total)
		}
		if got := series[0].Values[0]; got != float64(7*slower) {
			t.Errorf("%v ns, want %d", got, 7*slower)
		}
	}
}

func TestANumberThatIsGivenIsKept(t *testing.T) {
	var ns []int
	c := Plain("c", func(n int) { ns = append(ns, n) })
	if _, err := Rounds(context.Background(), []Contender{c}, Extent{Rounds: 2, N: 5}, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(ns, []int{5, 5, 5}) {
		t.Errorf("it was done %v times", ns)
	}
}

func TestALimitLeavesEnoughRounds(t *testing.T) {
	c := Plain("c", func(int) { time.Sleep(time.Millisecond) })
	series, err := Rounds(context.Background(), []Contender{c}, Extent{Rounds: 100_000, N: 1, Limit: time.Microsecond}, func(int, int) {})
	if err != nil || len(series[0].Values) != MinRounds {
		t.Errorf("%d rounds, want %d, %v", len(series[0].Values), MinRounds, err)
	}
}

func TestAnInterruptEndsTheRounds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := Plain("c", func(int) {})
	_, err := Rounds(ctx, []Contender{c}, Extent{Rounds: 100, N: 1}, func(done, _ int) {
		if done == 3 {
			cancel()
		} else if done > 3 {
			t.Error("it goes on")
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestAnEstimateHasTheMedianAndAnIntervalAroundIt(t *testing.T) {
	s := Series{Values: []float64{5, 1, 2, 3, 4, 100, 6}}
	if e := s.Median(); e.Centre != 4 || e.Low != 1 || e.High != 100 {
		t.Errorf("%+v", e)
	}
	if s.Values[0] != 5 {
		t.Error("the rounds are in another order than before")
	}
	var many Series
	for i := range 101 {
		many.Values = append(many.Values, float64(i))
	}
	if e := many.Median(); e.Centre != 50 || e.Low < 39 || e.High > 61 || e.Low >= 50 || e.High <= 50 {
		t.Errorf("%+v", e)
	}
}

func TestFewRoundsHaveNoInterval(t *testing.T) {
	few := Series{Values: []float64{1, 2, 3, 4, 5}}
	if e := few.Median(); e.Centre != 3 || !math.IsInf(e.Low, -1) || e.Above(0) {
		t.Errorf("%+v", e)
	}
	enough := Series{Values: make([]float64, MinRounds)}
	if e := enough.Median(); math.IsInf(e.Low, 0) {
		t.Errorf("%+v of %d rounds", e, MinRounds)
	}
}

func TestARatioLeavesOutWhatHappensToBoth(t *testing.T) {
	var a, b Series
	for round := range 20 {
		slow := float64(1 + round%5) // of the machine
		a.Values, b.Values = append(a.Values, 30*slow), append(b.Values, 10*slow)
	}
	if e := a.Over(b); e != (Estimate{3, 3, 3}) || !e.Above(2) || !e.Below(4) || e.Spread() != 0 {
		t.Errorf("%+v", e)
	}
}
