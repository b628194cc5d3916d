package bisect

import (
	"slices"
	"testing"
)

// search returns the suspects, and how many commits were tested.
func search(t *testing.T, n int, verdict func(commit int) Verdict) (suspects []int, tests int) {
	t.Helper()
	s := NewSearch(n, 0.05)
	used := 0.0
	for {
		c, alpha, ok := s.Next()
		if !ok {
			if used > 0.05+1e-12 {
				t.Errorf("the tests of %d commits used an alpha of %v", tests, used)
			}
			return s.Suspects(), tests
		}
		v := verdict(c)
		if v != Broken {
			used += alpha
		}
		if tests++; tests > n {
			t.Fatalf("more tests than commits")
		}
		s.Add(c, v, v != Broken)
	}
}

func TestTheFirstBadCommitIsFoundInAsFewTestsAsBisectionTakes(t *testing.T) {
	for n, most := range map[int]int{1: 0, 2: 1, 3: 2, 12: 4, 16: 4, 17: 5, 1000: 10} {
		for culprit := 1; culprit <= n; culprit++ {
			suspects, tests := search(t, n, func(c int) Verdict {
				if c < culprit {
					return Good
				}
				return Bad
			})
			if !slices.Equal(suspects, []int{culprit}) || tests > most {
				t.Errorf("%d of %d: %d after %d tests, want at most %d", culprit, n, suspects, tests, most)
			}
		}
	}
}

func TestWhatCannotBeTestedStaysSuspectOnlyNextToTheFirstBadCommit(t *testing.T) {
	for _, c := range []struct {
		culprit       int
		broken        []int
		first, length int
	}{
		{6, []int{6, 7}, 6, 3}, // 6, 7 and 8
		{6, []int{5}, 5, 2},
		{6, []int{1, 2, 9}, 6, 1},
		{6, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 1, 12},
	} {
		for _, how := range []Verdict{Broken, Undecided} {
			suspects, _ := search(t, 12, func(commit int) Verdict {
				switch {
				case slices.Contains(c.broken, commit):
					return how
				case commit < c.culprit:
					return Good
				}
				return Bad
			})
			if len(suspects) != c.length || suspects[0] != c.first {
				t.Errorf("%s %d: suspects %d, want %d from %d", how, c.broken, suspects, c.length, c.first)
			}
		}
	}
}
