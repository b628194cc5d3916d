package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// A computer measures a benchmark: its wall time, CPU time and threads that run or are ready, for work that takes a second.
type computer func(r *rand.Rand) (wall, cpu, threads float64)

// normal returns a factor.
func normal(r *rand.Rand, sd float64) float64 { return math.Exp(sd * r.NormFloat64()) }

var computers = map[string]computer{
	"quiet": func(r *rand.Rand) (wall, cpu, threads float64) {
		wall = normal(r, 0.003)
		return wall, wall * normal(r, 0.001), 1
	},
	"loaded": func(r *rand.Rand) (wall, cpu, threads float64) {
		cpu = normal(r, 0.03)
		return cpu * (2 + 8*r.Float64()), cpu, 1.1 * normal(r, 0.1)
	},
	"loaded at times": func(r *rand.Rand) (wall, cpu, threads float64) {
		cpu = normal(r, 0.01)
		return cpu * (1 + 4*float64(r.IntN(2))), cpu, 1.05
	},
	"loaded, several CPUs": func(r *rand.Rand) (wall, cpu, threads float64) {
		cpu = normal(r, 0.03)
		return cpu * (1 + 4*r.Float64()), cpu, 2 * normal(r, 0.1)
	},
	"loaded, waiting": func(r *rand.Rand) (wall, cpu, threads float64) {
		cpu = 0.01 * normal(r, 0.05)
		return 1 + 4*r.Float64(), cpu, 0.3 * normal(r, 0.3)
	},
	"two modes": func(r *rand.Rand) (wall, cpu, threads float64) { // of the memory's layout, say, in both measures
		cpu = normal(r, 0.01) * (1 + 0.3*float64(r.IntN(2)))
		return cpu * (1 + r.Float64()), cpu, 1.1
	},
	"no threads are known": func(r *rand.Rand) (wall, cpu, threads float64) {
		cpu = normal(r, 0.03)
		return cpu * (2 + 8*r.Float64()), cpu, 0
	},
}

// measured returns rounds of a benchmark whose new version does more work by a factor.
func measured(r *rand.Rand, c computer, rounds int, factor float64) *stats.Data {
	d := stats.New("old", "new")
	for round := range rounds {
		for version, work := range []float64{1, factor} {
			wall, cpu, threads := c(r)
			res := &benchfmt.Result{Name: benchfmt.Name("X"), Iters: 1, Values: []benchfmt.Value{{Value: work * wall, Unit: "sec/op"}, {Value: work * cpu, Unit: stats.CPUTime}}}
			if threads > 0 {
				res.Values = append(res.Values, benchfmt.Value{Value: threads, Unit: stats.Threads})
			}
			d.Add(version, round, res)
		}
	}
	return d
}

func TestTheChoiceOfTheMeasureKeepsTheErrorRate(t *testing.T) {
	trials := 1000.
	if testing.Short() {
		trials = 200
	}
	for name, c := range computers {
		r := rand.New(rand.NewPCG(16, uint64(len(name))))
		alarms := 0
		for range int(trials) {
			if measured(r, c, 20, 1).Compare().Family.Visible > 0 {
				alarms++
			}
		}
		if limit := 0.05*trials + 3*math.Sqrt(0.05*0.95*trials); float64(alarms) > limit {
			t.Errorf("%s: %d false alarms of %g", name, alarms, trials)
		}
	}
}

func TestCPUTimeShowsWhatWallTimeCannot(t *testing.T) {
	for name, c := range map[string]struct {
		change float64
		basis  stats.Basis
		runs   stats.Runs
		least  int // how often of a hundred it must be found
		word   string
	}{
		"quiet":                {1.02, stats.Wall, stats.OnOne, 99, "slower"},
		"loaded":               {1.05, stats.CPU, stats.OnOne, 80, "more CPU; wall time inconclusive here"},
		"loaded at times":      {1.05, stats.CPU, stats.OnOne, 95, "more CPU; wall time inconclusive here"},
		"loaded, several CPUs": {1.10, stats.Either, stats.OnMany, 95, "more CPU, of several CPUs; wall time inconclusive here"},
		"loaded, waiting":      {1.10, stats.Wall, stats.Waits, 0, "slower"},
		"no threads are known": {1.10, stats.Wall, stats.Unknown, 0, "slower"},
	} {
		r := rand.New(rand.NewPCG(5, uint64(len(name))))
		found, as := 0, 0
		for range 100 {
			got := measured(r, computers[name], 20, c.change).Compare()
			if time := got.Times[0]; time.Basis == c.basis && time.Runs == c.runs {
				as++
			}
			if got.Family.Visible == 0 {
				continue
			}
			if strings.HasSuffix(got.Times[0].Summary, c.word) {
				found++
			}
		}
		if as < 90 || found < c.least {
			t.Errorf("%s: %d times of 100 on %q, %q; found %d times", name, as, c.basis, c.runs, found)
		}
	}
}

// The choice must not know which version a value belongs to.
func TestExchangedVersionsGiveTheSameBasis(t *testing.T) {
	for name, c := range computers {
		r := rand.New(rand.NewPCG(3, uint64(len(name))))
		for range 100 {
			a, b := stats.New("old", "new"), stats.New("old", "new")
			for round := range 10 {
				swap := r.IntN(2)
				for version := range 2 {
					wall, cpu, threads := c(r)
					res := &benchfmt.Result{Name: benchfmt.Name("X"), Iters: 1, Values: []benchfmt.Value{{Value: wall, Unit: "sec/op"},
						{Value: cpu, Unit: stats.CPUTime}, {Value: max(threads, 0.01), Unit: stats.Threads}}}
					a.Add(version, round, res)
					b.Add(version^swap, round, res)
				}
			}
			if x, y := a.Compare().Times[0], b.Compare().Times[0]; x.Basis != y.Basis || x.Runs != y.Runs {
				t.Fatalf("%s: %+v, exchanged %+v", name, x, y)
			}
		}
	}
}

func TestOnlyOneMeasureOfTimeHasAVerdict(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	c := measured(r, computers["loaded"], 20, 1.3).Compare()
	units := func(verdict stats.Verdict) (units []string) {
		for _, table := range c.Tables {
			if table.Rows[0].Deltas[1].Verdict == verdict {
				units = append(units, table.Unit)
			}
		}
		return units
	}
	if !slices.Equal(units(stats.Worse), []string{stats.CPUTime}) || !slices.Equal(units(stats.Aside), []string{"sec/op"}) || len(c.Tables) != 2 || c.Family.Tests != 1 {
		t.Errorf("%+v", c)
	}
	if back := c.To("new"); back.Times[0].Basis != stats.CPU || !strings.Contains(back.Times[0].Summary, "less CPU") {
		t.Errorf("the other way round: %+v", back.Times)
	}
	c = measured(r, computers["quiet"], 20, 1.3).Compare()
	if !slices.Equal(units(stats.Worse), []string{"sec/op"}) || !slices.Equal(units(stats.Aside), []string{stats.CPUTime}) {
		t.Errorf("%+v", c)
	}
}
