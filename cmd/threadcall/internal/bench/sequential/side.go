package sequential

import "math"

// A Side is what a Sorter has decided.
type Side int

const (
	Undecided Side = iota
	Low            // of the two, it belongs to the one with low values
	High           // of the two, it belongs to the one with high values
)

// A Sorter decides whether what it measures is the same as a low or the same as a high reference. In each round, all three are
// measured one right after the other, in an order that chance decides.
//
// If it is the same as the low one, each is the larger of the two with the same probability, whatever the noise: so a
// Coin can reject that; and just so for the high one. The first of them that is rejected decides. If it is the same as one
// of them, the probability of a decision for the other is at most Alpha, for any noise and any number of rounds.
type Sorter struct {
	Alpha float64

	low, high Coin // against: it is the low one; against: it is the high one
	rounds    int
}

// Add adds the values of a round.
func (s *Sorter) Add(low, it, high float64) {
	s.low.Add(it - low)
	s.high.Add(high - it)
	s.rounds++
}

// Rounds returns how many have been added.
func (s *Sorter) Rounds() int { return s.rounds }

// Side returns the decision. If a round rejects both, the larger wealth decides, and there is none if both are the same.
func (s *Sorter) Side() Side {
	a, b, enough := s.low.Wealth(), s.high.Wealth(), -math.Log(s.Alpha)
	switch notLow, notHigh := a >= enough, b >= enough; {
	case notLow && (!notHigh || a > b):
		return High
	case notHigh && (!notLow || b > a):
		return Low
	}
	return Undecided
}

// Between reports whether it is neither the low nor the high one, which both hypotheses show when they are rejected.
func (s *Sorter) Between() bool { return s.low.Rejects(s.Alpha) && s.high.Rejects(s.Alpha) }
