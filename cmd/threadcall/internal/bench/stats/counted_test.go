package stats_test

import (
	"math"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// counting returns rounds of a benchmark that takes as long as before, for twice the instructions.
func counting(units ...string) *stats.Data {
	d := stats.New("old", "new")
	for round := range 10 {
		for version := range 2 {
			noise := 1 + 0.01*math.Sin(float64(7*round+3*version))
			r := &benchfmt.Result{Name: benchfmt.Name("X"), Iters: 1}
			for _, unit := range units {
				value := noise
				if stats.Counted(unit) {
					value = 1e6 * noise * float64(1+version)
				}
				r.Values = append(r.Values, benchfmt.Value{Value: value, Unit: unit})
			}
			d.Add(version, round+1, r)
		}
	}
	return d
}

func TestCountersHaveNoVerdictNextToTime(t *testing.T) {
	c := counting(stats.Cycles, stats.Instructions, "sec/op").Compare()
	for i, unit := range []string{"sec/op", stats.Instructions, stats.Cycles} {
		table := c.Tables[i]
		d := table.Rows[0].Deltas[1]
		if table.Unit != unit || table.Better != -1 {
			t.Errorf("table %d is of %s, better %d", i, table.Unit, table.Better)
		}
		if counts := stats.Counted(unit); (d.Verdict == stats.Aside) != counts || d.Excludes() != counts {
			t.Errorf("%s: %+v", unit, d)
		}
	}
	if c.Family.Tests != 1 {
		t.Errorf("%d verdicts are judged together, of one time", c.Family.Tests)
	}
	if back := c.To("new"); back.Tables[1].Rows[0].Deltas[1].Verdict != stats.Aside {
		t.Errorf("the other way round: %+v", back.Tables[1].Rows[0])
	}
}

func TestCountersAloneHaveVerdicts(t *testing.T) {
	c := counting(stats.Instructions).Compare()
	if d := c.Tables[0].Rows[0].Deltas[1]; d.Verdict != stats.Worse || c.Tables[0].Word(d) != "more" {
		t.Errorf("%+v", d)
	}
}
