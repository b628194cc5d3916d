package stats_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/perf/benchmath"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// noisy returns n values about center that are all different.
func noisy(r *rand.Rand, n int, center, spread float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = center * math.Exp(spread*r.NormFloat64())
	}
	return values
}

// Some of the differences are so much larger than the others that the sign test makes more of them.
func TestPairsWithHeavyTailsAreTheSignTest(t *testing.T) {
	for _, c := range []struct {
		up, down int
		p        float64
		verdict  stats.Verdict
	}{
		{1, 0, 1, stats.TooFew},
		{5, 0, 2. / 32, stats.TooFew},
		{6, 0, 2. / 64, stats.Worse},
		{0, 6, 2. / 64, stats.Better},
		{9, 1, 2 * 11. / 1024, stats.Worse},
		{8, 2, 2 * 56. / 1024, stats.Unseen},
		{5, 5, 1, stats.Unseen},
		{35, 15, 0.0066, stats.Worse}, // beyond where benchmath's intervals become approximate
	} {
		r := rand.New(rand.NewPCG(1, 1))
		old := noisy(r, c.up+c.down, 1, 0.5)
		new := slices.Clone(old)
		for i := range new {
			factor := 1.1 + 0.01*r.Float64()
			if i%4 == 0 {
				factor *= 10
			}
			if i < c.up {
				new[i] *= factor
			} else {
				new[i] /= factor
			}
		}
		d := only(t, paired("sec/op", old, new))
		if math.Abs(d.P-c.p) > 1e-4 || d.Verdict != c.verdict || (d.Interval == nil) != (c.verdict == stats.TooFew) {
			t.Errorf("%d up, %d down: p=%.5f %s, want %.5f %s", c.up, c.down, d.P, d.Verdict, c.p, c.verdict)
		}
	}
}

func TestOtherPairsAreTheSignedRankTest(t *testing.T) {
	for _, c := range []struct {
		n       int
		down    []int // ranks of the differences that are negative
		p       float64
		verdict stats.Verdict
	}{
		{5, nil, 2. / 32, stats.TooFew},
		{6, nil, 2. / 64, stats.Worse},
		{10, []int{8}, 2 * 25. / 1024, stats.Worse}, // the sum 8 is the critical one in tables
		{10, []int{1, 7}, 2 * 25. / 1024, stats.Worse},
		{10, []int{9}, 2 * 33. / 1024, stats.Unseen},
		{20, []int{1, 2, 3, 4, 5, 6, 7, 8, 16}, 0.0484, stats.Worse}, // 52
		{20, []int{1, 2, 3, 4, 5, 6, 7, 8, 17}, 0.0532, stats.Unseen},
		{100, []int{100, 99, 98, 97, 96, 95, 94, 93, 92, 91, 90, 89, 88, 87, 86, 85, 84, 83, 82, 81}, 0.0140, stats.Worse},
	} {
		old, new := slices.Repeat([]float64{1}, c.n), make([]float64, c.n)
		for i := range new {
			size := 0.1 + 0.001*float64(i)
			if slices.Contains(c.down, i+1) {
				size = -size
			}
			new[i] = math.Exp(size)
		}
		d := only(t, paired("sec/op", old, new))
		if math.Abs(d.P-c.p) > 1e-4 || d.Verdict != c.verdict {
			t.Errorf("%d, down %v: p=%.5f %s, want %.5f %s", c.n, c.down, d.P, d.Verdict, c.p, c.verdict)
		}
	}
	// The median of all averages of two is that of Hodges and Lehmann: of 1, 2 and 6 it is between 2 and 3.5.
	d := only(t, paired("sec/op", []float64{1, 1, 1}, []float64{math.E, math.Exp(2), math.Exp(6)}))
	if want := (math.Exp(2) + math.Exp(3.5)) / 2; math.Abs(d.Estimate-want) > 1e-9 {
		t.Errorf("estimate %v, want %v", d.Estimate, want)
	}
}

