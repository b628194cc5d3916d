package results

import (
	"slices"
	"testing"
)

func TestRead(t *testing.T) {
	var r Results
	r.Read("# machine: 2 cores\nBenchmarkPhase/a_b/subject=thread 1 2 p50-ns 3 cpu-ns/op\nPASS\n")
	r.Read("BenchmarkHot/n=2/subject=bound-2 \t 100\t 7 ns/op\n" +
		"BenchmarkHot/n=2/subject=bound-2 9 8 ns/op")
	if r.Machine != "2 cores" || !slices.Equal(r.Loads, []string{"Phase/a_b", "Hot/n=2"}) ||
		!slices.Equal(r.Subjects, []string{"thread", "bound"}) ||
		!slices.Equal(r.Of("Phase/a_b", "thread", "cpu-ns/op"), []float64{3}) ||
		!slices.Equal(r.Of("Hot/n=2", "bound", "ns/op"), []float64{7, 8}) {
		t.Errorf("read %+v", r)
	}
}

func TestMedian(t *testing.T) {
	ratios := Ratios([]float64{4, 0, 3, 1, 9}, []float64{1, 1, 1, 1, 1, 1})
	if m := Median(ratios); m != 3.5 || Median(nil) != 0 {
		t.Errorf("the median of 4, 3, 1 and 9 is %v", m)
	}
}

func TestSure(t *testing.T) {
	for _, test := range []struct {
		ratios []float64
		want   bool
	}{
		{nil, false},
		{[]float64{2, 2, 2, 2, 2}, false},
		{[]float64{2, 2, 2, 2, 2, 2}, true},
		{[]float64{2, 2, 2, 2, 2, 1}, false},
		{[]float64{0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, true},
		{[]float64{2, 2, 0.5, 2, 2, 2, 2, 2}, false},
	} {
		if Sure(test.ratios) != test.want {
			t.Errorf("Sure(%v) is %v", test.ratios, !test.want)
		}
	}
}
