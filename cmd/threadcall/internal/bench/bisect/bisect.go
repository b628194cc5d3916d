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
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/revision"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/rounds"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
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
	now        gotest.Tree
	builder    *build.Builder

	commits []revision.Commit // as Commits
	jobs    []*rounds.Job     // of the ends: version 0 is the good one, 1 the bad one
	target  *rounds.Job       // one of them
	row     string            // the name of the result
	whole   []float64         // logarithms of ratios of the bad end to the good one
	trees   map[int]*candidate
	round   int
}

// A candidate is a commit that is built.
type candidate struct {
	name   string // of the worktree
	binary *gotest.Binary
}

// Run looks for the first commit of the range in the settings that differs from the good end as the bad end does. It
// returns a result if the ends were measured, even if it also returns an error, which says why there is no commit.
func Run(ctx context.Context, set *plan.Settings, log *plan.Log) (found *Result, err error) {
	x := &searcher{set: set, log: log, trees: map[int]*candidate{},
		Result: &Result{Command: set.Command, Range: set.Bisect, Alpha: bisectAlpha, Also: []Also{}, Commits: []Tested{}, Suspects: []int{}}}
	if err := x.choose(ctx); err != nil {
		return nil, err
	}
	release, _, err := measure.Lock(ctx, set.Command, log)
	if err != nil {
		return nil, err
	}
	defer release()
	x.Began = time.Now()
	scratch, remove, err := measure.Scratch(log)
	if err != nil {
		return nil, err
	}
	defer remove()
	x.scratch = scratch
	if err := x.buildEnds(ctx); err != nil {
		return nil, err
	}
	_, x.Machine = measure.Observe(ctx, set.Procs, log)
	defer func() {
		log.Progress("")
		x.Notes = log.Notes
		x.Seconds = time.Since(x.Began).Seconds()
	}()
	if err := x.ends(ctx); err != nil || x.target == nil {
		return x.Result, err
	}
	if err := x.search(ctx); err != nil {
		return x.Result, err
	}
	return x.Result, x.confirm(ctx)
}

