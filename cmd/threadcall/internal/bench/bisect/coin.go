package bisect

import (
	"math"
	"slices"
)

// A Coin is a test of the hypothesis that of the observations which differ, each is on either side
// with probability 1/2, whatever came before. The zero value has seen none.
//
// It may be looked at after every observation, and the test stopped at any of them, without a
// higher error rate. It is a bet against a hypothesis, of which the wealth starts at 1 and is
// multiplied by every observation. If the hypothesis holds, the wealth never reaches 1/alpha with a
// probability above alpha, however long the test goes on (Ville's inequality). So the error rate
// needs neither a number of observations that is fixed before, nor any assumption about the noise
// other than the hypothesis itself.
//
// The bets are a mixture of all coins that prefer the side Up, each with the same weight. So a Coin
// shows that Up is more frequent, and never that it is less frequent; that takes another one.
type Coin struct {
	Up, Down int
}

// Add counts an observation: positive is up, negative is down, and zero is neither.
func (c *Coin) Add(difference float64) {
	switch {
	case difference > 0:
		c.Up++
	case difference < 0:
		c.Down++
	}
}

// Wealth returns the logarithm of the wealth of the bet, which is the integral of (2p)^Up
// (2-2p)^Down over p from 1/2 to 1, times 2.
func (c Coin) Wealth() float64 {
	a, b := c.Up+1, c.Down+1
	n := a + b - 1
	// The integral of p^Up (1-p)^Down from 1/2 to 1 is the beta function times the probability that
	// a fair coin falls on one side less than a times of n.
	return float64(n)*math.Ln2 + lgamma(a) + lgamma(b) - lgamma(a+b) + math.Log(below(n, a))
}

// Rejects reports whether the hypothesis is rejected with this probability of an error.
func (c Coin) Rejects(alpha float64) bool { return c.Wealth() >= -math.Log(alpha) }

// Needs returns how many observations reject the hypothesis with this probability of an error if
// all are up.
func Needs(alpha float64) int {
	for n := 1; ; n++ {
		if (Coin{Up: n}).Rejects(alpha) {
			return n
		}
	}
}

func lgamma(n int) float64 {
	v, _ := math.Lgamma(float64(n))
	return v
}

// below returns the probability that a fair coin falls on one side less than k times of n.
func below(n, k int) float64 {
	if k > n-k+1 { // the rest is shorter, and the coin is symmetric
		return 1 - below(n, n-k+1)
	}
	term := math.Exp(-float64(n) * math.Ln2)
	sum := 0.0
	for i := range k {
		sum += term
		term *= float64(n-i) / float64(i+1)
	}
	return sum
}

// Interval returns the values of a median that two coins, of which each has half of alpha, do not
// reject. It holds the true median with probability 1-alpha at the time at which a sequential test
// has stopped, which an interval for a fixed number of observations does not. It is infinite where
// there are too few observations.
func Interval(values []float64, alpha float64) (low, high float64) {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	low, high = math.Inf(-1), math.Inf(1)
	for k := 0; k < n && (Coin{Up: n - k, Down: k}).Rejects(alpha/2); k++ {
		low, high = sorted[k], sorted[n-1-k] // k values lie below the median, n-k above
	}
	return low, high
}

// A Sorter decides whether a commit is the same as the good or the same as the bad end of a range.
// In each round, all three are measured one right after the other, in an order that chance decides.
//
// If it is the same as the good end, each is the larger of the two with the same probability,
// whatever the noise: so a Coin can reject that; and just so for the bad end. The first of them
// that is rejected decides. If it is the same as one of them, the probability of a decision for the
// other is at most Alpha, for any noise and any number of rounds.
type Sorter struct {
	Alpha  float64
	Rounds int

	good, bad Coin // against: it is as the good end; against: it is as the bad end
}

// Add adds the values of a round. Those of the bad end are the larger ones.
func (s *Sorter) Add(good, it, bad float64) {
	s.good.Add(it - good)
	s.bad.Add(bad - it)
	s.Rounds++
}

// Verdict returns the decision, or Undecided. If a round rejects both, because the commit is
// between the ends, the larger wealth decides, and the commit is bad if they are the same: a change
// has come before it.
func (s *Sorter) Verdict() Verdict {
	a, b, enough := s.good.Wealth(), s.bad.Wealth(), -math.Log(s.Alpha)
	switch notGood, notBad := a >= enough, b >= enough; {
	case notGood && (!notBad || a >= b):
		return Bad
	case notBad:
		return Good
	}
	return Undecided
}
