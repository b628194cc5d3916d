package bisect

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A noise returns by how much the next measurement is longer, as a logarithm.
type noise func(r *rand.Rand) func() float64

// noises are the machines of docs/bench.md.
var noises = map[string]noise{
	"quiet": func(r *rand.Rand) func() float64 {
		return func() float64 { return 0.01 * r.NormFloat64() }
	},
	"drift": func(r *rand.Rand) func() float64 {
		at := 0.0
		return func() float64 { at += 0.01 * r.NormFloat64(); return at + 0.01*r.NormFloat64() }
	},
	"ever slower": func(r *rand.Rand) func() float64 {
		at := 0.0
		return func() float64 { at += 0.002; return at + 0.01*r.NormFloat64() }
	},
	"heavy tails": func(r *rand.Rand) func() float64 {
		return func() float64 { // Student's t with two degrees of freedom
			return 0.01 * r.NormFloat64() / math.Sqrt(r.ExpFloat64())
		}
	},
	"two modes": func(r *rand.Rand) func() float64 {
		return func() float64 { return 0.08*float64(r.IntN(2)) + 0.01*r.NormFloat64() }
	},
	"load": func(r *rand.Rand) func() float64 {
		loaded := false
		return func() float64 {
			if loaded {
				loaded = r.Float64() > 1./6
			} else {
				loaded = r.Float64() < 1./12
			}
			x := 0.01 * r.NormFloat64()
			if loaded {
				x += math.Log(1.6)
			}
			return x
		}
	},
	"spikes": func(r *rand.Rand) func() float64 {
		return func() float64 {
			x := 0.01 * r.NormFloat64()
			if r.IntN(8) == 0 {
				x += 0.2 * r.ExpFloat64()
			}
			return x
		}
	},
	"crowded": func(r *rand.Rand) func() float64 {
		return func() float64 { return 0.3 * r.ExpFloat64() }
	},
}

// A tally is how simulated searches have ended.
type tally struct{ wrong, exact, steps, rounds, trials int }

// simulate runs searches of 12 commits, of which one adds the effect.
func simulate(r *rand.Rand, n noise, effect float64, most, trials int) (t tally) {
	t.trials = trials
	for range trials {
		const commits = 12
		culprit := 1 + r.IntN(commits)
		next := n(r)
		s := NewSearch(commits, 0.05)
		for {
			c, alpha, ok := s.Next()
			if !ok {
				break
			}
			t.steps++
			true3 := [3]float64{0, 0, effect} // good, the commit, bad
			if c >= culprit {
				true3[1] = effect
			}
			sorter := Sorter{Alpha: alpha}
			for sorter.Verdict() == Undecided && sorter.Rounds < most {
				var x [3]float64
				for _, i := range r.Perm(3) {
					x[i] = true3[i] + next()
				}
				sorter.Add(x[0], x[1], x[2])
			}
			t.rounds += sorter.Rounds
			s.Add(c, sorter.Verdict(), true)
		}
		suspects := s.Suspects()
		if !slices.Contains(suspects, culprit) {
			t.wrong++
		} else if len(suspects) == 1 {
			t.exact++
		}
	}
	return t
}

// TestSearch_errorRate is a simulation. With an effect that is next to nothing for the noise,
// nearly all steps that are decided are decided by chance.
func TestSearch_errorRate(t *testing.T) {
	trials, effects := 400, []float64{0.0001, 0.01, 0.1}
	if testing.Short() {
		trials, effects = 150, []float64{0.0001, 0.03}
	}
	for name, n := range noises {
		for _, effect := range effects {
			r := rand.New(rand.NewPCG(1, 2))
			got := simulate(r, n, effect, 100, trials)
			rate := func(n int) float64 { return 100 * float64(n) / float64(trials) }
			t.Logf("%-12s effect %5.2f %%: wrong %4.1f %%, exact %5.1f %%, %4.1f rounds a step",
				name, 100*effect, rate(got.wrong), rate(got.exact), float64(got.rounds)/float64(
					got.steps))
			// Three standard deviations of a rate of 5 %, so that another seed would not fail
			// either.
			if most := 5 + 3*math.Sqrt(5*95/float64(trials)); rate(got.wrong) > most {
				t.Errorf("%s, effect %v: %.1f %% of the searches are wrong", name, effect,
					rate(got.wrong))
			}
			if name == "quiet" && effect >= 0.1 && got.exact != trials {
				t.Errorf("%s, effect %v: %d of %d searches find the commit", name, effect,
					got.exact, trials)
			}
		}
	}
}
