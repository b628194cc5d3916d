package rounds

import (
	"fmt"
	"slices"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

func someJobs(n, versions int) (jobs []*Job) {
	for i := range n {
		jobs = append(jobs, &Job{Package: "p", Benchmark: fmt.Sprintf("Benchmark%d", i)})
		for range versions {
			jobs[i].Versions = append(jobs[i].Versions, &gotest.Binary{})
		}
	}
	return jobs
}

func TestARoundHasEachVersionOnceAndTheVersionsTogether(t *testing.T) {
	for _, seed := range []uint64{0, 1, 7} {
		jobs, o, first := someJobs(5, 2), NewOrder(seed), 0
		const rounds = 400
		for round := range rounds {
			runs, seen := o.Round(round, jobs), map[*Job]bool{}
			if len(runs) != 10 {
				t.Fatalf("%d runs", len(runs))
			}
			for i := 0; i < len(runs); i += 2 {
				a, b := runs[i], runs[i+1]
				if a.Job != b.Job || a.Version+b.Version != 1 || seen[a.Job] {
					t.Errorf("seed %d, round %d: %v", seed, round, runs)
				}
				seen[a.Job] = true
				first += b.Version
			}
		}
		if first < 900 || first > 1100 { // of 2000; it is 1000 ± 22
			t.Errorf("seed %d: the old version was first %d times", seed, first)
		}
	}
}

func TestTheSeedIsTheOrder(t *testing.T) {
	fixed := someJobs(6, 2)
	orders := func(seed uint64) (all []Run) {
		o := NewOrder(seed)
		for round := range 5 {
			all = append(all, o.Round(round, fixed)...)
		}
		return all
	}
	if !slices.Equal(orders(42), orders(42)) || slices.Equal(orders(42), orders(43)) {
		t.Error("the same seed gives two orders, or two seeds give the same")
	}
}

func TestWhatIsOverDoesNotRunAgain(t *testing.T) {
	jobs := someJobs(3, 2)
	jobs[1].drop("Benchmark1")
	jobs[2].drop("Benchmark2/sub")
	runs := NewOrder(5).Round(0, jobs)
	if len(runs) != 4 || slices.ContainsFunc(runs, func(r Run) bool { return r.Job == jobs[1] }) {
		t.Errorf("%v", runs)
	}
}
