package compare

import (
	"slices"
	"testing"
	"time"
)

func TestRounds(t *testing.T) {
	var order []int
	sizes := [2]map[int]int{{}, {}} // how many samples had so many operations
	costing := func(i int, each float64) Contender {
		return func(n int) Result {
			order = append(order, i)
			sizes[i][n]++
			return Result{Ops: n, Time: each}
		}
	}
	series := Rounds([]Contender{costing(0, 1000), costing(1, 3000)}, 7, 3*time.Millisecond)
	for i, want := range []float64{1000, 3000} {
		if !slices.Equal(series[i], slices.Repeat([]float64{want}, 7)) ||
			sizes[i][int(3e6/want)] != 7 {
			t.Errorf("%v, want 7 times %v; operations %v", series[i], want, sizes[i])
		}
	}
	for round := range slices.Chunk(order[len(order)-14:], 2) {
		if round[0] == round[1] {
			t.Errorf("%d had two samples in a round", round[0])
		}
	}
}
