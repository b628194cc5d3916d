package stats

import (
	"cmp"
	"slices"
)

// judge counts the verdicts that chance could have made, and marks by Holm's procedure those that stay visible when the
// error rate is that of all of them together. Exact differences and geometric means are not among them.
func (c *Comparison) judge() Family {
	var tests []*Delta
	for _, t := range c.Tables {
		for _, row := range t.Rows {
			for i := range row.Deltas {
				if d := &row.Deltas[i]; d.Verdict != None && d.Method != Exactly && d.Verdict != TooFew {
					tests = append(tests, d)
				}
			}
		}
	}
	slices.SortFunc(tests, func(a, b *Delta) int { return cmp.Compare(a.P, b.P) })
	f := Family{Tests: len(tests), Expected: float64(len(tests)) * (1 - c.Confidence)}
	stopped := false
	for i, d := range tests {
		if !d.Visible() {
			break
		}
		f.Visible++
		stopped = stopped || d.P > (1-c.Confidence)/float64(len(tests)-i)
		if !stopped {
			d.Holm = true
			f.Confirmed++
		}
	}
	return f
}
