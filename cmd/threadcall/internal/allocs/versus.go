package allocs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/revision"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// A Comparison is what a change did to the allocations of benchmarks.
type Comparison struct {
	Go         string   `json:"go"`
	Old        string   `json:"old"` // a description of the revision
	New        string   `json:"new"`
	Benchmarks []Change `json:"benchmarks"`
	// What did not run in the old tree, or in the new one.
	OldFailures []Failure `json:"oldFailures,omitempty"`
	Failures    []Failure `json:"failures,omitempty"`
	Notes       []string  `json:"notes,omitempty"`
}

// A Change is of one benchmark.
type Change struct {
	Package string    `json:"package"`
	Name    string    `json:"name"`
	Old     *Headline `json:"old,omitempty"` // nil if the benchmark is new
	New     *Headline `json:"new,omitempty"`
	Places  []Shift   `json:"places,omitempty"` // that changed, the largest change first
}

// A Shift is of what one place allocates for each operation. A place that is not in a tree is empty
// there.
type Shift struct {
	Old    *Row        `json:"old,omitempty"`
	New    *Row        `json:"new,omitempty"`
	Change heap.Amount `json:"change"`
}

// Versus measures benchmarks in the working tree and in a revision of it, and compares them by
// place.
func (s Settings) Versus(ctx context.Context, rev string) (*Comparison, error) {
	repository, err := revision.Open(ctx, s.Dir)
	if err != nil {
		return nil, err
	}
	old, err := repository.Commit(ctx, rev)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Old: fmt.Sprintf("%s, %s %q", rev, old.Short(), old.Subject),
		New: "the working tree"}
	scratch, err := gotest.NewScratch()
	if err != nil {
		return nil, err
	}
	defer scratch.Remove()
	s.Progress("checking out " + rev)
	then, err := repository.Checkout(ctx, old, scratch, "old", s.tree())
	if err != nil {
		return nil, err
	}
	now, err := s.Run(ctx)
	if err != nil {
		return nil, err
	}
	before := s
	before.base, before.Dir = &then, then.Dir
	before.Progress = func(text string) { s.Progress(rev + ": " + text) }
	was, err := before.Run(ctx)
	switch {
	case err != nil && (errors.As(err, new(*gotest.CompileError)) || errors.Is(err, errNothing)):
		c.Notes = append(c.Notes, fmt.Sprintf("nothing was measured in %s: %v", rev, err))
		was = &Report{}
	case err != nil:
		return nil, fmt.Errorf("in %s: %w", rev, err)
	}
	for _, run := range was.Runs {
		for i := range run.Rows { // the reader has no worktree
			for _, f := range []*heap.Frame{&run.Rows[i].Where, &run.Rows[i].Site} {
				if below, ok := strings.CutPrefix(f.File, filepath.Join(scratch.Dir, "old")); ok {
					f.File = filepath.VolumeName(repository.Top) + below
				}
			}
		}
	}
	if was.Go != "" && was.Go != now.Go {
		c.Notes = append(c.Notes, fmt.Sprintf("%s is built by %s and the working tree by %s, as their "+
			"go.mod files require: the compiler may make the difference", rev, was.Go, now.Go))
	}
	c.Go, c.OldFailures, c.Failures = now.Go, was.Failures, now.Failures
	c.Benchmarks = changes(was.Runs, now.Runs)
	return c, nil
}

// changes compares the runs of two trees.
func changes(was, now []Run) (all []Change) {
	find := func(in []Run, r *Run) *Run {
		for i := range in {
			if in[i].Package == r.Package && in[i].Name == r.Name {
				return &in[i]
			}
		}
		return nil
	}
	for i := range now {
		n := &now[i]
		o := cmp.Or(find(was, n), &Run{})
		all = append(all, Change{n.Package, n.Name, o.Headline, n.Headline, shifts(o, n)})
	}
	for i := range was {
		if o := &was[i]; find(now, o) == nil {
			all = append(all, Change{Package: o.Package, Name: o.Name, Old: o.Headline})
		}
	}
	return all
}

// shifts returns the places whose amounts differ by more than the measurements of the same tree do.
func shifts(o, n *Run) (all []Shift) {
	noise := max(0.01, o.Measured.High-o.Measured.Low+n.Measured.High-n.Measured.Low)
	for _, s := range pairs(o.Rows, n.Rows) {
		a, b := cmp.Or(s.Old, &Row{}).Amount, cmp.Or(s.New, &Row{}).Amount
		s.Change = b.Minus(a)
		sameSize := math.Abs(s.Change.Objects) < noise && math.Abs(s.Change.Bytes) < max(1,
			0.01*max(a.Bytes, b.Bytes), noise*max(a.Bytes, b.Bytes))
		if !sameSize {
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b Shift) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Change.Bytes), math.Abs(a.Change.Bytes)),
			cmp.Compare(math.Abs(b.Change.Objects), math.Abs(a.Change.Objects)))
	})
	return all
}

// pairs finds the rows of two trees that are of the same place. Lines may have other numbers: the
// same function, kind, and text of the line are the same place, and then what is left in the same
// function, in the order of its lines.
func pairs(was, now []Row) (all []Shift) {
	function := func(r Row) string { return r.Where.Function + "\n" + r.Site.Function + "\n" + r.Kind }
	exact := func(r Row) string { return function(r) + "\n" + r.Source }
	order := func(rows []Row) (list []*Row) {
		for i := range rows {
			list = append(list, &rows[i])
		}
		slices.SortStableFunc(list, func(a, b *Row) int {
			return cmp.Compare(a.Where.Line, b.Where.Line)
		})
		return list
	}
	old, left := order(was), order(now)
	for _, key := range []func(Row) string{exact, function} {
		left = slices.DeleteFunc(left, func(r *Row) bool {
			i := slices.IndexFunc(old, func(o *Row) bool { return key(*o) == key(*r) })
			if i >= 0 {
				all = append(all, Shift{Old: old[i], New: r})
				old = slices.Delete(old, i, i+1)
			}
			return i >= 0
		})
	}
	for _, r := range left {
		all = append(all, Shift{New: r})
	}
	for _, r := range old {
		all = append(all, Shift{Old: r})
	}
	return all
}

// Changed reports whether the benchmark allocates differently.
func (c Change) Changed() bool {
	return len(c.Places) > 0 || c.Old == nil || c.New == nil ||
		c.Old.Bytes.apart(c.New.Bytes) || c.Old.Allocs.apart(c.New.Allocs)
}

// apart reports whether no figure of the one is one of the other.
func (i Interval) apart(o Interval) bool { return i.High < o.Low || o.High < i.Low }

// Row returns the place in the new tree, or if it is not there, in the old one.
func (s Shift) Row() *Row { return cmp.Or(s.New, s.Old) }

// Why is the compiler's reason, or both if they differ.
func (s Shift) Why() string {
	switch {
	case s.New == nil:
		return "no longer: " + s.Old.Why
	case s.Old == nil:
		return "new here: " + s.New.Why
	case lineless(s.Old.Why) != lineless(s.New.Why):
		return s.New.Why + "; before: " + s.Old.Why
	}
	return s.New.Why
}

// lineless is the reason without numbers, which change when a line moves.
func lineless(why string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, why)
}
