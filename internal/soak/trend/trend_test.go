package trend

import (
	"math"
	"math/rand/v2"
	"testing"
)

func series(n int, y func(i int) float64) (points []Point) {
	for i := range n {
		points = append(points, Point{float64(i), y(i)})
	}
	return points
}

func TestGrowthIsToldFromNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	noise := func() float64 { return 20 * r.Float64() }
	for name, c := range map[string]struct {
		y        func(i int) float64
		min, max float64 // growth in 1,000
	}{
		"constant":                 {func(int) float64 { return 7 }, 0, 0},
		"noise":                    {func(int) float64 { return noise() }, -2, 2},
		"a line":                   {func(i int) float64 { return float64(i) / 10 }, 60, 70},
		"a line in noise":          {func(i int) float64 { return float64(i)/10 + noise() }, 55, 75},
		"a falling line":           {func(i int) float64 { return -float64(i) / 10 }, -70, 0},
		"spikes":                   {func(i int) float64 { return 1e6 * float64(max(0, i%50-48)) }, 0, 0},
		"a wave that ends early":   {func(i int) float64 { return 10 * math.Sin(float64(i)/20) }, -3, 3},
		"more spikes at the end":   {func(i int) float64 { return 1e6 * float64(max(0, i%50-48+i/500)) }, 0, 0},
		"a step in the first half": {func(i int) float64 { return 100 * float64(min(1, i/250)) }, 0, 0},
	} {
		if g := Of(Floors(series(1000, c.y))).Growth(1000); g < c.min || g > c.max {
			t.Errorf("%s: grows by %v in 1,000, want %v to %v", name, g, c.min, c.max)
		}
	}
}

func TestFewPointsHaveNoTrend(t *testing.T) {
	for n := range 3 {
		if got := Of(series(n, func(i int) float64 { return float64(i) })); got != (Trend{}) {
			t.Errorf("%d points have the trend %+v", n, got)
		}
	}
}

func TestFloorsKeepTheShapeAndLeaveOutSpikes(t *testing.T) {
	floors := Floors(series(1000, func(i int) float64 { return float64(i) + 1e6*float64(i%2) }))
	if len(floors) != 1000/groupSize {
		t.Fatalf("%d floors", len(floors))
	}
	for i, p := range floors {
		if math.Abs(p.X-float64(groupSize*i+groupSize/2)) > 1 || math.Abs(p.Y-p.X) > groupSize {
			t.Errorf("floor %d is %+v", i, p)
		}
	}
	if n := len(Floors(series(groupSize-1, func(int) float64 { return 1 }))); n != 0 {
		t.Errorf("too few points have %d floors", n)
	}
}
