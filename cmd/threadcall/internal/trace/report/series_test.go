package report

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// Values that change at random times, and what they are known to have been.
func TestASeriesLosesNoPeakAndNoLow(t *testing.T) {
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
				if all[next].at < p.At {
					t.Fatalf("seed %d: no point for %v", seed, all[next].at)
				}
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

func TestSharesSumUpToTheTime(t *testing.T) {
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var s Shares
		now, sum := time.Duration(0), time.Duration(0)
		for range rnd.IntN(3000) {
			now += time.Duration(rnd.Int64N(1e6))
			from := now
			now += time.Duration(rnd.Int64N(1e6))
			s.Add(from, now)
			sum += now - from
		}
		end := now + time.Duration(rnd.Int64N(1e9)+1)
		step, of := s.Steps(end)
		if len(of) > maxSteps || time.Duration(len(of))*step < end || time.Duration(len(of)-1)*step >= end {
			t.Fatalf("seed %d: %d steps of %v for %v", seed, len(of), step, end)
		}
		got := 0.0
		for i, x := range of {
			if x < 0 || x > 1 {
				t.Fatalf("seed %d: share %v", seed, x)
			}
			got += x * float64(min(step, end-time.Duration(i)*step))
		}
		if math.Abs(got-float64(sum)) > 1e-6*float64(sum)+1 {
			t.Errorf("seed %d: %v in all, want %v", seed, time.Duration(got), sum)
		}
	}
}

func TestATrendIsTheLineOfLeastSquares(t *testing.T) {
	var exact Regression
	for i := range 10 {
		exact.Add(time.Duration(i)*time.Minute, 1000+50*float64(i))
		if r := exact.Trend(); i < 2 && r != nil {
			t.Errorf("%d points have the trend %+v", i+1, r)
		}
	}
	if r := exact.Trend(); math.Abs(r.Growth-50) > 1e-9 || r.Error > 1e-6 || r.First != 1000 || r.Last != 1450 {
		t.Errorf("%+v", r)
	}
}
