package allocs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/escape"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
)

// join makes the rows of all runs from their profiles and the compiler's reasons.
func (r *Report) join(log *escape.Log) {
	for i := range r.Runs {
		run := &r.Runs[i]
		run.Rows = r.rows(log, run.profile)
		run.Counted = run.profile.Counted
		for _, row := range run.Rows {
			run.Total = run.Total.Plus(row.Amount)
		}
		r.Go = run.profile.Go
	}
}

// mostStacks is how many a row has at most.
const mostStacks = 10

func byBytes(a, b Stack) int { return cmp.Compare(b.Amount.Bytes, a.Amount.Bytes) }

type place struct {
	where, site heap.Frame
	kind        string
}

// rows returns a row for each place.
func (r *Report) rows(log *escape.Log, s heap.Samples) []Row {
	rows := map[place]*Row{}
	chains := map[place][]heap.Stack{} // by which the place is inlined here and there
	for _, sample := range s.Samples {
		if len(sample.Stack) == 0 {
			continue
		}
		site := sample.Stack.Site()
		p := place{where: sample.Stack[site], site: sample.Stack[site]}
		kind := sample.Stack[:site].Kind()
		p.kind = kind.Name
		if own := sample.Stack.Own(); own < len(sample.Stack) {
			p.where = sample.Stack[own]
		}
		row := rows[p]
		if row == nil {
			row = &Row{Where: p.where, Site: p.site, Kind: p.kind, Why: kind.Why, limit: kind.Limit,
				cached: sample.Stack[:site+1].OfCache()}
			rows[p] = row
		}
		chain := sample.Stack.Chain(site)
		same := func(c heap.Stack) bool { return slices.Equal(c, chain) }
		if len(chains[p]) < 1000 && !slices.ContainsFunc(chains[p], same) {
			chains[p] = append(chains[p], chain)
		}
		row.Amount = row.Amount.Plus(sample.Each)
		if !slices.Contains(row.Sizes, sample.Size) {
			row.Sizes = append(row.Sizes, sample.Size)
		}
		row.Stacks = append(row.Stacks, Stack{sample.Each, sample.Stack})
	}
	out := make([]Row, 0, len(rows))
	for p, row := range rows {
		r.explain(log, row, chains[p])
		slices.Sort(row.Sizes)
		out = append(out, *row)
	}
	slices.SortFunc(out, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Where.File, b.Where.File), cmp.Compare(a.Where.Line, b.Where.Line),
			cmp.Compare(a.Site.Function, b.Site.Function), cmp.Compare(a.Site.Line, b.Site.Line),
			cmp.Compare(a.Kind, b.Kind))
	})
	out = shareBlocks(s, out)
	// What only the runtime requested is rather due to other goroutines.
	out = slices.DeleteFunc(out, func(row Row) bool {
		n := row.Amount.Objects
		return n < 0.01 || row.cached && n < 0.5 || row.Where.Standard && s.ByChance(n)
	})
	for i := range out {
		slices.SortStableFunc(out[i].Stacks, byBytes)
		out[i].Stacks = out[i].Stacks[:min(len(out[i].Stacks), mostStacks)]
	}
	slices.SortStableFunc(out, func(a, b Row) int {
		return cmp.Compare(b.Amount.Bytes, a.Amount.Bytes)
	})
	return out
}

