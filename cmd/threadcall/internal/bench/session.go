package bench

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/host"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/lock"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/revision"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/rounds"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// A Session is one run of the command.
type Session struct {
	Settings
	show       Progress
	report     *Report
	data       *stats.Data
	trees      []gotest.Tree        // one a version
	repository *revision.Repository // with VS
	old        revision.Commit
	jobs       []*rounds.Job
	files      []*rounds.File
	pace       pace
	scratch    *gotest.Scratch
}

// NewSession returns a session that reports on show what it does.
func NewSession(s Settings, show Progress) *Session {
	return &Session{Settings: s, show: show}
}

// Run measures. It returns a report if there are results, even if it also returns an error, which says why they are not
// all that was asked for: the context has ended, results could not be saved, benchmarks failed, or a limit was broken.
func (s *Session) Run(ctx context.Context) (report *Report, err error) {
	s.report = &Report{
		Command: s.Command, ID: strings.ToLower(rand.Text()),
		Settings: Chosen{
			Bench: s.Bench, Benchtime: s.Each.Benchtime, CPU: s.Each.CPU, Seed: s.Seed, Confidence: s.Confidence,
			BuildFlags: s.Flags, Pin: s.Pin.String(),
		},
		Rounds: []Round{}, Disturbed: []Disturbed{}, Notes: []string{}, Breaches: []Breach{}, Blind: []Blind{},
	}
	if s.Budget > 0 {
		s.report.Settings.Budget, s.report.Settings.Until = s.Budget.String(), s.Until
	} else {
		s.report.Settings.Count = s.Count
	}
	defer s.cleanUp()
	if err := s.choose(ctx); err != nil { // who has asked for what cannot be need not wait for the machine
		return nil, s.interruptedOr(ctx, err)
	}
	held, waited, err := s.queue(ctx)
	if err != nil {
		return nil, err
	}
	if held != nil {
		defer held.Release()
	}
	s.report.Began = time.Now()
	if waited { // perhaps for long, and there may be something else now
		if err := s.choose(ctx); err != nil {
			return nil, s.interruptedOr(ctx, err)
		}
	}
	if err := s.checkout(ctx); err != nil {
		return nil, s.interruptedOr(ctx, err)
	}
	if err := s.build(ctx); err != nil {
		return nil, err
	}
	restore, err := s.frequency()
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := restore(); e != nil {
			err = errors.Join(err, e)
		}
	}()
	s.show.doing("looking at the machine")
	s.report.Machine = host.Machine{Pin: s.Pin, Procs: s.Procs}.Look(ctx)
	s.show.doing("")
	s.show.machine(s.report.Machine)
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if err := s.create(); err != nil {
		return nil, err
	}
	err = s.measure(ctx)
	return s.conclude(ctx, err)
}

// cleanUp removes the binaries and the worktree.
func (s *Session) cleanUp() {
	if s.scratch == nil {
		return
	}
	if err := s.scratch.Remove(); err != nil {
		s.show.trouble(fmt.Sprintf("cannot remove what was built: %v", err))
	}
}

func (s *Session) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.report.Notes = append(s.report.Notes, text)
	s.show.note(text)
}

// queue waits for the machine, if others have it.
func (s *Session) queue(ctx context.Context) (held *lock.Lock, waited bool, err error) {
	mode := lock.Exclusive
	if s.Shared {
		mode = lock.Shared
	}
	held, err = lock.Acquire(ctx, mode, s.Command, func(ahead []lock.Entry) {
		waited = true
		s.show.waiting(ahead)
	})
	switch {
	case ctx.Err() != nil:
		return nil, waited, context.Cause(ctx)
	case errors.Is(err, errors.ErrUnsupported):
		s.note("This system has no locks that a crash releases, so nothing keeps other benchmarks from running at the same time.")
		return nil, waited, nil
	}
	return held, waited, err
}

