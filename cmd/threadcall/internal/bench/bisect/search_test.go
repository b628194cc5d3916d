package bisect

import (
	"math"
	"slices"
	"testing"
)

// A fair coin that is looked at after each of n observations: the distribution of where it is
// without a rejection, step by step, gives the exact probability of a rejection at any time.
func TestCoin_Rejects(t *testing.T) {
	for _, alpha := range []float64{0.05, 0.01} {
		at := []float64{1} // the probability of that number of ups without a rejection before
		rejected := 0.0
		for n := 1; n <= 200; n++ {
			next := make([]float64, n+1)
			for up, p := range at {
				next[up] += p / 2
				next[up+1] += p / 2
			}
			for up, p := range next {
				if p > 0 && (Coin{up, n - up}).Rejects(alpha) {
					rejected += p
					next[up] = 0
				}
			}
			at = next
		}
		if rejected > alpha || rejected < alpha/4 {
			t.Errorf("alpha %v: rejected with probability %v", alpha, rejected)
		}
	}
}

func TestInterval(t *testing.T) {
	var values []float64
	for i := range Needs(0.025) {
		if low, high := Interval(values, 0.05); !math.IsInf(low, -1) || !math.IsInf(high, 1) {
			t.Errorf("%v: from %v to %v", values, low, high)
		}
		values = append(values, float64(i))
	}
	if low, high := Interval(values, 0.05); low != 0 || high != float64(len(values)-1) {
		t.Errorf("%v: from %v to %v", values, low, high)
	}
}

func TestSorter(t *testing.T) {
	for _, c := range []struct {
		name          string
		good, it, bad float64
		want          Verdict
	}{
		{"as the good one", 1, 1, 2, Good},
		{"as the bad one", 1, 2, 2, Bad},
		{"between", 1, 1.5, 2, Bad},
		{"all the same", 1, 1, 1, Undecided},
	} {
		s := Sorter{Alpha: 0.01}
		for range Needs(0.01) {
			if s.Verdict() != Undecided {
				t.Errorf("%s: decided after %d rounds", c.name, s.Rounds)
			}
			s.Add(c.good, c.it, c.bad)
		}
		if s.Verdict() != c.want {
			t.Errorf("%s: %s", c.name, s.Verdict())
		}
	}
}

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

func TestSearch(t *testing.T) {
	for n, most := range map[int]int{1: 0, 2: 1, 3: 2, 12: 4, 16: 4, 17: 5, 1000: 10} {
		for culprit := 1; culprit <= n; culprit++ {
			suspects, tests := search(t, n, func(c int) Verdict {
				if c < culprit {
					return Good
				}
				return Bad
			})
			if !slices.Equal(suspects, []int{culprit}) || tests > most {
				t.Errorf("%d of %d: %d after %d tests, want at most %d", culprit, n, suspects,
					tests, most)
			}
		}
	}
}

func TestSearch_broken(t *testing.T) {
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
				t.Errorf("%s %d: suspects %d, want %d from %d", how, c.broken, suspects, c.length,
					c.first)
			}
		}
	}
}
