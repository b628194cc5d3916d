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
	l.trouble(text)
}

// Run measures. It returns a report if there are results, even if it also returns an error, which says why they are not
// all that was asked for: the context has ended, results could not be saved, or benchmarks failed. That a limit
// is broken is in the report.
func Run(ctx context.Context, s Settings, show Progress) (report *Report, err error) {
	report, err = run(ctx, &s, show)
	if report == nil && ctx.Err() != nil && !errors.Is(err, context.Cause(ctx)) {
		err = context.Cause(ctx)
	}
	return report, err
}

func run(ctx context.Context, set *Settings, show Progress) (_ *Report, err error) {
	log := log{show, newReport(set)}
	v, err := choose(ctx, set) // a user who has asked for what cannot be should not have to wait
	if err != nil {
		return nil, err
	}
	release, waited, err := log.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if waited { // perhaps for long, and the working tree may have changed
		if v, err = choose(ctx, set); err != nil {
			return nil, err
		}
	}
	scratch, remove, err := log.scratch()
	if err != nil {
		return nil, err
	}
	defer remove()
	if err := v.checkout(ctx, scratch, log); err != nil {
		return nil, err
	}
	log.report.Versions, log.report.Toolchain = v.list, v.list[len(v.list)-1].Toolchain
	log.report.Module = modules(ctx, v.trees[len(v.trees)-1], set.Patterns)
	b := builder{set: set, versions: v, dir: scratch.Dir, log: log}
	if err := b.build(ctx); err != nil {
		return nil, err
	}
	log.report.Identical = append(log.report.Identical, b.identical...)
	if len(b.jobs) == 0 {
		log.report.Comparison, log.report.Stopped = b.data.Compare(), "all is identical"
		return log.report, (&measurement{data: b.data}).failures()
	}
	m := measurement{set: set, log: log, jobs: b.jobs, data: b.data, do: set.Each.Do}
	return m.measure(ctx)
}

func newReport(set *Settings) *Report {
	return &Report{
		Command: set.Command, ID: strings.ToLower(rand.Text()),
		Settings: Chosen{Bench: set.Bench, Benchtime: set.Each.Benchtime, CPU: set.Each.CPU, Count: set.Count, Layouts: set.Layouts},
		Rounds:   []Round{}, Noisy: []Noisy{}, Notes: []string{}, Identical: []string{}, Breaches: []Case{}, Undecided: []Case{},
	}
}

// lock waits for the lock that one run at a time has, which is when the run begins.
func (l log) lock(ctx context.Context) (release func(), waited bool, err error) {
	release, err = lock.Acquire(ctx, l.report.Command, func(holder string) {
		waited = true
		l.waiting(holder)
	})
	switch {
	case err == nil:
	case errors.Is(err, errors.ErrUnsupported):
		l.note("This system has no locks that a crash releases, so other benchmarks may run at the same time.")
		release = func() {}
	default:
		return nil, waited, err
	}
	l.report.Began = time.Now()
	return release, waited, nil
}

// scratch makes the directory for what lasts as long as the run.
func (l log) scratch() (_ *gotest.Scratch, remove func(), err error) {
	scratch, err := gotest.NewScratch()
	if err != nil {
		return nil, nil, fmt.Errorf("cannot make a directory for binaries: %w; GOTMPDIR names another place for them", err)
	}
	return scratch, func() {
		if err := scratch.Remove(); err != nil {
			l.trouble(fmt.Sprintf("cannot remove what was built: %v", err))
		}
	}, nil
}

// measure measures all rounds of what is ready to run, and compares.
func (m *measurement) measure(ctx context.Context) (*Report, error) {
	m.watch = m.log.observe(ctx, m.set.Procs)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := m.create(); err != nil {
		return nil, err
	}
	if text := tooFew(m.set); text != "" && len(m.log.report.Versions) > 1 {
		m.log.note("%s", text)
	}
	return m.conclude(ctx, m.run(ctx))
}

// observe measures for a second what the machine does when nothing of the run's own does anything.
func (l log) observe(ctx context.Context, procs []int) *machine.Watch {
	watch := machine.NewWatch()
	l.doing("measuring the background load")
	l.report.Machine = watch.Before(ctx, time.Second, procs)
	l.doing("")
	return watch
}
