// Package session measures Go benchmarks: in one version, in a revision and the working tree, or twice in the same binary.
// A run waits for the lock (lock), chooses the versions, compiles them, measures in rounds, and compares (stats).
package session

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/lock"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/machine"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/machine/cpufreq"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// A log is the progress and the report of a run, both of which get the notes.
type log struct {
	Progress
	report *Report
}

func (l log) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	l.report.Notes = append(l.report.Notes, text)
	l.sentence(text)
}

// Run measures. It returns a report if there are results, even if it also returns an error, which says why they are not
// all that was asked for: the context has ended, results could not be saved, benchmarks failed, or a limit was broken.
func Run(ctx context.Context, s Settings, show Progress) (report *Report, err error) {
	report, err = run(ctx, &s, show)
	if report == nil && ctx.Err() != nil && !errors.Is(err, context.Cause(ctx)) {
		err = context.Cause(ctx)
	}
	return report, err
}

func run(ctx context.Context, set *Settings, show Progress) (_ *Report, err error) {
	report := &Report{
		Command: set.Command, ID: strings.ToLower(rand.Text()),
		Settings: Chosen{Bench: set.Bench, Benchtime: set.Each.Benchtime, CPU: set.Each.CPU, Count: set.Count, Layouts: set.Layouts},
		Rounds:   []Round{}, Noisy: []Noisy{}, Notes: []string{}, Identical: []string{}, Breaches: []Case{}, Undecided: []Case{},
	}
	log := log{show, report}
	v, err := choose(ctx, set) // a user who has asked for what cannot be should not have to wait
	if err != nil {
		return nil, err
	}
	waited := false
	held, err := lock.Acquire(ctx, set.Command, func(ahead []lock.Entry) {
		waited = true
		log.waiting(ahead)
	})
	switch {
	case err == nil:
		defer held.Release()
	case errors.Is(err, errors.ErrUnsupported):
		log.note("This system has no locks that a crash releases, so other benchmarks may run at the same time.")
	default:
		return nil, err
	}
	report.Began = time.Now()
	if waited { // perhaps for long, and the working tree may have changed
		if v, err = choose(ctx, set); err != nil {
			return nil, err
		}
	}
	scratch, err := gotest.NewScratch()
	if err != nil {
		return nil, fmt.Errorf("cannot make a directory for binaries: %w; GOTMPDIR names another place for them", err)
	}
	defer func() {
		if err := scratch.Remove(); err != nil {
			log.trouble(fmt.Sprintf("cannot remove what was built: %v", err))
		}
	}()
	if err := v.checkout(ctx, scratch, log); err != nil {
		return nil, err
	}
	report.Versions, report.Toolchain = v.list, v.list[len(v.list)-1].Toolchain
	b := builder{set: set, versions: v, dir: scratch.Dir, log: log}
	if err := b.build(ctx); err != nil {
		return nil, err
	}
	report.Identical = append(report.Identical, b.identical...)
	if len(b.jobs) == 0 {
		report.Comparison, report.Stopped = b.data.Compare(), "all is identical"
		return report, (&measurement{data: b.data}).failures()
	}
	restore, err := holdFrequency(set.CPUFreq, log)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, restore()) }()
	watch := machine.NewWatch()
	log.doing("measuring the background load")
	report.Machine = watch.Before(ctx, time.Second, set.Procs)
	log.doing("")
	log.machine(report.Machine)
	m := measurement{set: set, log: log, jobs: b.jobs, data: b.data, watch: watch}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := m.create(); err != nil {
		return nil, err
	}
	return m.conclude(ctx, m.run(ctx))
}

// holdFrequency holds the CPU frequency, unless percent is negative.
func holdFrequency(percent int, log log) (restore func() error, err error) {
	if percent < 0 {
		return func() error { return nil }, nil
	}
	held, err := cpufreq.Hold(percent)
	switch {
	case errors.Is(err, cpufreq.ErrNone):
		log.note("-cpufreq: %v.", err)
		return func() error { return nil }, nil
	case err != nil:
		return nil, fmt.Errorf("-cpufreq: %w", err)
	}
	log.note("The CPU frequency is held at %s.", held.What)
	log.report.Settings.Frequency = held.What
	return held.Restore, nil
}
