package bisect

import "math"

// A Sorter decides whether a commit is the same as the good or the same as the bad end of a range.
// In each round, all three are measured one right after the other, in an order that chance decides.
//
// If it is the same as the good end, each is the larger of the two with the same probability,
// whatever the noise: so a Coin can reject that; and just so for the bad end. The first of them
// that is rejected decides. If it is the same as one of them, the probability of a decision for the
// other is at most Alpha, for any noise and any number of rounds.
type Sorter struct {
	Alpha float64

	good, bad Coin // against: it is as the good end; against: it is as the bad end
	rounds    int
}

// Add adds the values of a round. Those of the bad end are the larger ones.
func (s *Sorter) Add(good, it, bad float64) {
	s.good.Add(it - good)
	s.bad.Add(bad - it)
	s.rounds++
}

// Rounds returns how many have been added.
func (s *Sorter) Rounds() int { return s.rounds }

// Verdict returns the decision, or Undecided. If a round rejects both, the larger wealth decides,
// and there is no decision if both are the same.
func (s *Sorter) Verdict() Verdict {
	a, b, enough := s.good.Wealth(), s.bad.Wealth(), -math.Log(s.Alpha)
	switch notGood, notBad := a >= enough, b >= enough; {
	case notGood && (!notBad || a > b):
		return Bad
	case notBad && (!notGood || b > a):
		return Good
	}
	return Undecided
}

// Between reports whether it is neither as the good nor as the bad end, which both hypotheses show
// when they are rejected.
func (s *Sorter) Between() bool { return s.good.Rejects(s.Alpha) && s.bad.Rejects(s.Alpha) }
