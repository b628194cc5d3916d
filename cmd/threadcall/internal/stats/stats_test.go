package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

const alpha = 0.05

// noisy returns n values about center that are all different.
func noisy(r *rand.Rand, n int, center, spread float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = center * math.Exp(spread*r.NormFloat64())
	}
	return values
}

// verdict returns what a test shows: 1 is more, -1 is less, 0 is nothing, 9 is too few values.
func verdict(t Test) int {
	switch {
	case t.Interval == nil:
		return 9
	case !t.Rejected:
		return 0
	case t.Estimate > 1:
		return 1
	}
	return -1
}

func TestPairs_sign(t *testing.T) {
	for _, c := range []struct {
		up, down int
		p        float64
		verdict  int
	}{
		{1, 0, 1, 9},
		{5, 0, 2. / 32, 9},
		{6, 0, 2. / 64, 1},
		{0, 6, 2. / 64, -1},
		{9, 1, 2 * 11. / 1024, 1},
		{8, 2, 2 * 56. / 1024, 0},
		{5, 5, 1, 0},
		{35, 15, 0.0066, 1}, // beyond where benchmath's intervals become approximate
	} {
		r := rand.New(rand.NewPCG(1, 1))
		old := noisy(r, c.up+c.down, 1, 0.5)
		new := slices.Clone(old)
		for i := range new {
			factor := 1.1 + 0.01*r.Float64()
			if i%4 == 0 { // a heavy tail
				factor *= 10
			}
			if i >= c.up {
				factor = 1 / factor
			}
			new[i] *= factor
		}
		got := Pairs(old, new, false, alpha)
		if math.Abs(got.P-c.p) > 1e-4 || verdict(got) != c.verdict {
			t.Errorf("%d up, %d down: %+v, want p=%.5f, %d", c.up, c.down, got, c.p, c.verdict)
		}
	}
}

func TestPairs_signedRank(t *testing.T) {
	for _, c := range []struct {
		n       int
		down    []int // ranks of the differences that are negative
		p       float64
		verdict int
	}{
		{5, nil, 2. / 32, 9},
		{6, nil, 2. / 64, 1},
		{10, []int{8}, 2 * 25. / 1024, 1}, // the sum 8 is the critical one in tables
		{10, []int{1, 7}, 2 * 25. / 1024, 1},
		{10, []int{9}, 2 * 33. / 1024, 0},
		{20, []int{1, 2, 3, 4, 5, 6, 7, 8, 16}, 0.0484, 1}, // 52
		{20, []int{1, 2, 3, 4, 5, 6, 7, 8, 17}, 0.0532, 0},
		{100, []int{100, 99, 98, 97, 96, 95, 94, 93, 92, 91, 90, 89, 88, 87, 86, 85, 84, 83, 82,
			81}, 0.0136, 1},
	} {
		old, new := slices.Repeat([]float64{1}, c.n), make([]float64, c.n)
		for i := range new {
			size := 0.1 + 0.001*float64(i)
			if slices.Contains(c.down, i+1) {
				size = -size
			}
			new[i] = math.Exp(size)
		}
		got := Pairs(old, new, false, alpha)
		if math.Abs(got.P-c.p) > 1e-4 || verdict(got) != c.verdict {
			t.Errorf("%d, down %v: %+v, want p=%.5f, %d", c.n, c.down, got, c.p, c.verdict)
		}
	}
	// The median of all averages of two is that of Hodges and Lehmann: of 1, 2 and 6 it is between
	// 2 and 3.5.
	got := Pairs([]float64{1, 1, 1}, []float64{math.E, math.Exp(2), math.Exp(6)}, false, alpha)
	if want := (math.Exp(2) + math.Exp(3.5)) / 2; math.Abs(got.Estimate-want) > 1e-9 {
		t.Errorf("estimate %v, want %v", got.Estimate, want)
	}
}

func TestTest_intervalAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	var seen [2]int
	for range 4000 {
		n := 1 + r.IntN(30)
		old := noisy(r, n, 1, 0.1)
		new := noisy(r, n, []float64{1, 1.05, 1.1, 1.3}[r.IntN(4)], 0.1)
		if r.IntN(2) == 0 { // ties
			for _, xs := range [][]float64{old, new} {
				for i := range xs {
					xs[i] = math.Round(xs[i]*20) / 20
				}
			}
		}
		got := Pairs(old, new, false, alpha)
		i := got.Interval
		excludes := i != nil && (i.Low > 1 || i.High < 1)
		if got.Rejected != excludes || got.Rejected != (got.P <= alpha+1e-12) || i != nil &&
			(got.Estimate < i.Low || got.Estimate > i.High) {
			t.Fatalf("old %v, new %v: %+v %+v", old, new, got, i)
		}
		if got.Rejected {
			seen[1]++
		} else {
			seen[0]++
		}
	}
	if seen[0] < 500 || seen[1] < 500 {
		t.Errorf("rejected or not: %v", seen)
	}
}

// The numbers that are shown have the difference that is shown.
func TestTypical(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 6; n < 300; n += 49 {
		for _, absolute := range []bool{false, true} {
			var old, new []float64
			for range n {
				x := math.Exp(3 * r.NormFloat64())
				old, new = append(old, x), append(new, x*math.Exp(0.1*r.NormFloat64()-0.013))
			}
			e := Pairs(old, new, absolute, 0.05).Estimate
			got := Typical(old, new, absolute, e)
			if off := compare(got[0], got[1], absolute) - e; math.Abs(off) > 0.02*math.Abs(e) {
				t.Errorf("%d pairs: %v show %v, want %v", n, got, compare(got[0], got[1], absolute), e)
			}
		}
	}
}
