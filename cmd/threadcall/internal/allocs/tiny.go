package allocs

import (
	"math"
	"slices"
)

// tiny is the size of the block in which the runtime puts objects without pointers that are smaller.
const tiny = 16

// countTiny corrects the number of objects of rows whose objects share blocks. The profile has one object for each
// block, the runtime has counted them all. If only one row can have the others, they are its.
func (r *Run) countTiny() {
	missing := r.profile.Hidden
	if r.PerOp && r.profile.ByChance(missing) {
		return
	}
	var candidates []int
	for i, row := range r.Rows {
		if row.mayShare() && row.Amount.Objects > 0 {
			candidates = append(candidates, i)
			r.Rows[i].Shared = true
		}
	}
	if !r.PerOp || len(candidates) != 1 {
		return
	}
	row := &r.Rows[candidates[0]]
	if missing > 15*row.Amount.Objects { // more than fit
		return
	}
	if all := row.Amount.Objects + missing; r.profile.ByChance(all - math.Round(all)) {
		missing = math.Round(all) - row.Amount.Objects
	}
	row.Amount.Objects += missing
	r.Total.Objects += missing
	row.Shared = false
}

// mayShare tells whether the row's objects may be tiny ones.
func (r Row) mayShare() bool {
	return slices.Contains(r.Sizes, tiny) && r.Kind != "sudog" && r.Kind != "channel"
}
