package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/report/bench"
)

// A computer measures a benchmark: its wall time, CPU time and threads that run or are ready, for
// work that takes a second.
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
	"loaded, several CPUs": func(r *rand.Rand) (wall, cpu, threads float64) {
		cpu = normal(r, 0.03)
		return cpu * (1 + 4*r.Float64()), cpu, 2 * normal(r, 0.1)
	},
	"loaded, waiting": func(r *rand.Rand) (wall, cpu, threads float64) {
		return 1 + 4*r.Float64(), 0.01 * normal(r, 0.05), 0.3 * normal(r, 0.3)
	},
	"no threads are known": func(r *rand.Rand) (wall, cpu, threads float64) {
		cpu = normal(r, 0.03)
		return cpu * (2 + 8*r.Float64()), cpu, 0
	},
}

// simulated returns rounds of a benchmark whose new version does more work by a factor, and the
// same with the versions exchanged in some of them.
func simulated(r *rand.Rand, c computer, rounds int, factor float64) (d, exchanged *measure.Data) {
	d, exchanged = measure.New("old", "new"), measure.New("old", "new")
	for round := range rounds {
		swap := r.IntN(2)
		for version, work := range []float64{1, factor} {
			wall, cpu, threads := c(r)
			values := []any{work * wall, "sec/op", work * cpu, bench.CPUTime, threads,
				bench.Threads}
			if threads == 0 {
				values = values[:4]
			}
			add(d, version, round, "X", values...)
			add(exchanged, version^swap, round, "X", values...)
		}
	}
	return d, exchanged
}

// The choice of the measure keeps the error rate, as it does not know which version a value is of.
func TestTime(t *testing.T) {
	trials := 1000
	if testing.Short() {
		trials = 200
	}
	for name, c := range map[string]struct {
		change    float64
		basis     bench.Basis
		runs      bench.Runs
		least     int // how often of a hundred it must be found
		wall, cpu bench.Verdict
	}{
		"quiet":                {1.02, bench.Wall, bench.OnOne, 99, bench.Worse, bench.Aside},
		"loaded":               {1.05, bench.CPU, bench.OnOne, 80, bench.Aside, bench.Worse},
		"loaded, several CPUs": {1.10, bench.Either, bench.OnMany, 95, bench.Unseen, bench.Worse},
		"loaded, waiting":      {1.10, bench.Wall, bench.Waits, 0, "", ""},
		"no threads are known": {1.10, bench.Wall, bench.Unknown, 0, "", ""},
	} {
		r := rand.New(rand.NewPCG(16, uint64(len(name))))
		alarms, found, as := 0, 0, 0
		for range trials {
			a, b := simulated(r, computers[name], 20, 1)
			x, y := comparison(a), comparison(b)
			for _, table := range x.Tables {
				if table.Rows[0].Delta.Visible() {
					alarms++
					break
				}
			}
			if x.Times[0] != y.Times[0] {
				t.Fatalf("%s: %+v, exchanged %+v", name, x.Times[0], y.Times[0])
			}
		}
		r = rand.New(rand.NewPCG(5, uint64(len(name))))
		for range 100 {
			d, _ := simulated(r, computers[name], 20, c.change)
			got := comparison(d)
			if time := got.Times[0]; time.Basis == c.basis && time.Runs == c.runs {
				as++
			}
			wall, cpu := got.Tables[0].Rows[0].Delta, got.Tables[1].Rows[0].Delta
			if wall.Verdict == c.wall && cpu.Verdict == c.cpu {
				found++
			}
		}
		n := float64(trials)
		t.Logf("%s: %d false alarms of %d; a change of %.0f %% is found %d times of 100", name, alarms,
			trials, 100*(c.change-1), found)
		if float64(alarms) > 0.05*n+3*math.Sqrt(0.05*0.95*n) || as < 90 || found < c.least {
			t.Errorf("%s: %d times of 100 on %q, %q", name, as, c.basis, c.runs)
		}
	}
}
