// Package bisect finds the first commit of a range that belongs to its bad end, by measurements
// that can be wrong.
package bisect

import "math/bits"

// A Verdict is what a test of a commit has shown.
type Verdict string

const (
	Good      Verdict = "good"      // it belongs to the good end
	Bad       Verdict = "bad"       // it belongs to the bad end
	Undecided Verdict = "undecided" // it was measured as often as is allowed
	Broken    Verdict = "broken"    // it cannot be measured
)

// A Search looks for the first bad commit of a range. The commits have the numbers 1 to N, from the
// oldest; number 0 is known to be good, and N to be bad.
type Search struct {
	Low, High int     // the last commit that is known to be good, the first that is known to be bad
	Alpha     float64 // what is left of the probability of a wrong decision

	tested map[int]bool
}

// NewSearch returns a search of n commits in which the probability that any decision is wrong is at
// most alpha, if that of each test is at most the one that Next returns.
func NewSearch(n int, alpha float64) *Search {
	return &Search{High: n, Alpha: alpha, tested: map[int]bool{}}
}

// Next returns the commit to test, and with which probability of a wrong decision. It is not ok if
// the search is over: High is the first bad commit, or if commits in the range were skipped, it is
// High or one of these.
func (s *Search) Next() (commit int, alpha float64, ok bool) {
	middle := (s.Low + s.High) / 2
	for distance := 0; distance < s.High-s.Low; distance++ {
		for _, c := range []int{middle + distance, middle - distance} {
			if s.Low < c && c < s.High && !s.tested[c] {
				return c, s.Alpha / float64(s.Left()), true
			}
		}
	}
	return 0, 0, false
}

// Left returns how many tests are left if none is skipped.
func (s *Search) Left() int {
	untested := uint(0)
	for c := s.Low + 1; c < s.High; c++ {
		if !s.tested[c] {
			untested++
		}
	}
	return bits.Len(untested)
}

// Add adds the result of the test that Next has asked for. A test that was measured has used up its
// alpha, whatever it has shown, because it could have been wrong.
func (s *Search) Add(commit int, v Verdict, measured bool) {
	if measured {
		s.Alpha -= s.Alpha / float64(s.Left())
	}
	s.tested[commit] = true
	switch v {
	case Good:
		s.Low = commit
	case Bad:
		s.High = commit
	}
}

// Suspects returns the commits of which one is the first bad one: one if the search was decided.
func (s *Search) Suspects() (commits []int) {
	for c := s.Low + 1; c <= s.High; c++ {
		commits = append(commits, c)
	}
	return commits
}
