package bisect

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/build"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/judge"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/revision"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

const (
	bisectAlpha   = 0.05 // probability of a wrong commit
	bisectFirst   = 10   // rounds of the ends of the range at least
	bisectConfirm = 20   // rounds of the commit that was found and the one before it
)

// A searcher measures commits until it is known which of them made a benchmark worse.
type searcher struct {
	*Result
	set        *plan.Settings
	log        *plan.Log
	repository *revision.Repository
	scratch    *gotest.Scratch
	builder    *build.Builder

	data   *measure.Data // with what is known of units
	target value         // what commits are judged by
	whole  []float64     // logarithms of ratios of the bad end to the good one
	trees  map[int]*candidate
}

// A value is what a benchmark reports in a unit.
type value struct {
	job        *measure.Job
	name, unit string
}

// A candidate is a commit that is built.
type candidate struct {
	name   string // of the worktree
	binary *gotest.Binary
}

// Run looks for the first commit of the range in the settings that differs from the good end as the
// bad end does. It returns a result if the ends were measured, even if it also returns an error,
// which says why there is no commit.
func Run(ctx context.Context, set *plan.Settings, log *plan.Log) (found *Result, err error) {
	x := &searcher{set: set, log: log, trees: map[int]*candidate{}, Result: &Result{
		Command: set.Command, Range: set.Bisect, Alpha: bisectAlpha,
		Commits: []Tested{}, Suspects: []int{}}}
	if err := x.choose(ctx); err != nil {
		return nil, err
	}
	scratch, end, err := measure.Begin(ctx, set, log)
	if err != nil {
		return nil, err
	}
	defer end()
	x.scratch, x.Began = scratch, time.Now()
	if err := x.buildEnds(ctx); err != nil {
		return nil, err
	}
	for _, stage := range []func(context.Context) error{x.ends, x.search, x.confirm} {
		if err = stage(ctx); err != nil {
			break
		}
	}
	log.Progress("")
	x.Notes, x.Seconds = log.Notes, time.Since(x.Began).Seconds()
	return x.Result, err
}

// choose reads the range.
func (x *searcher) choose(ctx context.Context) (err error) {
	first, last, ok := strings.Cut(x.set.Bisect, "..")
	if !ok || first == "" || strings.HasPrefix(last, ".") {
		return fmt.Errorf("-bisect %q is not a range; write good..bad, such as v1.0..main",
			x.set.Bisect)
	}
	if last == "" {
		last = "HEAD"
	}
	if x.repository, err = revision.Open(ctx, x.set.Dir); err != nil {
		return err
	}
	good, err := x.repository.Commit(ctx, first)
	if err != nil {
		return err
	}
	bad, err := x.repository.Commit(ctx, last)
	if err != nil {
		return err
	}
	log, err := x.repository.Range(ctx, good, bad)
	if err != nil {
		return err
	}
	x.Commits = []Tested{{Logged: revision.Logged{Commit: good}, Verdict: Good}}
	for i, c := range log {
		x.Commits = append(x.Commits, Tested{Logged: c})
		x.Suspects = append(x.Suspects, i+1)
	}
	x.Commits[len(log)].Verdict = Bad
	steps := max(1, NewSearch(len(log), bisectAlpha).Left())
	least := max(bisectFirst, Needs(bisectAlpha/float64(steps)))
	if x.set.Count < least {
		return fmt.Errorf("-count %d decides nothing: a step needs at least %d rounds, and stops "+
			"as soon as it is decided", x.set.Count, least)
	}
	return nil
}

// checkout makes the tree of a commit.
func (x *searcher) checkout(ctx context.Context, commit int) (name string, tree gotest.Tree,
	v plan.Version, err error) {
	c := x.Commits[commit].Commit
	name = fmt.Sprintf("tree%04d", commit) // of the same length for all
	x.log.Progress("checking out " + c.Short())
	now := gotest.Tree{Dir: x.set.Dir, Flags: plan.BuildFlags()}
	if tree, err = x.repository.Checkout(ctx, c, x.scratch, name, now); err != nil {
		return name, tree, v, err
	}
	v = plan.Version{Name: c.Short(), What: fmt.Sprintf("%s %q", c.Short(), c.Subject),
		Commit: c.Hash}
	v.Toolchain, v.GOROOT, err = tree.Toolchain(ctx)
	return name, tree, v, err
}

