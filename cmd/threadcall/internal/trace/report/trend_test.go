package report

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

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

	// With noise, the true slope is within two standard errors about 95 times of 100.
	rnd := rand.New(rand.NewPCG(1, 2))
	within := 0
	for range 1000 {
		var noisy Regression
		for i := range 50 {
			noisy.Add(time.Duration(i)*time.Second, 1e6+6000*float64(i)/60+1000*rnd.NormFloat64())
		}
		if r := noisy.Trend(); math.Abs(r.Growth-6000) < 2*r.Error {
			within++
		}
	}
	if within < 930 || within > 970 {
		t.Errorf("within two standard errors %d times of 1000", within)
	}
}
