package report

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestQuantilesAreNear(t *testing.T) {
	for seed := range uint64(30) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		var h, part Histogram
		var all []uint64
		sum := 0.0
		for range rnd.IntN(3000) + 1 {
			x := uint64(math.Exp(rnd.Float64() * 30))
			if x%2 == 0 {
				h.Add(x)
			} else {
				part.Add(x)
			}
			all = append(all, x)
			sum += float64(x)
		}
		slices.Sort(all)
		h.Merge(&part)
		d := h.Distribution()
		if d.N != uint64(len(all)) || d.Sum != sum || d.Min != float64(all[0]) || d.Max != float64(all[len(all)-1]) {
			t.Errorf("seed %d: %+v", seed, d)
		}
		var n uint64
		for _, c := range d.Classes {
			n += c.N
		}
		if n != d.N {
			t.Errorf("seed %d: classes have %d of %d", seed, n, d.N)
		}
		for _, q := range []struct{ q, got float64 }{{0.5, d.P50}, {0.9, d.P90}, {0.99, d.P99}} {
			want := float64(all[max(0, int(math.Ceil(q.q*float64(len(all))))-1)])
			if want < exact && q.got != want || math.Abs(q.got-want) > want/16 {
				t.Errorf("seed %d: the quantile %v is %v, want %v", seed, q.q, q.got, want)
			}
		}
	}
}

func TestTheTopAreTheBest(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		type item struct{ value, order int }
		best := NewTop(1+rnd.IntN(10), func(a, b item) bool { return a.value > b.value })
		var all []item
		for i := range rnd.IntN(50) {
			x := item{rnd.IntN(20), i}
			best.Offer(x)
			all = append(all, x)
		}
		slices.SortStableFunc(all, func(a, b item) int { return b.value - a.value })
		if want := all[:min(len(all), best.n)]; !slices.Equal(best.Kept, want) {
			t.Errorf("kept %v, want %v", best.Kept, want)
		}
	}
}