// explain finds the compiler's reason, or why there is none.
func (r *Report) explain(log *escape.Log, row *Row, chains []heap.Stack) {
	switch row.Kind {
	case "sudog", "goroutine", "timer", "thread", "itab":
		return
	}
	var found []escape.Escape
	exact, larger := true, ""
	for _, chain := range chains {
		var lines []escape.Position
		for _, f := range chain {
			lines = append(lines, escape.Position{File: f.File, Line: f.Line})
		}
		more, same := log.At(lines)
		// The compiler logs all that escapes here. What does not may still not fit on the stack.
		if of := chain[len(chain)-1]; !same && r.asked(of.Package()) &&
			(row.Kind == "string" || row.Kind == "make") {
			larger = "it does not escape, but is larger than " + row.limit
			continue
		}
		// A variable is an "object" if the profile lacks the runtime's function that compiled code calls:
		// in Go 1.24 and 1.25 each that allocates itself, in Go 1.27 that for new.
		if variables := log.Inlined(lines); variables != nil &&
			(row.Kind == "new" || row.Kind == "object") {
			if !same {
				more, same = nil, true
			}
			more = append(more, variables...)
		}
		found, exact = append(found, more...), exact && same
	}
	found = suiting(found, row.Kind)
	if len(found) > 0 {
		row.Escapes = found
		var texts []string
		for _, e := range found {
			if text := e.String(); !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
		row.Why = strings.Join(texts[:min(len(texts), 3)], "; ")
		if n := len(texts) - 3; n > 0 {
			row.Why += fmt.Sprintf("; and %d more in this line", n)
		}
		if !exact {
			row.Why += " (so where it is inlined elsewhere)"
		} else if larger != "" {
			row.Why += "; where it is inlined elsewhere, " + larger
		}
		return
	}
	pkg := row.Site.Package()
	switch {
	case larger != "" && row.Why == "":
		row.Why = larger
	case larger != "":
		row.Why += "; " + larger
	case row.Site.OfCgo() && row.Site != row.Where:
		row.Why = "cgo allocates for the call"
		if _, name, found := strings.Cut(row.Site.Function, "._Cfunc_"); found {
			row.Why = "cgo allocates what C." + name + " returns"
		}
	case pkg == "C" || row.Site.Function == "":
		row.Why = cmp.Or(row.Why, "no Go function on the stack")
	case row.Why == "" && !r.asked(pkg):
		row.Why = "inside package " + pkg + ", about which the compiler was not asked"
	case row.Why == "":
		row.Why = "the compiler gives no reason for this line"
	}
}

// asked reports whether the compiler was asked about a package.
func (r *Report) asked(pkg string) bool {
	return slices.Contains(r.Asked, pkg) || slices.Contains(r.Asked, strings.TrimSuffix(pkg, "_test"))
}

// suiting leaves out what another kind of allocation in the same line is the reason for.
func suiting(found []escape.Escape, kind string) []escape.Escape {
	found = slices.DeleteFunc(found, escape.Escape.Constant)
	var some []escape.Escape
	for _, e := range found {
		if e.Suits(kind) {
			some = append(some, e)
		}
	}
	if some == nil && slices.Contains([]string{"new", "interface", "array", "object"}, kind) {
		return found // whatever it is, the compiler has called what makes one object
	}
	return some
}

// blockSize is that of the block in which the runtime puts objects without pointers that are
// smaller.
const blockSize = 16

// Tiny is the kind of the row of all places whose objects share blocks.
const Tiny = "tiny"

// shareBlocks makes one row of those whose objects share blocks. The profile has one object for
// each block, and the place of the object that came first, which may be another one in each run;
// the runtime has counted them all. So neither number is one place's alone.
func shareBlocks(s heap.Samples, rows []Row) []Row {
	shares := func(row Row) bool {
		return slices.Contains(row.Sizes, blockSize) && row.Kind != "sudog" && row.Kind != "channel" &&
			!s.ByChance(row.Amount.Objects)
	}
	var block Row
	var places []string
	missing := s.Hidden
	for _, row := range rows {
		if !shares(row) {
			continue
		}
		why := row.Why
		if places == nil {
			block = row
		} else {
			block.Amount = block.Amount.Plus(row.Amount)
			block.Escapes = append(block.Escapes, row.Escapes...)
			block.Stacks = append(block.Stacks, row.Stacks...)
			if row.Where.Line != block.Where.Line || row.Where.File != block.Where.File {
				why = strings.TrimSpace(at(row.Where.File, row.Where.Line, "")) + ": " + why
			}
		}
		if !slices.ContainsFunc(places, func(p string) bool { return strings.Contains(p, why) }) {
			places = append(places, why)
		}
	}
	if places == nil || s.ByChance(missing) || missing > 15*block.Amount.Objects { // do not fit
		return rows
	}
	if all := block.Amount.Objects + missing; s.ByChance(all - math.Round(all)) {
		missing = math.Round(all) - block.Amount.Objects
	}
	block.Amount.Objects += missing
	if len(places) > 1 {
		block.Kind, block.Why = Tiny, "objects below 16 bytes, of which one or more are from: "+
			strings.Join(places, "; ")
	}
	return append(slices.DeleteFunc(rows, shares), block)
}
