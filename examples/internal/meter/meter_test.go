package meter

import (
	"testing"
	"time"
)

func TestHistogram(t *testing.T) {
	for d := time.Duration(1); d < time.Hour; d = d*5/4 + 1 {
		if low := lowest(bucket(d)); low > d || float64(low) < float64(d)*0.96 {
			t.Errorf("%v is counted as %v", d, low)
		}
		if bucket(lowest(bucket(d))) != bucket(d) {
			t.Errorf("the lowest duration of the bucket of %v is in another", d)
		}
	}
	var h, odd Histogram
	for i := range 1000 {
		if i%2 == 0 {
			h.Add(time.Duration(i) * time.Microsecond)
		} else {
			odd.Add(time.Duration(i) * time.Microsecond)
		}
	}
	h.Merge(&odd)
	for _, tt := range []struct{ q, want float64 }{{0, 0}, {0.5, 500}, {0.99, 990}} {
		if got := micros(h.Quantile(tt.q)); got > tt.want || got < tt.want*0.96 {
			t.Errorf("Quantile(%v) = %v µs, want %v", tt.q, got, tt.want)
		}
	}
	if got := h.Between(0, time.Second); got != 1000 || h.Count() != got {
		t.Errorf("%d durations below a second, %d in all, want 1000", got, h.Count())
	}
	if got := h.Max(); got > 999*time.Microsecond || got < 960*time.Microsecond {
		t.Errorf("Max() = %v, want about 999 µs", got)
	}
	if (&Histogram{}).Quantile(0.99) != 0 {
		t.Error("an empty histogram has a quantile")
	}
}

func TestCompareReportsWrongCalls(t *testing.T) {
	*Rounds, *Round = 1, time.Millisecond
	right := Way{Name: "right", Call: func() bool { return true }}
	wrong := Way{Name: "wrong", Call: func() bool { return false }}
	if !Compare("right", Loads, right) {
		t.Error("right calls are reported as wrong")
	}
	if Compare("wrong", Loads, right, wrong) {
		t.Error("wrong calls are not reported")
	}
}
