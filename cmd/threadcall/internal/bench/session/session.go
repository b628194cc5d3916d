// Package session measures Go benchmarks: in one version, in a revision and the working tree, or twice in the same binary.
// A run waits for the machine (lock), chooses the versions, compiles them, measures in rounds, and compares (stats).
package session

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/build"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/lock"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/machine"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/machine/cpufreq"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/process"
)

// A Watcher shows how a run goes on.
type Watcher interface {
	Note(text string)                    // a sentence that belongs to the results
	Trouble(text string)                 // that the results, or the error, will report again
	Machine(findings []machine.Finding)  // before the first round
	Waiting(ahead []lock.Entry)          // for other benchmarks
	Doing(text string)                   // in place of what was done before; empty: nothing
	Measuring(done float64, text string) // the same, in the rounds, of which a part is done, from 0 to 1
	RoundDone(r Round, left string)      // and what is to come
}

// A log is the watcher and the report of a run, both of which get the notes.
type log struct {
	Watcher
	report *Report
}

func (l log) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	l.report.Notes = append(l.report.Notes, text)
	l.Note(text)
}

// A Session is one run of the command.
type Session struct {
	settings Settings
	watch    Watcher

	mu      sync.Mutex
	scratch *build.Scratch
}

// New returns a session that reports to watch what it does.
func New(s Settings, watch Watcher) *Session { return &Session{settings: s, watch: watch} }

// ErrInterrupted is the cause of a context that ends a run whose results are still wanted.
var ErrInterrupted = errors.New("interrupted")

// Run measures. It returns a report if there are results, even if it also returns an error, which says why they are not
// all that was asked for: the context has ended, results could not be saved, benchmarks failed, or a limit was broken.
func (s *Session) Run(ctx context.Context) (report *Report, err error) {
	report, err = s.run(ctx)
	if report == nil && ctx.Err() != nil && !errors.Is(err, context.Cause(ctx)) {
		err = context.Cause(ctx)
	}
	return report, err
}

func (s *Session) run(ctx context.Context) (_ *Report, err error) {
	set := &s.settings
	report := &Report{
		Command: set.Command, ID: strings.ToLower(rand.Text()),
		Settings: Chosen{Bench: set.Bench, Benchtime: set.Each.Benchtime, CPU: set.Each.CPU, Count: set.Count},
		Rounds:   []Round{}, Noisy: []Noisy{}, Notes: []string{}, Breaches: []Case{}, Undecided: []Case{},
	}
	log := log{s.watch, report}
	defer s.Cleanup()
	v, err := choose(ctx, set) // a user who has asked for what cannot be need not wait for the machine
	if err != nil {
		return nil, err
	}
	waited := false
	held, err := lock.Acquire(ctx, set.Command, func(ahead []lock.Entry) {
		waited = true
		log.Waiting(ahead)
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
	scratch, err := s.makeScratch()
	if err != nil {
		return nil, err
	}
	if err := v.checkout(ctx, scratch, log); err != nil {
		return nil, err
	}
	report.Versions, report.Toolchain = v.list, v.list[len(v.list)-1].Toolchain
	b := builder{set: set, versions: v, dir: scratch.Dir, log: log}
	if err := b.build(ctx); err != nil {
		return nil, err
	}
	restore, err := holdFrequency(set.CPUFreq, log)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, restore()) }()
	watch := machine.NewWatch()
	log.Doing("measuring the background load")
	report.Machine = watch.Before(ctx, time.Second, set.Procs)
	log.Doing("")
	log.Machine(report.Machine)
	m := measurement{set: set, log: log, jobs: b.jobs, data: b.data, watch: watch}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := m.create(); err != nil {
		return nil, err
	}
	return m.conclude(ctx, m.run(ctx))
}

// makeScratch makes the directory for binaries and worktrees.
func (s *Session) makeScratch() (*build.Scratch, error) {
	scratch, err := build.NewScratch()
	if err != nil {
		return nil, fmt.Errorf("cannot make a directory for binaries: %w; GOTMPDIR names another place for them", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scratch = scratch
	return scratch, nil
}

// Cleanup removes what the run has put elsewhere: binaries and worktrees. It may be called at any time, also while Run
// runs, which cannot go on then.
func (s *Session) Cleanup() {
	s.mu.Lock()
	scratch := s.scratch
	s.mu.Unlock()
	process.KillAll()
	if scratch != nil {
		if err := scratch.Remove(); err != nil {
			s.watch.Trouble(fmt.Sprintf("cannot remove what was built: %v", err))
		}
	}
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