// create makes the files for the results.
func (s *Session) create() error {
	base, replace := s.Output, true
	if base == "" {
		base, replace = filepath.Join(s.Dir, "bench-"+s.report.Began.Format("20060102T150405")+".txt"), false
	}
	for i, v := range s.report.Versions {
		name := base
		if len(s.report.Versions) > 1 {
			ext := filepath.Ext(base)
			name = strings.TrimSuffix(base, ext) + "-" + v.Name + ext
		}
		about := []string{
			"threadcall bench, " + s.report.Began.Format(time.RFC3339),
			"command: " + s.Command,
			"version: " + v.Name + ", " + v.What,
			"toolchain: " + v.Toolchain,
			fmt.Sprintf("seed: %d", s.Seed),
		}
		f, err := rounds.CreateFile(name, replace, s.report.ID, about)
		if f != nil {
			s.files = append(s.files, f)
		}
		if err != nil {
			for _, f := range s.files {
				_ = f.Close()
			}
			return fmt.Errorf("%w; -o FILE saves elsewhere", err)
		}
		if rel, err := filepath.Rel(s.Dir, name); err == nil && filepath.IsLocal(rel) {
			name = rel
		}
		s.report.Versions[i].File = name
	}
	return nil
}

// conclude makes the report complete. The error is what went wrong while measuring.
func (s *Session) conclude(ctx context.Context, err error) (*Report, error) {
	var errs []error
	if err != nil {
		errs = append(errs, err)
	}
	for _, f := range s.files {
		if err := f.Close(); err != nil {
			errs = append(errs, err)
		}
	}
	s.report.Interrupted = ctx.Err() != nil
	if s.data.Len() == 0 {
		if failed := s.failures(); failed != nil {
			errs = append([]error{failed}, errs...)
		}
		return nil, errors.Join(append(errs, errors.New("there are no results"))...)
	}
	c, e := s.compare()
	if e != nil {
		if err == nil || err.Error() != e.Error() { // it may be why there were no more rounds
			errs = append(errs, e)
		}
		return nil, errors.Join(errs...)
	}
	s.report.Comparison = c
	if failed := s.failures(); failed != nil {
		errs = append(errs, failed)
	}
	s.report.Breaches, s.report.Blind = check(c, s.FailOn)
	if err := broken(s.report.Breaches); err != nil {
		errs = append(errs, err)
	}
	return s.report, errors.Join(errs...)
}

// compare analyses what there is so far.
func (s *Session) compare() (*stats.Comparison, error) { return Compare(s.data, &s.Settings) }

// Compare analyses the data as the settings want it.
func Compare(d *stats.Data, s *Settings) (c *stats.Comparison, err error) {
	if s.Filter != "" {
		if d, err = d.Filter(s.Filter); err != nil {
			return nil, err
		}
	}
	if s.Col != "" {
		if d, err = d.Project(s.Col); err != nil {
			return nil, err
		}
	}
	return d.Compare(stats.Options{Confidence: s.Confidence}), nil
}

// failures returns an error that names what has failed.
func (s *Session) failures() error {
	if len(s.data.Failures) == 0 {
		return nil
	}
	var names []string
	for _, f := range s.data.Failures {
		name := "Benchmark" + f.Name
		if f.Name == allOfThem {
			name = f.Package
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return fmt.Errorf("%s failed", strings.Join(names, ", "))
}

// broken returns an error that names what breaks a limit.
func broken(breaches []Breach) error {
	var errs []error
	for len(breaches) > 0 {
		limit, parts := breaches[0].Limit, []string(nil)
		for ; len(breaches) > 0 && breaches[0].Limit == limit; breaches = breaches[1:] {
			how := fmt.Sprintf("%+.2f %%", breaches[0].Change*100)
			if breaches[0].FromZero {
				how = "from nothing"
			}
			parts = append(parts, fmt.Sprintf("%s, %s: %s", breaches[0].Benchmark, breaches[0].Unit, how))
		}
		errs = append(errs, fmt.Errorf("-fail-on %s: %s", limit, strings.Join(parts, "; ")))
	}
	return errors.Join(errs...)
}
