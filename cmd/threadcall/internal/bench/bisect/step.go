package bisect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/judge"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// test decides on which side a commit is.
func (x *searcher) test(ctx context.Context, commit int, alpha float64, progress string) error {
	at := &x.Commits[commit]
	binary, reason, err := x.build(ctx, commit)
	if err != nil {
		return err
	}
	if reason != "" {
		at.Verdict, at.Reason = Broken, reason
		return nil
	}
	job := *x.target.job
	job.Versions = []*gotest.Binary{job.Versions[0], binary, job.Versions[1]}
	sorter := Sorter{Alpha: alpha}
	var toGood []float64
	sign := x.sign(x.Unit)
	for sorter.Verdict() == Undecided && sorter.Rounds < x.set.Count {
		x.log.Progress(fmt.Sprintf("%s, round %d of at most %d", progress, sorter.Rounds+1,
			x.set.Count))
		seen, err := x.round(ctx, &job)
		if f := (*failedVersion)(nil); errors.As(err, &f) && f.version == 1 {
			at.Verdict, at.Rounds = Broken, 0
			at.Reason = "the benchmark gives no result: " + firstLine(f.Reason)
			return nil
		}
		if err != nil {
			return err
		}
		v, ok := seen[value{&job, x.target.name, x.Unit}]
		if !ok {
			at.Verdict, at.Reason = Broken, "the benchmark does not report "+judge.Written(x.Unit)
			return nil
		}
		sorter.Add(sign*v[0], sign*v[1], sign*v[2])
		if v[0] > 0 && v[1] > 0 && v[2] > 0 {
			toGood = append(toGood, math.Log(v[1]/v[0]))
			x.whole = append(x.whole, math.Log(v[2]/v[0]))
			x.Whole = ratio(x.whole)
		}
		at.Rounds = sorter.Rounds
	}
	at.Verdict = sorter.Verdict()
	if len(toGood) > 0 {
		good := ratio(toGood)
		at.Ratio = &good
	}
	return nil
}

// build builds the package of the benchmark in a commit. The reason says why that is not possible.
func (x *searcher) build(ctx context.Context, commit int) (_ *gotest.Binary, reason string,
	err error) {
	if c := x.trees[commit]; c != nil {
		return c.binary, "", nil
	}
	name, tree, version, err := x.checkout(ctx, commit)
	defer func() {
		if ctx.Err() != nil {
			reason, err = "", context.Cause(ctx)
		}
		if reason != "" || err != nil {
			x.repository.Discard(ctx, x.scratch, name)
		}
	}()
	if err != nil {
		return nil, "cannot be checked out: " + firstLine(err.Error()), nil
	}
	x.log.Progress(fmt.Sprintf("building %s in %s", x.Package, version.Name))
	packages, _, err := tree.List(ctx, x.Package)
	if err != nil || len(packages) != 1 {
		return nil, "has no package " + x.Package + " with tests", nil
	}
	compile := (*gotest.CompileError)(nil)
	binary, err := x.builder.CompileTo(ctx, filepath.Join(x.scratch.Dir, name, "bisected.test"),
		tree, packages[0], version)
	switch {
	case errors.As(err, &compile):
		return nil, "does not build: " + firstLine(compile.Output), nil
	case err != nil:
		return nil, "does not build: " + firstLine(err.Error()), nil
	}
	names, err := binary.Benchmarks(ctx, x.set.Timeout)
	top, _, _ := strings.Cut(x.Benchmark, "/")
	switch {
	case err != nil:
		return nil, "its tests do not start: " + firstLine(err.Error()), nil
	case !slices.Contains(names, top):
		return nil, "has no " + top, nil
	}
	x.trees[commit] = &candidate{name, binary}
	return binary, "", nil
}

// firstLine returns the first line of a complaint that is not a heading of the compiler.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	return "no message"
}

// confirm measures the last suspect next to the last commit before the suspects, in rounds that had
// no part in the search.
func (x *searcher) confirm(ctx context.Context) error {
	low, high := x.Suspects[0]-1, x.Suspects[len(x.Suspects)-1]
	job := *x.target.job
	job.Versions = nil
	var names []string
	for _, commit := range []int{low, high} {
		binary, reason, err := x.build(ctx, commit)
		if err == nil && reason != "" {
			err = errors.New(reason)
		}
		if err != nil {
			return x.interrupted(err)
		}
		job.Versions, names = append(job.Versions, binary), append(names, x.Commits[commit].Short())
	}
	data := measure.New(names...)
	for n := range bisectConfirm {
		x.log.Progress(fmt.Sprintf("%s next to %s: round %d of %d", names[1], names[0], n+1,
			bisectConfirm))
		for _, process := range measure.Order([]*measure.Job{&job}) {
			o, err := measure.Run(ctx, x.set, process)
			if err != nil {
				return x.interrupted(err)
			}
			data.Keep(n+1, o)
		}
		x.Rounds++
	}
	if len(data.Results) == 0 {
		return nil
	}
	x.Comparison = judge.Compare(data)
	row := judge.Row{Package: x.Package, Name: x.target.name}
	if found := x.Comparison.Find(x.Unit, row); found != nil {
		x.table, x.delta = &judge.Table{Unit: x.Unit}, found.Deltas[1]
	}
	x.several()
	return nil
}

// several notes that the commit that was found does not explain the whole difference.
func (x *searcher) several() {
	d, whole := x.delta, x.Whole.Interval
	if x.table == nil || d.Absolute || d.Interval == nil || whole == nil {
		return
	}
	switch found := d.Interval; {
	case found.Low <= 1 && found.High >= 1:
		x.log.Note("Next to the commit before, it does not differ visibly: the change may be a " +
			"gradual one of several commits.")
	case found.High < whole.Low || found.Low > whole.High:
		x.log.Note("This is not the whole difference of the range: other commits in it have " +
			"changed the benchmark, too.")
	}
}
