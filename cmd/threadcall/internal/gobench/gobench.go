// Package gobench measures Go benchmarks: in one version, or in a revision and the working tree.
//
// A run goes one way, and so do the imports:
//
//	plan     settings, limits, and versions with their trees
//	build    test binaries, which report CPU time, and the benchmarks in them
//	measure  the lock, calibration, rounds of processes, and files of results
//	judge    tests of what was measured, verdicts, and limits that are broken
//	present  text
//
// A sample is a line that a process prints: gotest parses it, measure.Data keeps it with its round
// and saves it, judge.Compare makes a row of it, and present puts the row in words. Package
// revision has the trees.
package gobench

import (
	"context"
	"errors"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/build"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/judge"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/plan"
)

// Run measures. It returns a report if there are results, even if it also returns an error, which
// says why they are not all that was asked for: the context has ended, results could not be saved,
// or benchmarks failed. That a limit is broken is in the report.
func Run(ctx context.Context, set *plan.Settings, log *plan.Log) (report *judge.Report, err error) {
	defer func() {
		if report == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
	}()
	scratch, end, err := measure.Begin(ctx, set, log)
	if err != nil {
		return nil, err
	}
	defer end()
	m, err := prepare(ctx, set, log, scratch.Dir)
	if err != nil {
		return nil, err
	}
	if m.Record.Stopped == "" {
		if err := m.Prepare(); err != nil {
			return nil, err
		}
		m.Comparable = func() bool { _, wrong := judge.Judge(m.Record, m.Data, set); return wrong == nil }
		err = m.Measure(ctx)
		if len(m.Data.Results) == 0 {
			return nil, errors.Join(m.Data.Err(), err, errors.New("there are no results"))
		}
	}
	m.Record.Notes = log.Notes
	report, wrong := judge.Judge(m.Record, m.Data, set)
	return report, errors.Join(err, wrong, m.Data.Err())
}

// prepare returns the measurement, with binaries in dir. It has stopped if there is nothing to
// measure.
func prepare(ctx context.Context, set *plan.Settings, log *plan.Log,
	dir string) (*measure.Measurement, error) {
	v, err := plan.Choose(ctx, set, dir)
	if err != nil {
		return nil, err
	}
	if err := v.Checkout(ctx, dir, log); err != nil {
		return nil, err
	}
	b := &build.Builder{Set: set, Versions: v, Dir: dir, Log: log}
	if err := b.Build(ctx); err != nil {
		return nil, err
	}
	m := measure.Benchmarks(set, log, v, b)
	m.Record.Module = strings.Join(b.Modules, ", ")
	if len(b.Benchmarks) == 0 {
		m.Record.Stopped = "no test binary differs that was built"
	}
	return m, nil
}
