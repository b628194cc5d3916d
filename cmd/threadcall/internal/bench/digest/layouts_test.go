package digest_test

import (
	"fmt"
	"slices"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/digest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// laidOut returns rounds of benchmarks in six layouts. Odd ones are 10 % slower in the old version, and nothing moves the new one.
func laidOut(rounds, benchmarks int) *stats.Comparison {
	d := stats.New("old", "new")
	for round := range rounds {
		layout := round%6 + 1
		for i := range benchmarks {
			for v, ns := range []float64{100 + 10*float64(layout%2), 126} {
				ns += float64(round / 6 % 2) // noise
				d.AddLayout(v, round+1, layout, &benchfmt.Result{Name: benchfmt.Name(fmt.Sprintf("B%d-2", i)), Values: []benchfmt.Value{{Value: ns * 1e-9, Unit: "sec/op"}}})
			}
		}
	}
	return d.Compare()
}

func TestLayoutsAreNextToTheChange(t *testing.T) {
	for _, c := range []struct {
		rounds, benchmarks int
		all                bool
		want               []string
	}{
		{12, 1, false, []string{"B0: 6 layouts move old by 5.2 %, new by less than noise; change +20.0 %."}},
		{6, 1, false, []string{"B0: 6 layouts and noise move old by 5.2 %, new by 0 %; change +20.1 %."}},
		{12, 6, false, []string{"Of 6 benchmarks, 6 layouts move old by up to 5.2 % (B0), new by less than noise; largest change +20.0 % (B0)."}},
	} {
		if got := digest.Of(laidOut(c.rounds, c.benchmarks), 1, c.all).Layouts; !slices.Equal(got, c.want) {
			t.Errorf("%d rounds of %d: %q, want %q", c.rounds, c.benchmarks, got, c.want)
		}
	}
	if got := digest.Of(laidOut(12, 6), 1, true).Layouts; len(got) != 6 {
		t.Errorf("all: %q", got)
	}
	if got := digest.Of(results("p", 20, slower).Compare(), 1, false).Layouts; got != nil {
		t.Errorf("without layouts: %q", got)
	}
}