// buildEnds builds both ends of the range.
func (x *searcher) buildEnds(ctx context.Context) error {
	v := &plan.Versions{VS: x.Commits[0].Short(), Repository: x.repository}
	for _, commit := range []int{0, len(x.Commits) - 1} {
		_, tree, version, err := x.checkout(ctx, commit)
		if err != nil {
			return err
		}
		v.List, v.Trees = append(v.List, version), append(v.Trees, tree)
	}
	if good, bad := v.List[0].Toolchain, v.List[1].Toolchain; good != bad {
		x.log.Note("The good end is built by %s and the bad end by %s: the compiler may make the "+
			"difference.", good, bad)
	}
	x.builder = &build.Builder{Set: x.set, Versions: v, Dir: x.scratch.Dir, Log: x.log}
	return x.builder.Build(ctx)
}

// round measures a round and returns the values of what all versions have reported, one for each
// version.
func (x *searcher) round(ctx context.Context, jobs ...*measure.Job) (map[value][]float64, error) {
	values := map[value][]float64{}
	for _, process := range measure.Order(jobs) {
		o, err := measure.Run(ctx, x.set, process)
		if err != nil {
			return nil, err
		}
		for _, f := range slices.Concat(o.Failed, o.Skipped) {
			return nil, &failedVersion{process.Version, f}
		}
		x.data.Describe(o)
		for _, l := range o.Lines {
			for _, unit := range x.units() {
				if v, ok := l.Value(unit); ok {
					at := value{process.Job, l.Name.String(), unit}
					if values[at] == nil {
						values[at] = slices.Repeat([]float64{math.NaN()}, len(process.Job.Versions))
					}
					values[at][process.Version] = v
				}
			}
		}
	}
	maps.DeleteFunc(values, func(_ value, all []float64) bool {
		return slices.ContainsFunc(all, math.IsNaN)
	})
	x.Rounds++
	return values, nil
}

// A failedVersion is the error of a benchmark that gave no result in a version.
type failedVersion struct {
	version int
	measure.Fault
}

func (f *failedVersion) Error() string { return f.Benchmark + ": " + f.Reason }

// interrupted notes why the search has stopped.
func (x *searcher) interrupted(err error) error {
	x.Stopped = err.Error()
	if f := (*failedVersion)(nil); errors.As(err, &f) {
		x.Stopped = "at an end of the range, " + err.Error()
	}
	return err
}

// search tests commits until it is decided which is the first bad one, or cannot be.
func (x *searcher) search(ctx context.Context) error {
	last := len(x.Commits) - 1
	s := NewSearch(last, bisectAlpha)
	x.trees[0] = &candidate{"", x.target.job.Versions[0]}
	x.trees[last] = &candidate{"", x.target.job.Versions[1]}
	x.log.Trouble(fmt.Sprintf("%s of %s: %s in %s, from %s to %s. %s, about %s.", x.Benchmark,
		judge.Written(x.Unit), x.Whole, ui.Counted(x.Rounds, "round",
			"rounds"), x.Commits[0].Short(), x.Commits[last].Short(), ui.Counted(
			last, "commit", "commits"), ui.Counted(s.Left(), "step", "steps")))
	for step := 1; ; step++ {
		commit, alpha, ok := s.Next()
		x.Suspects = s.Suspects()
		if !ok {
			x.Decided, x.Stopped = true, "the search is over"
			return nil
		}
		at := &x.Commits[commit]
		at.Step = step
		err := x.test(ctx, commit, alpha, fmt.Sprintf("step %d, about %d left: %s", step,
			s.Left()-1, at.Short()))
		if err != nil {
			at.Step, at.Verdict = 0, ""
			return x.interrupted(err)
		}
		s.Add(commit, at.Verdict, at.Rounds > 0)
		for i, tree := range x.trees { // what is not an end any longer
			if i != 0 && i != last && i != s.Low && i != s.High {
				x.repository.Discard(ctx, x.scratch, tree.name)
				delete(x.trees, i)
			}
		}
		text := fmt.Sprintf("step %d: %s %s", step, at.Short(), at.Verdict)
		if at.Ratio != nil {
			text += fmt.Sprintf(", %s to the good end in %s", *at.Ratio,
				ui.Counted(at.Rounds, "round", "rounds"))
		}
		if at.Reason != "" {
			text += ": " + at.Reason
		}
		x.log.Trouble(fmt.Sprintf("%s; about %d left (%s)", text, s.Left(), at.Subject))
	}
}
