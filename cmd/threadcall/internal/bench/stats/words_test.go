package stats_test

import (
	"math"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

func TestPercentagesForPeople(t *testing.T) {
	for x, want := range map[float64][2]string{
		0: {"0%", "0.00%"}, 0.0004: {"0.04%", "0.04%"}, 0.00994: {"0.99%", "1.0%"}, 0.012: {"1.2%", "1.2%"}, 0.123: {"12.3%", "12%"},
		-0.5: {"50.0%", "50%"}, -0.9975: {"99.75%", "99.75%"}, 1.5: {"150%", "150%"}, math.Inf(1): {"∞", "∞"},
	} {
		if got := stats.Percent(x); got != want[0] {
			t.Errorf("Percent(%v) = %s, want %s", x, got, want[0])
		}
		if got := stats.Roughly(x); got != want[1] {
			t.Errorf("Roughly(%v) = %s, want %s", x, got, want[1])
		}
	}
}

func TestChangesForPeople(t *testing.T) {
	for _, c := range []struct {
		unit                 string
		better               int
		d                    stats.Delta
		change, limits, word string
	}{
		{"sec/op", -1, stats.Delta{Verdict: stats.Worse, Estimate: 1.054, Interval: &stats.Interval{Low: 1.04, High: 1.131}}, "+5.4%", "[+4.0%, +13%]", "slower"},
		{"sec/op", -1, stats.Delta{Verdict: stats.Better, Estimate: 0.005, Interval: &stats.Interval{Low: 0.004, High: 0.006}}, "1/200", "[1/250, 1/167]", "faster"},
		{"sec/op", -1, stats.Delta{Verdict: stats.Worse, Estimate: 212, Interval: &stats.Interval{Low: 9, High: 230}}, "×212", "[×9.0, ×230]", "slower"},
		{"B/s", 1, stats.Delta{Verdict: stats.Better, Estimate: 1.2, Interval: &stats.Interval{Low: 1.1, High: 1.3}}, "+20.0%", "[+10%, +30%]", "faster"},
		{"allocs/op", -1, stats.Delta{Verdict: stats.Worse, Absolute: true, Estimate: 3}, "+3", "", "more"},
		{"B/op", -1, stats.Delta{Verdict: stats.Better, Estimate: 0.75}, "-25.0%", "", "less"},
		{"hits/op", 1, stats.Delta{Verdict: stats.Better, Estimate: 1.1}, "+10.0%", "", "better"},
		{"hits/op", 0, stats.Delta{Verdict: stats.Changed, Estimate: 1.1}, "+10.0%", "", "more"},
		{"sec/op", -1, stats.Delta{Verdict: stats.Unseen, Estimate: 1.00001, Interval: &stats.Interval{Low: 0.98, High: 1}}, "0%", "[-2.0%, 0%]", ""},
	} {
		table := stats.Table{Unit: c.unit, Better: c.better}
		if change, limits, word := table.Change(c.d), table.Range(c.d), table.Word(c.d); change != c.change || limits != c.limits || word != c.word {
			t.Errorf("%+v: %q %q %q, want %q %q %q", c.d, change, limits, word, c.change, c.limits, c.word)
		}
	}
}
