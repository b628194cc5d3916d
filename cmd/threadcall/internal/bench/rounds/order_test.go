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
	jobs, first := someJobs(5, 2), 0
	for range 400 {
		runs, seen := Round(jobs, 0), map[*Job]bool{}
		if len(runs) != 10 {
			t.Fatalf("%d runs", len(runs))
		}
		for i := 0; i < len(runs); i += 2 {
			a, b := runs[i], runs[i+1]
			if a.Job != b.Job || a.Version+b.Version != 1 || seen[a.Job] {
				t.Errorf("%v", runs)
			}
			seen[a.Job] = true
			first += b.Version
		}
	}
	if first < 800 || first > 1200 { // of 2000; it is 1000 ± 22
		t.Errorf("the old version was first %d times", first)
	}
}

func TestWhatIsOverDoesNotRunAgain(t *testing.T) {
	jobs := someJobs(3, 2)
	jobs[1].drop("Benchmark1")
	jobs[2].drop("Benchmark2/sub")
	runs := Round(jobs, 0)
	if len(runs) != 4 || slices.ContainsFunc(runs, func(r Run) bool { return r.Job == jobs[1] }) {
		t.Errorf("%v", runs)
	}
}

func TestJobsOfAGroupRunNextToEachOther(t *testing.T) {
	jobs := someJobs(6, 2)
	for i, j := range jobs[:4] {
		j.Group = []string{"x", "y"}[i%2]
	}
	firsts := map[*Job]bool{}
	for range 200 {
		runs := Round(jobs, 0)
		if len(runs) != 12 {
			t.Fatalf("%d runs", len(runs))
		}
		at := map[string]int{}
		for i, r := range runs {
			if g := r.Job.Group; g != "" {
				if first, ok := at[g]; ok && i-first > 3 {
					t.Errorf("%s runs at %d and %d", g, first, i)
				} else if !ok {
					at[g] = i
					firsts[r.Job] = true
				}
			}
		}
	}
	if len(firsts) != 4 {
		t.Errorf("%d of the jobs in groups were first in theirs", len(firsts))
	}
}
