package allocs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
	"github.com/threadcall/threadcall/cmd/threadcall/report"
	"github.com/threadcall/threadcall/cmd/threadcall/report/alloc"
)

// join makes the rows of a run from the repetition in the middle and the compiler's reasons.
func (s *session) join(run *alloc.Run, repetitions []heap.Samples) {
	slices.SortStableFunc(repetitions, func(a, b heap.Samples) int {
		return cmp.Compare(a.Counted.Objects, b.Counted.Objects)
	})
	middle := repetitions[len(repetitions)/2]
	run.Counted, run.Rows = middle.Counted, s.rows(middle)
	for _, row := range run.Rows {
		run.Total = run.Total.Plus(row.Amount)
	}
}

// A row is made of samples.
type row struct {
	alloc.Row
	cached bool         // from what the runtime, or a sync.Pool, keeps for all goroutines
	limit  string       // up to which it is on the stack, if it does not escape
	chains []heap.Stack // by which the place is inlined here and there
}

// rows returns a row for each place.
func (s *session) rows(samples heap.Samples) []alloc.Row {
	rows := map[alloc.Place]*row{}
	for _, sample := range samples.Samples {
		site := sample.Stack.Site()
		kind := sample.Stack[:site].Kind()
		p := alloc.Place{Where: sample.Stack.Own(), Site: sample.Stack[site], Kind: kind.Name}
		r := rows[p]
		if r == nil {
			r = &row{alloc.Row{Place: p, Why: kind.Why}, sample.Stack[:site+1].OfCache(), kind.Limit, nil}
			rows[p] = r
		}
		chain := sample.Stack.Chain(site)
		same := func(c heap.Stack) bool { return slices.Equal(c, chain) }
		if len(r.chains) < 1000 && !slices.ContainsFunc(r.chains, same) {
			r.chains = append(r.chains, chain)
		}
		r.Amount = r.Amount.Plus(sample.Each)
		if !slices.Contains(r.Sizes, sample.Size) {
			r.Sizes = append(r.Sizes, sample.Size)
		}
		r.Stacks = append(r.Stacks, alloc.Stack{Amount: sample.Each, Frames: sample.Stack})
	}
	all := slices.Collect(maps.Values(rows))
	shareBlocks(all, samples)
	out := []alloc.Row{}
	for _, r := range all {
		// What only the runtime requested is rather due to other goroutines.
		if n := r.Amount.Objects; heap.Negligible(n, r.cached) ||
			r.Where.Standard && samples.ByChance(n) {
			continue
		}
		s.explain(r)
		slices.Sort(r.Sizes)
		slices.SortStableFunc(r.Stacks, func(a, b alloc.Stack) int {
			return cmp.Compare(b.Amount.Bytes, a.Amount.Bytes)
		})
		r.Stacks = r.Stacks[:min(len(r.Stacks), mostStacks)]
		out = append(out, r.Row)
	}
	slices.SortFunc(out, func(a, b alloc.Row) int {
		return cmp.Or(cmp.Compare(b.Amount.Bytes, a.Amount.Bytes),
			cmp.Compare(a.Where.File, b.Where.File), cmp.Compare(a.Where.Line, b.Where.Line),
			cmp.Compare(a.Site.Function, b.Site.Function), cmp.Compare(a.Site.Line, b.Site.Line),
			cmp.Compare(a.Kind, b.Kind))
	})
	return out
}

// blockSize is that of the block in which the runtime puts objects without pointers that are
// smaller. The profile has one object for each block, and the place of the one that came first,
// which may be another one in each run; the runtime has counted them all.
const blockSize = 16

// shareBlocks gives the objects that the profile lacks to the rows that have blocks.
func shareBlocks(rows []*row, samples heap.Samples) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r *row) bool {
		return !slices.Contains(r.Sizes, blockSize) || r.Kind == "sudog" || r.Kind == "channel" ||
			samples.ByChance(r.Amount.Objects)
	})
	blocks := 0.0
	for _, r := range rows {
		blocks += r.Amount.Objects
	}
	if missing := samples.Hidden; !samples.ByChance(missing) && missing < 15*blocks {
		for _, r := range rows {
			r.Amount.Objects *= 1 + missing/blocks
		}
	}
}

// mostStacks is how many a row has at most.
const mostStacks = 10

// explain finds the compiler's reason, or why there is none.
func (s *session) explain(row *row) {
	switch row.Kind {
	case "sudog", "goroutine", "timer", "thread", "itab":
		return
	}
	var found []alloc.Escape
	exact, larger := true, ""
	for _, chain := range row.chains {
		var lines []report.Position
		for _, f := range chain {
			lines = append(lines, report.Position{File: f.File, Line: f.Line})
		}
		more, same := s.log.At(lines)
		// The compiler logs all that escapes here. What does not may still not fit on the stack.
		if of := chain[len(chain)-1]; !same && s.asks(of.Package()) &&
			(row.Kind == "string" || row.Kind == "make") {
			larger = "it does not escape, but is larger than " + row.limit
			continue
		}
		// A variable is an "object" if the profile lacks the runtime's function that compiled code calls:
		// in Go 1.24 and 1.25 each that allocates itself, in Go 1.27 that for new.
		if variables := s.log.Inlined(lines); variables != nil &&
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
	case row.Why == "" && !s.asks(pkg):
		row.Why = "inside package " + pkg + ", about which the compiler was not asked"
	case row.Why == "":
		row.Why = "the compiler gives no reason for this line"
	}
}

// asks reports whether the compiler was asked about a package.
func (s *session) asks(pkg string) bool {
	all := s.report.Asked
	return slices.Contains(all, pkg) || slices.Contains(all, strings.TrimSuffix(pkg, "_test"))
}

// suiting leaves out what another kind of allocation in the same line is the reason for.
func suiting(found []alloc.Escape, kind string) []alloc.Escape {
	found = slices.DeleteFunc(found, alloc.Escape.Constant)
	var some []alloc.Escape
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
