package rounds

import (
	"fmt"
	"slices"
	"testing"
)

func someJobs(n, versions int) (jobs []*Job) {
	for i := range n {
		j := &Job{Package: "p", Benchmark: fmt.Sprintf("Benchmark%d", i)}
		for range versions {
			j.Versions = append(j.Versions, &Binary{})
		}
		jobs = append(jobs, j)
	}
	return jobs
}

func TestARoundHasEachVersionOnceAndTheVersionsTogether(t *testing.T) {
	for _, seed := range []uint64{0, 1, 7} {
		jobs := someJobs(5, 2)
		o := NewOrder(seed)
		for round := range 20 {
			runs := o.Round(round, jobs)
			if len(runs) != 10 {
				t.Fatalf("%d runs", len(runs))
			}
			seen := map[*Job]bool{}
			for i := 0; i < len(runs); i += 2 {
				a, b := runs[i], runs[i+1]
				if a.Job != b.Job || a.Version+b.Version != 1 || seen[a.Job] {
					t.Errorf("seed %d, round %d: %v", seed, round, runs)
				}
				seen[a.Job] = true
			}
		}
	}
}

func TestEachVersionIsTheFirstAboutAsOften(t *testing.T) {
	for _, seed := range []uint64{0, 3} {
		jobs, o, first := someJobs(4, 2), NewOrder(seed), 0
		for round := range 500 {
			for i, r := range o.Round(round, jobs) {
				if i%2 == 0 && r.Version == 0 {
					first++
				}
			}
		}
		if first < 900 || first > 1100 { // of 2000; it is 1000 ± 22
			t.Errorf("seed %d: the old version was first %d times", seed, first)
		}
	}
}

func TestTheSeedIsTheOrder(t *testing.T) {
	orders := func(seed uint64) (all []Run) {
		o := NewOrder(seed)
		for round := range 5 {
			all = append(all, o.Round(round, fixed)...)
		}
		return all
	}
	if !slices.Equal(orders(42), orders(42)) {
		t.Error("the same seed gives two orders")
	}
	if slices.Equal(orders(42), orders(43)) {
		t.Error("two seeds give the same order")
	}
}

var fixed = someJobs(6, 2)

func TestWhatIsOverDoesNotRunAgain(t *testing.T) {
	jobs := someJobs(3, 2)
	jobs[1].drop("Benchmark1")
	jobs[2].drop("Benchmark2/sub")
	for _, r := range NewOrder(5).Round(0, jobs) {
		if r.Job == jobs[1] {
			t.Error("it runs")
		}
	}
	if n := len(NewOrder(5).Round(0, jobs)); n != 4 {
		t.Errorf("%d runs", n)
	}
}
