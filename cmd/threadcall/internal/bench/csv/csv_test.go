package csv_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	bench "github.com/threadcall/threadcall/cmd/threadcall/internal/bench/csv"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

func TestEachVersionOfABenchmarkIsALine(t *testing.T) {
	d := stats.New("old", "new, faster")
	for round := range 10 {
		for v := range 2 {
			ns := 100 + float64(round%5) - 50*float64(v)
			d.Add(v, round+1, &benchfmt.Result{Name: benchfmt.Name("X"), Values: []benchfmt.Value{{Value: ns * 1e-9, Unit: "sec/op"}, {Value: float64(2 * v), Unit: "allocs/op"}}})
		}
	}
	d.Add(1, 1, &benchfmt.Result{Name: benchfmt.Name("New"), Values: []benchfmt.Value{{Value: 1, Unit: "sec/op"}}})
	var b strings.Builder
	if err := bench.Write(&b, d.Compare()); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(b.String())).ReadAll() // refuses lines of different lengths
	if err != nil {
		t.Fatal(err)
	}
	var found []map[string]string
	for _, l := range lines[1:] {
		m := map[string]string{}
		for i, name := range lines[0] {
			m[name] = l[i]
		}
		found = append(found, m)
	}
	for _, want := range []map[string]string{
		{"benchmark": "X", "unit": "sec/op", "version": "old", "n": "10", "median": "1.02e-07", "base": "", "ratio": "", "p": ""},
		{"benchmark": "X", "unit": "sec/op", "version": "new, faster", "base": "old", "verdict": "better", "ratio": "0.509734141991", "p": "0.001953125", "method": "pairs"},
		{"benchmark": "X", "unit": "allocs/op", "version": "new, faster", "verdict": "worse", "ratio": "", "difference": "2", "p": "", "method": "exact"},
		{"benchmark": "New", "version": "new, faster", "median": "1", "median_low": "", "verdict": "", "ratio": ""},
	} {
		ok := false
		for _, m := range found {
			all := true
			for k, v := range want {
				all = all && m[k] == v
			}
			ok = ok || all
		}
		if !ok {
			t.Errorf("no %v in\n%s", want, b.String())
		}
	}
}
