package allocs

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/escape"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
)

// A joiner puts samples and reasons together.
type joiner struct {
	log   *escape.Log
	asked map[string]bool        // import paths
	std   func(path string) bool // reports whether a package is of the standard library, and not what is tested
}

// looksStandard goes by the name of the package, where the go command did not report it.
func looksStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return path != "main" && !strings.Contains(first, ".")
}

type place struct {
	where, site heap.Frame
	direct      string
	kind        string
}

// rows returns a row for each place.
func (j joiner) rows(s heap.Samples, perOp bool) []Row {
	rows := map[place]*Row{}
	chains := map[place][]heap.Stack{} // by which the place is inlined here and there
	for _, sample := range s.Samples {
		if len(sample.Stack) == 0 {
			continue
		}
		amount := sample.Each
		if !perOp {
			amount = sample.Once
		}
		site := sample.Stack.Site()
		at := sample.Stack[site]
		direct, kind, why := kindOf(sample.Stack[:site])
		where := at
		for _, f := range sample.Stack[site:] {
			if !f.OfRuntime() && !j.std(f.Package()) && !f.OfCgo() {
				where = f
				break
			}
		}
		p := place{where, at, direct, kind}
		r := rows[p]
		if r == nil {
			r = &Row{Where: where, Site: at, Runtime: direct, Kind: kind, Why: why}
			rows[p] = r
		}
		chain := sample.Stack.Chain(site)
		if len(chains[p]) < 1000 && !slices.ContainsFunc(chains[p], func(c heap.Stack) bool { return slices.Equal(c, chain) }) {
			chains[p] = append(chains[p], chain)
		}
		r.Amount, r.Live = r.Amount.Plus(amount), r.Live.Plus(sample.Live)
		if perOp {
			r.Once = r.Once.Plus(sample.Once)
		}
		if !slices.Contains(r.Sizes, sample.Size) {
			r.Sizes = append(r.Sizes, sample.Size)
		}
		r.Stacks = append(r.Stacks, Stack{amount, sample.Stack})
	}
	var out []Row
	for p, r := range rows {
		background := p.where.OfRuntime() || j.std(p.where.Package()) // only the runtime requested it
		if perOp && (s.OnceOnly(r.Amount.Objects) || background && s.ByChance(r.Amount.Objects)) {
			// The stacks keep what was measured.
			n := float64(s.Operations)
			r.Once = r.Once.Plus(heap.Amount{Objects: r.Amount.Objects * n, Bytes: r.Amount.Bytes * n})
			r.Amount = heap.Amount{}
		}
		if perOp && Negligible(r.Amount) && Negligible(r.Once) {
			continue
		}
		j.explain(r, chains[p])
		slices.Sort(r.Sizes)
		slices.SortStableFunc(r.Stacks, func(a, b Stack) int { return cmp.Compare(b.Amount.Bytes, a.Amount.Bytes) })
		r.Stacks = r.Stacks[:min(len(r.Stacks), 10)]
		if !perOp && s.Seconds > 0 {
			r.Rate = heap.Amount{Objects: r.Amount.Objects / s.Seconds, Bytes: r.Amount.Bytes / s.Seconds}
		}
		r.Source = sourceAround(r.Where.File, r.Where.Line)
		out = append(out, *r)
	}
	slices.SortFunc(out, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Amount.Bytes, a.Amount.Bytes), cmp.Compare(b.Once.Bytes, a.Once.Bytes),
			cmp.Compare(a.Where.File, b.Where.File), cmp.Compare(a.Where.Line, b.Where.Line), cmp.Compare(a.Site.Function, b.Site.Function),
			cmp.Compare(a.Site.Line, b.Site.Line), cmp.Compare(a.Runtime, b.Runtime), cmp.Compare(a.Kind, b.Kind))
	})
	return out
}

// Negligible reports whether the amount is nothing but rounding.
func Negligible(a heap.Amount) bool { return a.Objects < 0.0005 && a.Objects > -0.0005 }

// explain finds the compiler's reason, or why there is none.
func (j joiner) explain(r *Row, chains []heap.Stack) {
	if r.Kind == "sudog" || r.Kind == "goroutine" || r.Kind == "timer" || r.Kind == "thread" || r.Kind == "itab" {
		return
	}
	var found []escape.Escape
	exact := true
	for _, chain := range chains {
		var lines []escape.Position
		for _, f := range chain {
			lines = append(lines, escape.Position{File: f.File, Line: f.Line})
		}
		more, same := j.log.At(lines)
		if variables := j.log.Inlined(lines); r.Kind == "new" && variables != nil {
			if !same {
				more, same = nil, true
			}
			more = append(more, variables...)
		}
		found, exact = append(found, more...), exact && same
	}
	found = suiting(found, r.Kind)
	if len(found) > 0 {
		r.Escapes = found
		var texts []string
		for _, e := range found {
			if text := e.String(); !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
		r.Why = strings.Join(texts[:min(len(texts), 3)], "; ")
		if n := len(texts) - 3; n > 0 {
			r.Why += fmt.Sprintf("; and %d more in this line", n)
		}
		if !exact {
			r.Why += " (so where it is inlined elsewhere)"
		}
		return
	}
	p := r.Site.Package()
	lost := j.log.Lost(p, r.Site.File)
	switch {
	case lost != "" && r.Why == "":
		r.Why = lost
	case r.Site.OfCgo() && r.Site != r.Where:
		r.Why = "cgo allocates for the call"
		if _, name, found := strings.Cut(r.Site.Function, "._Cfunc_"); found {
			r.Why = "cgo allocates what C." + name + " returns"
		}
	case p == "C" || r.Site.Function == "":
		r.Why = cmp.Or(r.Why, "no Go function on the stack")
	case r.Why == "" && !j.askedFor(p):
		r.Why = "inside package " + p + ", about which the compiler was not asked"
	case r.Why == "":
		r.Why = "the compiler gives no reason for this line"
	}
}

func (j joiner) askedFor(p string) bool { return j.asked[p] || j.asked[strings.TrimSuffix(p, "_test")] }

// suiting leaves out what another kind of allocation in the same line is the reason for.
func suiting(found []escape.Escape, kind string) []escape.Escape {
	found = slices.DeleteFunc(found, escape.Escape.Constant)
	var some []escape.Escape
	for _, e := range found {
		if e.Suits(kind) {
			some = append(some, e)
		}
	}
	if some == nil && (kind == "new" || kind == "interface" || kind == "array") {
		return found // whatever it is, the compiler has called what makes one object
	}
	return some
}

// around is how many lines of the source are shown before a row's, and after it.
const around = 3

// sourceAround returns lines of the file, none if it cannot be read.
func sourceAround(file string, line int) []Line {
	text, err := os.ReadFile(file)
	if err != nil || line < 1 {
		return nil
	}
	var out []Line
	n := 0
	for l := range strings.Lines(string(text)) {
		n++
		if n >= line-around && n <= line+around {
			out = append(out, Line{n, strings.TrimRight(l, "\r\n")})
		}
	}
	return out
}

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

// mayShare reports whether the row's objects may be tiny ones.
func (r Row) mayShare() bool {
	return slices.Contains(r.Sizes, tiny) && r.Kind != "sudog" && r.Kind != "channel"
}
