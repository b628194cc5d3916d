// Package measure runs benchmarks in rounds, saves the results, and watches
// the machine meanwhile.
//
// Each benchmark runs in a process of its own, and each of its sub-benchmarks, so that one which
// fails, panics, or leaves garbage behind does nothing to the others, and so that the versions of a
// sub-benchmark run next to each other.
package measure

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/build"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A Measurement runs rounds of jobs and keeps their results.
type Measurement struct {
	Set        *plan.Settings
	Log        *plan.Log
	Record     *Record
	Data       *Data
	Comparable func() bool // examines the results of the first round
	Jobs       []*Job      // to run after the calibration

	benchmarks []build.Benchmark // to calibrate
	files      []*File           // one a version, until one cannot be written
	unsaved    error             // why
}

// Benchmarks returns a measurement of what was built, which begins now.
func Benchmarks(set *plan.Settings, log *plan.Log, v *plan.Versions,
	b *build.Builder) *Measurement {
	var names []string
	for _, v := range v.List {
		names = append(names, v.Name)
	}
	m := &Measurement{Set: set, Log: log, Data: New(names...), Record: &Record{
		Began: time.Now(), Versions: v.List, Toolchain: v.List[len(v.List)-1].Toolchain,
		Settings: *set, Notes: []string{}, Identical: []string{},
	}, benchmarks: b.Benchmarks}
	m.Record.Identical = append(m.Record.Identical, b.Identical...)
	m.Data.Failures = b.Failures
	return m
}

// Begin waits for the lock that one run at a time has, and makes the directory for what lasts until
// the end of the run.
func Begin(ctx context.Context, set *plan.Settings,
	l *plan.Log) (scratch *gotest.Scratch, end func(), err error) {
	release, err := lock(ctx, func(path string) {
		l.Trouble("Waiting for another benchmark, which has locked " + path)
	})
	if errors.Is(err, errors.ErrUnsupported) {
		l.Note("This system has no locks that a crash releases, so other benchmarks may run at the " +
			"same time.")
		release, err = func() {}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if scratch, err = gotest.NewScratch(); err != nil {
		release()
		return nil, nil, fmt.Errorf("cannot make a directory for binaries: %w; GOTMPDIR names another "+
			"place for them", err)
	}
	return scratch, func() {
		if err := scratch.Remove(); err != nil {
			l.Trouble(fmt.Sprintf("cannot remove what was built: %v", err))
		}
		release()
	}, nil
}

// Prepare makes the files for the results.
func (m *Measurement) Prepare() error {
	if n, least := m.Set.Count, plan.LeastRounds(); n < least && len(m.Record.Versions) > 1 {
		m.Log.Note("-count %d is too few for an interval or a verdict, however large the "+
			"difference is: at least %d are needed.", n, least)
	}
	if m.Set.Output == "" {
		return nil
	}
	for i, v := range m.Record.Versions {
		name := m.Set.Output
		if len(m.Record.Versions) > 1 {
			ext := filepath.Ext(name)
			name = strings.TrimSuffix(name, ext) + "-" + v.Name + ext
		}
		f, err := createFile(name, []string{
			"threadcall bench, " + m.Record.Began.Format(time.RFC3339),
			"version: " + v.Name + ", " + v.What,
			"command: " + m.Set.Command,
			"toolchain: " + v.Toolchain,
		})
		if f != nil {
			m.files = append(m.files, f)
		}
		if err != nil {
			return errors.Join(err, m.close())
		}
		m.Record.Versions[i].File = name
	}
	return nil
}

func (m *Measurement) close() (err error) {
	for _, f := range m.files {
		err = errors.Join(err, f.file.Close())
	}
	m.files = nil
	return err
}

// Measure measures all rounds, unless an error or the context ends them. There may be results even
// then, in Data.
func (m *Measurement) Measure(ctx context.Context) error {
	err := errors.Join(m.rounds(ctx), m.unsaved, m.close())
	m.Record.Interrupted = ctx.Err() != nil
	return err
}

// rounds measures all rounds. Without an error, all are done.
func (m *Measurement) rounds(ctx context.Context) error {
	r, began := m.Record, time.Now()
	start := began
	defer func() {
		m.Log.Progress("")
		r.Seconds = time.Since(began).Seconds()
	}()
	if err := m.Calibrate(ctx, m.benchmarks); err != nil {
		r.Stopped = "interrupted before the first round"
		return err
	}
	began = time.Now()
	for n := range m.Set.Count {
		spent := time.Since(start)
		round := time.Since(began) / time.Duration(max(n, 1))
		if m.Set.For > 0 && n >= plan.LeastRounds() && spent+round > m.Set.For {
			r.Stopped = fmt.Sprintf("another would end after the %s of -for",
				ui.Duration(m.Set.For))
			return nil
		}
		all := Order(m.Jobs)
		if len(all) == 0 {
			r.Stopped = "no benchmark is left that has not failed"
			return nil
		}
		one, part := 0.0, 0.0 // seconds that a round is expected to take, and what of it is done
		for _, process := range all {
			one += process.Job.takes()
		}
		count := float64(m.Set.Count)
		if m.Set.For > 0 {
			fit := m.Set.For.Seconds() / max(one, round.Seconds())
			count = min(count, max(float64(plan.LeastRounds()), fit))
		}
		for i, process := range all {
			done := (float64(n) + part/one) / count
			part += process.Job.takes()
			m.Log.Progress(fmt.Sprintf("round %d of %d: %d of %d, %s%s", n+1, m.Set.Count, i+1,
				len(all), process.Job.Benchmark, left(began, done, one*count)))
			if err := m.process(ctx, n+1, process); err != nil {
				r.Stopped = fmt.Sprintf("interrupted in round %d", n+1)
				return err
			}
		}
		m.Log.Progress("")
		r.Rounds++
		// What is wrong with -fail-on shows with the first results.
		if n == 0 && !m.Comparable() {
			r.Stopped = "it cannot be compared"
			return nil
		}
		m.roundDone(n+1, left(began, float64(n+1)/count, 0))
	}
	r.Stopped = "all rounds are done"
	return nil
}

// process runs one process and keeps what it has measured.
func (m *Measurement) process(ctx context.Context, round int, process Process) error {
	o, err := Run(ctx, m.Set, process)
	if err != nil {
		return err
	}
	m.Data.Keep(round, o)
	if m.files != nil {
		if err := m.files[o.Version].add(o); err != nil {
			m.unsaved = fmt.Errorf("cannot save results: %w", errors.Join(err, m.close()))
			m.Log.Trouble(fmt.Sprintf("%v. The run goes on.", m.unsaved))
		}
	}
	m.failed(o, fmt.Sprintf("round %d", round))
	return nil
}

// failed keeps what failed in a process.
func (m *Measurement) failed(o *Outcome, when string) {
	pkg, version := o.Job.Package, m.Record.Versions[o.Version].Name
	for _, f := range o.Failed {
		m.Data.Fail(o.Version, pkg, strings.TrimPrefix(f.Benchmark, "Benchmark"), f.Reason)
		m.Log.Trouble(fmt.Sprintf("%s of %s has failed and will not run again (%s version, "+
			"%s):\n%s", f.Benchmark, pkg, version, when, f.Reason))
	}
	if o.Empty {
		m.Log.Note("%s of %s gives no result, so it will not run again; go test -v -bench prints why, "+
			"if it skips.", o.Job.Benchmark, pkg)
	}
}
