package bench

import (
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/rounds"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// Ten rounds whose ratios go from 1-spread to 1+spread, or the other way round.
func spreading(spread, seconds float64) *stats.Comparison {
	d := stats.New("old", "new")
	for round := range 10 {
		ratio := 1 + spread*float64(2*(round%2)-1)
		for version, value := range []float64{seconds, seconds * ratio} {
			d.Add(version, round, &benchfmt.Result{Name: benchfmt.Name("A"), Iters: 1,
				Values: []benchfmt.Value{{Value: value, Unit: "sec/op"}}})
		}
	}
	return d.Compare(stats.Options{})
}

func TestAHintNamesTheFlagsOfARunThatDetectsMore(t *testing.T) {
	noisy := spreading(0.1, 1e-6)
	for name, c := range map[string]struct {
		comparison *stats.Comparison
		count      int
		benchtime  string
		budget     time.Duration
		want       string // of the flags
	}{
		"a second by default": {noisy, 10, "", 0, "-count 20 -benchtime 500ms"},
		"a time":              {noisy, 15, "200ms", 0, "-count 20 -benchtime 150ms"},
		"too short a time":    {noisy, 10, "30ms", 0, ""},
		"a number":            {noisy, 10, "100x", 0, ""},
		"rounds enough":       {noisy, 20, "", 0, ""},
		"a budget":            {noisy, 0, "", time.Minute, ""},
		"no noise":            {spreading(0.001, 1e-6), 10, "", 0, ""},
		"slow operations":     {spreading(0.1, 0.7), 10, "", 0, ""},
	} {
		r := Result{Report: &Report{}, Comparison: c.comparison, Settings: &Settings{
			Count: c.count, Budget: c.budget, Each: rounds.Settings{Benchtime: c.benchtime}}}
		want := ""
		if c.want != "" {
			want = "More rounds detect smaller changes, even if they are shorter. " + c.want + " takes about as long."
		}
		if got := r.hint(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