// choose reads the range.
func (x *searcher) choose(ctx context.Context) (err error) {
	first, last, ok := strings.Cut(x.set.Bisect, "..")
	if !ok || first == "" || strings.HasPrefix(last, ".") {
		return fmt.Errorf("-bisect %q is no range; write good..bad, such as v1.0..main", x.set.Bisect)
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
	x.commits, x.Commits = []revision.Commit{good}, []Tested{{Commit: good.Hash, Subject: good.Subject, Verdict: Good}}
	for i, c := range log {
		x.commits = append(x.commits, c.Commit)
		x.Commits = append(x.Commits, Tested{Commit: c.Hash, Subject: c.Subject, Author: c.Author, Date: c.Date, Merge: c.Merge})
		x.Suspects = append(x.Suspects, i+1)
	}
	x.Commits[len(log)].Verdict = Bad
	if x.set.Layouts > 0 { // a round with a layout that was measured before would not be independent
		x.set.Count, x.Layouts = x.set.Layouts, x.set.Layouts
	}
	if least := max(bisectFirst, Needs(bisectAlpha/float64(max(1, NewSearch(len(log), bisectAlpha).Left())))); x.set.Count < least {
		if x.set.Layouts > 0 {
			return fmt.Errorf("-layouts %d decides nothing: with -bisect, each round of a step has a layout of its own, and a step needs at least %d", x.set.Layouts, least)
		}
		return fmt.Errorf("-count %d decides nothing: a step needs at least %d rounds, and stops as soon as it is decided", x.set.Count, least)
	}
	x.now = gotest.Tree{Dir: x.set.Dir, Flags: plan.BuildFlags()}
	return nil
}

// checkout makes the tree of a commit.
func (x *searcher) checkout(ctx context.Context, commit int) (name string, tree gotest.Tree, v plan.Version, err error) {
	c := x.commits[commit]
	name = fmt.Sprintf("tree%04d", commit) // of the same length for all
	x.log.Progress("checking out " + c.Short())
	if tree, err = x.repository.Checkout(ctx, c, x.scratch, name, x.now); err != nil {
		return name, tree, v, err
	}
	v = plan.Version{Name: c.Short(), What: fmt.Sprintf("%s %q", c.Short(), c.Subject), Commit: c.Hash}
	v.Toolchain, v.GOROOT, err = tree.Toolchain(ctx)
	return name, tree, v, err
}

// buildEnds builds both ends of the range.
func (x *searcher) buildEnds(ctx context.Context) error {
	last := len(x.commits) - 1
	v := &plan.Versions{VS: []string{x.commits[0].Short()}, Repository: x.repository}
	for _, commit := range []int{0, last} {
		_, tree, version, err := x.checkout(ctx, commit)
		if err != nil {
			return err
		}
		v.List, v.Trees = append(v.List, version), append(v.Trees, tree)
	}
	if v.List[0].Toolchain != v.List[1].Toolchain {
		x.log.Note("The good end is built by %s and the bad end by %s: the compiler may make the difference.", v.List[0].Toolchain, v.List[1].Toolchain)
	}
	set := *x.set
	set.VS = v.VS
	x.builder = &build.Builder{Set: &set, Versions: v, Dir: x.scratch.Dir, Log: x.log}
	if err := x.builder.Build(ctx); err != nil {
		return err
	}
	for _, j := range x.builder.Jobs {
		if !slices.Contains(j.Versions, nil) {
			x.jobs = append(x.jobs, j)
		}
	}
	return nil
}

// A measured is a value of a benchmark.
type measured struct {
	job        *rounds.Job
	name, unit string
}

func (m measured) plain() [2]string { return [2]string{m.job.Package + "." + m.name, m.unit} }

// measure runs a round and returns the values of what all versions have reported, one for each version. The layout is the
// number of the round, from 1: with -layouts, each has one of its own.
func (x *searcher) measure(ctx context.Context, jobs []*rounds.Job, layout int) (map[measured][]float64, error) {
	values := map[measured][]float64{}
	units := x.units()
	if x.Unit != "" {
		units = []string{x.Unit}
	}
	runs, of, err := x.runs(ctx, jobs, layout)
	if err != nil {
		return nil, err
	}
	for _, run := range runs {
		o, err := x.set.Each.Do(ctx, run)
		if err != nil {
			return nil, err
		}
		for _, f := range slices.Concat(o.Failed, o.Skipped) {
			return nil, &failedVersion{run.Version, f}
		}
		for _, u := range o.Units {
			if _, ok := x.builder.Data.Units[u.Metadata.UnitMetadataKey]; !ok {
				x.builder.Data.Units[u.Metadata.UnitMetadataKey] = u.Metadata
			}
		}
		for _, l := range o.Lines {
			for _, unit := range units {
				v, ok := l.Result.Value(unit)
				if !ok {
					continue
				}
				key := measured{of(run.Job), l.Result.Name.String(), unit}
				if values[key] == nil {
					values[key] = slices.Repeat([]float64{math.NaN()}, len(run.Job.Versions))
				}
				values[key][run.Version] = v
			}
		}
	}
	maps.DeleteFunc(values, func(_ measured, all []float64) bool { return slices.ContainsFunc(all, math.IsNaN) })
	x.round++
	x.Rounds = x.round
	return values, nil
}

// runs returns the processes of a round, and a function that returns of which of the jobs theirs are.
func (x *searcher) runs(ctx context.Context, jobs []*rounds.Job, layout int) ([]rounds.Run, func(*rounds.Job) *rounds.Job, error) {
	if x.set.Layouts == 0 {
		return rounds.Round(jobs, 0), func(j *rounds.Job) *rounds.Job { return j }, nil
	}
	copies, of, err := x.builder.Layout(ctx, jobs, layout)
	return rounds.Round(copies, 0), func(j *rounds.Job) *rounds.Job { return of[j] }, err
}

// A failedVersion is the error of a benchmark that gave no result in a version.
type failedVersion struct {
	version int
	rounds.Failure
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
	last := len(x.commits) - 1
	s := NewSearch(last, bisectAlpha)
	x.trees[0] = &candidate{"", x.target.Versions[0]}
	x.trees[last] = &candidate{"", x.target.Versions[1]}
	x.log.Trouble(fmt.Sprintf("%s of %s: %s in %s, from %s to %s. %s, about %s.", x.Benchmark, stats.Written(x.Unit), x.Whole,
		ui.Counted(x.Rounds, "round", "rounds"), x.Commits[0].short(), x.Commits[last].short(),
		ui.Counted(last, "commit", "commits"), ui.Counted(s.Left(), "step", "steps")))
	for step := 1; ; step++ {
		commit, alpha, ok := s.Next()
		x.Suspects = s.Suspects()
		if !ok {
			break
		}
		at := &x.Commits[commit]
		at.Step = step
		err := x.test(ctx, commit, alpha, fmt.Sprintf("step %d, about %d left: %s", step, s.Left()-1, at.short()))
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
		x.log.Trouble(x.line(at, s.Left()))
	}
	x.Decided, x.Stopped = true, "the search is over"
	return nil
}

// line reports a step.
func (x *searcher) line(at *Tested, left int) string {
	text := fmt.Sprintf("step %d: %s %s", at.Step, at.short(), at.Verdict)
	if at.Ratio != nil {
		text += fmt.Sprintf(", %s to the good end in %s", *at.Ratio, ui.Counted(at.Rounds, "round", "rounds"))
	}
	if at.Reason != "" {
		text += ": " + at.Reason
	}
	if left > 0 {
		text += fmt.Sprintf("; about %d left", left)
	}
	return text + fmt.Sprintf(" (%s)", at.Subject)
}
