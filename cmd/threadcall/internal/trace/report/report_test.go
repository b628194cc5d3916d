package report

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestDistribution(t *testing.T) {
	for seed := range uint64(30) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		var d, part Distribution
		var all []uint64
		sum := 0.0
		for range rnd.IntN(3000) + 1 {
			x := uint64(math.Exp(rnd.Float64() * 30))
			if x%2 == 0 {
				d.Add(x)
			} else {
				part.Add(x)
			}
			all = append(all, x)
			sum += float64(x)
		}
		slices.Sort(all)
		d.Merge(&part)
		d.Finish()
		if d.N != uint64(len(all)) || d.Sum != sum || d.Min != float64(all[0]) ||
			d.Max != float64(all[len(all)-1]) {
			t.Errorf("seed %d: %+v", seed, d)
		}
		for _, q := range []struct{ q, got float64 }{{0.5, d.P50}, {0.99, d.P99}} {
			want := float64(all[max(0, int(math.Ceil(q.q*float64(len(all))))-1)])
			if want < 15 && q.got != want || math.Abs(q.got-want) > want/16 {
				t.Errorf("seed %d: the quantile %v is %v, want %v", seed, q.q, q.got, want)
			}
		}
	}
}

// Values that change at random times: the series loses no peak and no low.
func TestCurve_Series(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		var s Curve
		type change struct {
			at time.Duration
			x  float64
		}
		var all []change
		now := time.Duration(0)
		scale := time.Duration(1) << rnd.IntN(30)
		for range rnd.IntN(5000) + 1 {
			x := math.Round(rnd.NormFloat64() * 100)
			s.Add(now, x)
			all = append(all, change{now, x})
			now += time.Duration(rnd.Int64N(int64(scale) + 1))
		}
		r := s.Series(now, 1000)
		if now/r.Step >= maxPoints || r.Step > 1 && now/(r.Step/2) < maxPoints {
			t.Fatalf("seed %d: steps of %v for %v", seed, r.Step, now)
		}
		next := 0
		for _, p := range r.Points {
			low, high, last, n := math.Inf(1), math.Inf(-1), 0.0, 0
			for ; next < len(all) && all[next].at < p.At+r.Step; next++ {
				x := all[next].x + 1000
				low, high, last, n = min(low, x), max(high, x), x, n+1
			}
			if n == 0 || p.Min != low || p.Max != high || p.Last != last {
				t.Fatalf("seed %d: %+v, want %v to %v, last %v of %d", seed, p, low, high, last, n)
			}
		}
		if next != len(all) {
			t.Fatalf("seed %d: %d of %d values are in no point", seed, len(all)-next, len(all))
		}
	}
}
