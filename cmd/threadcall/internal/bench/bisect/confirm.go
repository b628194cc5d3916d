package bisect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/rounds"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// confirm measures the last suspect next to the last commit before the suspects, in rounds that had no part in the search.
func (x *searcher) confirm(ctx context.Context) error {
	low, high := x.Suspects[0]-1, x.Suspects[len(x.Suspects)-1]
	job := *x.target
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
		job.Versions, names = append(job.Versions, binary), append(names, x.Commits[commit].short())
	}
	data := stats.New(names...)
	data.Units = x.builder.Data.Units
	for n := range bisectConfirm {
		x.log.Progress(fmt.Sprintf("%s next to %s: round %d of %d", names[1], names[0], n+1, bisectConfirm))
		runs, _, err := x.runs(ctx, []*rounds.Job{&job}, x.set.Layouts+n+1) // no layout that had a part in the search
		if err != nil {
			return x.interrupted(err)
		}
		for _, run := range runs {
			o, err := x.set.Each.Do(ctx, run)
			if err != nil {
				return x.interrupted(err)
			}
			for _, l := range o.Lines {
				data.Add(run.Version, n, l.Result)
			}
		}
		x.Rounds++
	}
	if data.Len() == 0 {
		return nil
	}
	x.Comparison = data.Compare()
	for i := range x.Comparison.Tables {
		t := &x.Comparison.Tables[i]
		for _, row := range t.Rows {
			if t.Unit == x.Unit && row.Name == x.row {
				x.table, x.delta = t, row.Deltas[1]
			}
		}
	}
	x.several()
	return nil
}

// several notes that the commit that was found does not explain the whole difference.
func (x *searcher) several() {
	between := slices.ContainsFunc(x.Commits, func(t Tested) bool { return t.Between })
	d := x.delta
	if x.table == nil || d.Absolute || d.Interval == nil || x.Whole.Interval == nil {
		return
	}
	part, whole := math.Abs(math.Log(d.Estimate)), math.Abs(math.Log(x.Whole.Estimate))
	apart := d.Interval.High < x.Whole.Interval.Low || d.Interval.Low > x.Whole.Interval.High
	switch {
	case d.Interval.Low <= 1 && d.Interval.High >= 1:
		x.log.Note("Next to the commit before, it does not differ visibly: the change may be a gradual one of several commits.")
	case (apart || between) && part < whole:
		x.log.Note("This is not the whole difference of the range: other commits in it have changed the benchmark, too. "+
			"-bisect %s..%s looks for one before it, and -bisect %s..%s for one after it.", x.Commits[0].short(), x.Commits[x.Suspects[0]-1].short(),
			x.Commits[x.Suspects[len(x.Suspects)-1]].short(), x.Commits[len(x.Commits)-1].short())
	}
}