func TestRanksAreWhatBenchstatDoes(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	for _, n := range [][2]int{{4, 4}, {5, 9}, {10, 10}, {20, 12}, {30, 30}, {60, 55}} {
		for _, shift := range []float64{1, 1.01, 1.05} {
			old, new := noisy(r, n[0], 1, 0.02), noisy(r, n[1], shift, 0.02)
			sample := func(xs []float64) *benchmath.Sample {
				return benchmath.NewSample(slices.Clone(xs), &benchmath.DefaultThresholds)
			}
			want := benchmath.AssumeNothing.Compare(sample(old), sample(new))
			d := only(t, apart("sec/op", old, new))
			if math.Abs(d.P-want.P) > 1e-3*want.P+1e-9 || d.Visible() != (want.P <= want.Alpha) {
				t.Errorf("%v, %v: p=%v, benchmath has %v", n, shift, d.P, want.P)
			}
		}
	}
}

func TestIntervalAndPNeverContradict(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	var seen [2]int
	for range 4000 {
		n, m := 1+r.IntN(14), 1+r.IntN(14)
		round := func(xs []float64) []float64 { // so that there are ties
			if r.IntN(2) == 0 {
				for i := range xs {
					xs[i] = math.Round(xs[i]*20) / 20
				}
			}
			return xs
		}
		center := []float64{1, 1.05, 1.1, 1.3}[r.IntN(4)]
		old, new := round(noisy(r, n, 1, 0.1)), round(noisy(r, m, center, 0.1))
		d := apart("hits/op", old, new)
		if r.IntN(2) == 0 {
			k := min(n, m)
			d = paired("hits/op", old[:k], new[:k])
		}
		delta := only(t, d)
		if delta.Verdict == stats.Equal {
			continue
		}
		visible := delta.P <= 1-stats.Confidence+1e-12
		excludes := delta.Interval != nil && (delta.Interval.Low > 1 || delta.Interval.High < 1)
		if visible != excludes || visible != delta.Visible() {
			t.Fatalf("old %v, new %v: %+v %+v", old, new, delta, delta.Interval)
		}
		if delta.Interval != nil && (delta.Estimate < delta.Interval.Low || delta.Estimate > delta.Interval.High) {
			t.Fatalf("the estimate is outside: %+v %+v", delta, delta.Interval)
		}
		if visible {
			seen[1]++
		} else {
			seen[0]++
		}
	}
	if seen[0] < 500 || seen[1] < 500 {
		t.Errorf("visible or not: %v", seen)
	}
}

func TestAnEffectOfTheMDEIsVisible(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	var missed []string
	for range 200 {
		n := 6 + r.IntN(20)
		old, new := noisy(r, n, 1, 0.1), noisy(r, n, 1, 0.1)
		for name, make := range map[string]func(string, []float64, []float64) *stats.Data{"paired": paired, "apart": apart} {
			d := only(t, make("sec/op", old, new))
			moved := func(estimate float64) stats.Delta {
				xs := slices.Clone(new)
				for i := range xs {
					xs[i] *= estimate / d.Estimate
				}
				return only(t, make("sec/op", old, xs))
			}
			size := 1 + d.MDE
			if up, down := moved(size*1.0001), moved(1/size/1.0001); !up.Visible() || !down.Visible() {
				missed = append(missed, fmt.Sprintf("%s, %d: a change of %v is %s, one of %v %s", name, n, size, up.Verdict, 1/size, down.Verdict))
			}
			less := 1 + 0.99*d.MDE
			if up, down := moved(less), moved(1/less); up.Visible() && down.Visible() {
				missed = append(missed, fmt.Sprintf("%s, %d: a smaller one is visible in both directions", name, n))
			}
		}
	}
	if len(missed) > 30 { // with a change, the other test of pairs may be the one for their sizes
		t.Errorf("%d of 400, %s", len(missed), missed[0])
	}
}

