// Package gobench measures Go benchmarks: in one version, or in a revision and the working tree.
//
// A run goes one way, and so do the imports:
//
//	plan     settings, limits, versions with their trees, and the benchmarks in test binaries
//	measure  the lock, calibration, rounds of processes, and files of results
//	judge    tests of what was measured, verdicts, and limits that are broken
//	present  text
//
// A sample is a line that a process prints: gotest parses it, measure.Data keeps it with its round
// and saves it, judge.Judge makes a row of it, and present puts the row in words. Package
// revision has the trees.
package gobench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/judge"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/report/bench"
)

// Run measures. It returns a report if there are results, even if it also returns an error, which
// says why they are not all that was asked for: the context has ended, results could not be saved,
// or benchmarks failed. That a limit is broken is in the report.
func Run(ctx context.Context, set *plan.Settings, log *plan.Log) (report *bench.Report, err error) {
	defer func() {
		if report == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
	}()
	release, err := measure.Lock(ctx, log) // one run at a time
	if err != nil {
		return nil, err
	}
	defer release()
	scratch, err := gotest.NewScratch()
	if err != nil {
		return nil, fmt.Errorf("cannot make a directory for binaries: %w; GOTMPDIR names another place "+
			"for them", err)
	}
	defer func() {
		if err := scratch.Remove(); err != nil {
			log.Trouble(fmt.Sprintf("cannot remove what was built: %v", err))
		}
	}()
	p := &plan.Plan{Set: set, Dir: scratch.Dir, Log: log}
	if err := p.Make(ctx); err != nil {
		return nil, err
	}
	record := &bench.Record{Began: time.Now(), Module: strings.Join(p.Modules, ", "),
		Settings: set.Settings, Identical: append([]string{}, p.Identical...)}
	for _, v := range p.Versions {
		record.Versions, record.Toolchain = append(record.Versions, v.Version), v.Toolchain
	}
	data, err := measure.Run(ctx, set, log, record, p.Benchmarks)
	data.Failures = append(p.Failures, data.Failures...)
	if len(data.Results) == 0 && len(p.Benchmarks) > 0 {
		return nil, errors.Join(data.Err(), err, errors.New("there are no results"))
	}
	record.Notes = log.Notes
	return judge.Judge(record, data, set.FailOn), errors.Join(err, data.Err())
}
