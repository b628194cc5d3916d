// Package bench measures Go benchmarks: in one version, in revisions and the working tree, or twice
// in the same binary.
//
// A run goes one way: plan has what to measure, build compiles it, measure runs it in rounds, judge
// compares, and present shows what there is. Package bisect does it for each commit of a search.
package bench

import (
	"context"
	"errors"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/build"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/judge"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// Run measures. It returns a report if there are results, even if it also returns an error, which
// says why they are not all that was asked for: the context has ended, results could not be saved,
// or benchmarks failed. That a limit is broken is in the report.
func Run(ctx context.Context, set *plan.Settings, log *plan.Log) (report *judge.Report, err error) {
	report, err = run(ctx, set, log)
	if report == nil && ctx.Err() != nil && !errors.Is(err, context.Cause(ctx)) {
		err = context.Cause(ctx)
	}
	return report, err
}

func run(ctx context.Context, set *plan.Settings, log *plan.Log) (*judge.Report, error) {
	commands := len(set.Commands.List) > 0
	var v *plan.Versions
	choose := func() (err error) {
		if !commands {
			v, err = plan.Choose(ctx, set)
		}
		return err
	}
	if err := choose(); err != nil { // a user who has asked for what cannot be should not have to wait
		return nil, err
	}
	release, waited, err := measure.Lock(ctx, set.Command, log)
	if err != nil {
		return nil, err
	}
	defer release()
	if waited { // perhaps for long, and the working tree may have changed
		if err := choose(); err != nil {
			return nil, err
		}
	}
	scratch, remove, err := measure.Scratch(log)
	if err != nil {
		return nil, err
	}
	defer remove()
	var m *measure.Measurement
	if commands {
		var end func()
		if m, end, err = measure.Commands(ctx, set, scratch.Dir, log); err != nil {
			return nil, err
		}
		defer end()
	} else {
		m = &measure.Measurement{Set: set, Log: log, Run: measure.NewRun(set), Do: set.Each.Do}
		if err := v.Checkout(ctx, scratch, log); err != nil {
			return nil, err
		}
		m.Run.Versions, m.Run.Module = v.List, v.Module(ctx, set.Patterns)
		m.Run.Toolchain = v.List[len(v.List)-1].Toolchain
		b := build.Builder{Set: set, Versions: v, Dir: scratch.Dir, Log: log}
		if err := b.Build(ctx); err != nil {
			return nil, err
		}
		m.Jobs, m.Data = b.Jobs, b.Data
		m.Run.Identical = append(m.Run.Identical, b.Identical...)
	}
	if len(m.Jobs) == 0 {
		m.Run.Stopped = "all is identical"
	} else {
		if err := m.Prepare(ctx); err != nil {
			return nil, err
		}
		m.Check = func(d *stats.Data) error { return judge.Compares(d, set) }
		err = m.Measure(ctx)
		if m.Data.Len() == 0 {
			none := errors.New("there are no results")
			return nil, errors.Join(measure.Failures(m.Data), err, none)
		}
	}
	m.Run.Notes = log.Notes
	report, wrong := judge.Judge(m.Run, m.Data, set)
	if err != nil && wrong != nil && err.Error() == wrong.Error() {
		wrong = nil // it is why there were no more rounds
	}
	return report, errors.Join(err, wrong, measure.Failures(m.Data))
}