// The order within a round is drawn by lot, so whatever the machine does, old and new are equally likely to suffer. The
// bounds are those of 2000 trials with an error rate of 5 %, four standard deviations away.
func TestFalseAlarmsAreAsRareAsStated(t *testing.T) {
	const trials, most = 2000, 0.05 + 4*0.0049
	for name, machine := range map[string]func(*rand.Rand, int) float64{
		"quiet":                func(r *rand.Rand, _ int) float64 { return math.Exp(0.01 * r.NormFloat64()) },
		"becoming slower":      func(r *rand.Rand, i int) float64 { return math.Exp(0.05*float64(i) + 0.01*r.NormFloat64()) },
		"the second is slower": func(r *rand.Rand, i int) float64 { return 1 + 0.05*float64(i%2) + 0.01*r.NormFloat64() },
		"spikes":               func(r *rand.Rand, _ int) float64 { return math.Exp(math.Pow(r.NormFloat64(), 3)) },
	} {
		r := rand.New(rand.NewPCG(8, 9))
		alarms, held := 0, 0
		for range trials {
			var old, new []float64
			for i := range 12 {
				a, b := machine(r, 2*i), machine(r, 2*i+1)
				if r.IntN(2) == 0 {
					a, b = b, a
				}
				old, new = append(old, a), append(new, b)
			}
			if only(t, paired("sec/op", old, new)).Visible() {
				alarms++
			}
			for i := range new {
				new[i] *= 1.07
			}
			if d := only(t, paired("sec/op", old, new)); d.Interval.Low <= 1.07 && 1.07 <= d.Interval.High {
				held++
			}
		}
		if rate := float64(alarms) / trials; rate > most {
			t.Errorf("%s: %.3f false alarms", name, rate)
		}
		if rate := float64(held) / trials; rate < 1-most {
			t.Errorf("%s: %.3f of the intervals hold the true change", name, rate)
		}
	}
}

func TestCountsThatAreAlwaysTheSame(t *testing.T) {
	same := func(n int, x float64) []float64 { return slices.Repeat([]float64{x}, n) }
	for _, c := range []struct {
		unit     string
		n        int
		old, new float64
		verdict  stats.Verdict
		method   stats.Method
	}{
		{"allocs/op", 4, 3, 4, stats.Worse, stats.Exactly},
		{"B/op", 10, 64, 48, stats.Better, stats.Exactly},
		{"allocs/op", 10, 0, 3, stats.Worse, stats.Exactly},
		{"allocs/op", 10, 3, 0, stats.Better, stats.Exactly},
		{"allocs/op", 1, 3, 3, stats.Equal, stats.Exactly},
		{"allocs/op", 10, 0, 0, stats.Equal, stats.Exactly},
		{"allocs/op", 3, 3, 4, stats.TooFew, stats.Pairs}, // three times 3 and three times 4 may be chance
		{"retries", 5, 3, 4, stats.TooFew, stats.Pairs},   // so may five times, for what is not known to be exact
		{"retries", 6, 3, 4, stats.Changed, stats.Pairs},
	} {
		d := only(t, paired(c.unit, same(c.n, c.old), same(c.n, c.new)))
		if d.Verdict != c.verdict || d.Method != c.method {
			t.Errorf("%d times %v and %v %s: %s by %s, want %s by %s", c.n, c.old, c.new, c.unit, d.Verdict, d.Method, c.verdict, c.method)
		}
		if zero := c.old == 0 || c.new == 0; d.Absolute != zero || zero && d.Estimate != c.new-c.old {
			t.Errorf("%v → %v: %+v", c.old, c.new, d)
		}
	}
}

func TestValuesWithoutRatiosAreSubtracted(t *testing.T) {
	d := only(t, paired("balance", []float64{-3, -2, -1, 0, 1, 2}, []float64{-2, -0.5, 0.5, 1, 2.5, 3}))
	if !d.Absolute || d.Verdict != stats.Changed || d.Estimate != 1.25 || d.Interval.Low != 1 || d.Interval.High != 1.5 {
		t.Errorf("%+v %+v", d, d.Interval)
	}
}

func TestAnInterruptedRoundIsNoPair(t *testing.T) {
	d := paired("sec/op", []float64{1, 2, 3, 4, 5, 6}, []float64{2, 4, 6, 8, 10, 12})
	d.Add(0, 6, result("A", 100.0, "sec/op"))
	if got := only(t, d); got.Method != stats.Pairs || got.N != 6 || got.Verdict != stats.Worse {
		t.Errorf("%+v", got)
	}
}

func TestWhatIsNoNumberIsLeftOut(t *testing.T) {
	d := paired("sec/op", []float64{1, 2, 3, math.NaN(), math.Inf(1), 1e200, 1e-200}, []float64{2, 4, 6, 8, 10, 12, 14})
	c := d.Compare()
	if n := c.Tables[0].Rows[0].Cells[0].N; n != 3 || len(c.Warnings) != 4 {
		t.Errorf("%d values, warnings %q", n, c.Warnings)
	}
	if _, err := json.Marshal(c); err != nil {
		t.Error(err)
	}
}
