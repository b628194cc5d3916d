// Package measure runs what was built in rounds, keeps the results in files, and watches the
// machine meanwhile.
package measure

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/build"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/machine"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/rounds"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/store"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A Measurement runs rounds of jobs and keeps their results.
type Measurement struct {
	Set  *plan.Settings
	Log  *plan.Log
	Run  *Run
	Jobs []*rounds.Job
	Data *stats.Data

	Do    func(context.Context, rounds.Run) (*rounds.Outcome, error) // runs one process
	Ready bool                                                       // the jobs need no calibration
	Check func(*stats.Data) error                                    // examines the results of the first round

	watch *machine.Watch
	files []*rounds.File // one a version
}

// NewRun returns a run that begins now.
func NewRun(set *plan.Settings) *Run {
	return &Run{
		Began: time.Now(), Command: set.Command, ID: strings.ToLower(rand.Text()),
		Settings: Chosen{Bench: set.Bench, Benchtime: set.Each.Benchtime, CPU: set.Each.CPU, Count: set.Count, Layouts: set.Layouts},
		Rounds:   []Round{}, Noisy: []Noisy{}, Notes: []string{}, Identical: []string{},
	}
}

// Prepare examines the machine and makes the files for the results.
func (m *Measurement) Prepare(ctx context.Context) error {
	m.watch, m.Run.Machine = Observe(ctx, m.Set.Procs, m.Log)
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := m.create(); err != nil {
		return err
	}
	if text := tooFew(m.Set); text != "" && len(m.Run.Versions) > 1 {
		m.Log.Note("%s", text)
	}
	return nil
}

// Measure measures all rounds, unless an error or the context ends them. There may be results even
// then, in Data.
func (m *Measurement) Measure(ctx context.Context) error {
	err := errors.Join(m.run(ctx), m.close())
	m.Run.Interrupted = ctx.Err() != nil
	return err
}

// create makes the files for the results.
func (m *Measurement) create() error {
	base, replace := m.Set.Output, true
	if base == "" {
		dir := store.Dir(m.Set.Dir)
		if err := store.Make(dir); err != nil {
			return fmt.Errorf("%w; -o FILE saves elsewhere", err)
		}
		base, replace = filepath.Join(dir, m.Run.Began.Format("20060102T150405")+".txt"), false
	}
	for i, v := range m.Run.Versions {
		name := base
		if len(m.Run.Versions) > 1 {
			ext := filepath.Ext(base)
			name = strings.TrimSuffix(base, ext) + "-" + v.Name + ext
		}
		about := []string{
			"threadcall bench, " + m.Run.Began.Format(time.RFC3339),
			"command: " + m.Set.Command,
			"version: " + v.Name + ", " + v.What,
		}
		if v.Toolchain != "" {
			about = append(about, "toolchain: "+v.Toolchain)
		}
		f, err := rounds.CreateFile(name, replace, m.Run.ID, about)
		if f != nil {
			m.files = append(m.files, f)
		}
		if err != nil {
			_ = m.close()
			return fmt.Errorf("%w; -o FILE saves elsewhere", err)
		}
		m.Run.Versions[i].File = m.short(name)
	}
	if m.Set.Output == "" {
		m.prune(filepath.Dir(base))
	}
	return nil
}

// prune removes old results of other runs, which nothing needs: that it fails is no reason to
// measure nothing.
func (m *Measurement) prune(dir string) {
	switch runs, err := store.Prune(dir, time.Now()); {
	case err != nil:
		m.Log.Trouble(fmt.Sprintf("cannot remove old results: %v", err))
	case runs > 0:
		m.Log.Trouble(fmt.Sprintf("removed from %s: the results of %s", m.short(dir), ui.Counted(runs, "old run", "old runs")))
	}
}

// short returns the name of a file relative to the working directory, if it is below that.
func (m *Measurement) short(name string) string {
	if rel, err := filepath.Rel(m.Set.Dir, name); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return name
}

func (m *Measurement) close() error {
	var errs []error
	for _, f := range m.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// run measures all rounds. Without an error, all are done.
func (m *Measurement) run(ctx context.Context) error {
	began := time.Now()
	var pace pace
	defer func() {
		m.Run.During, m.Run.Load, m.Run.Seconds = m.watch.During(), m.Run.load(), time.Since(began).Seconds()
	}()
	if !m.Ready {
		if err := m.Calibrate(ctx); err != nil {
			m.Log.Progress("")
			m.Run.Stopped = "interrupted before the first round"
			return err
		}
	}
	m.Log.Trouble(estimate(m.Set, m.Jobs))
	began = time.Now()
	for n := range m.Set.Count {
		layout := 0
		if m.Set.Layouts > 0 {
			layout = 1 + n%m.Set.Layouts
		}
		runs := rounds.Round(m.Jobs, layout)
		if len(runs) == 0 {
			m.Run.Stopped = "no benchmark is left that has not failed"
			return nil
		}
		r := Round{Number: n + 1, Began: time.Now(), Processes: len(runs)}
		for i, run := range runs {
			text := fmt.Sprintf("round %d of %d: %d of %d, %s", n+1, m.Set.Count, i+1, len(runs), run.Job.Benchmark)
			done := (float64(n) + float64(i)/float64(len(runs))) / float64(m.Set.Count)
			measuring(m.Log, done, text+left(began, done))
			if err := m.process(ctx, &r, run); err != nil {
				m.Log.Progress("")
				m.Run.Stopped = fmt.Sprintf("interrupted in round %d", n+1)
				return err
			}
		}
		m.Log.Progress("")
		r.Seconds = time.Since(r.Began).Seconds()
		m.Run.Rounds = append(m.Run.Rounds, r)
		if n == 0 && m.Check != nil { // what is wrong with -col, -filter or -fail-on shows with the first results
			if err := m.Check(m.Data); err != nil {
				m.Run.Stopped = "it cannot be compared"
				return err
			}
		}
		roundDone(m.Log, &pace, r, m.Set.Count, left(began, float64(n+1)/float64(m.Set.Count)))
	}
	m.Run.Stopped = "all rounds are done"
	return nil
}

// process runs one process and keeps what it has measured.
func (m *Measurement) process(ctx context.Context, r *Round, run rounds.Run) error {
	span := m.watch.Begin()
	o, err := m.Do(ctx, run)
	taken := span.End()
	if err != nil {
		return err
	}
	version := m.Run.Versions[run.Version].Name
	for _, l := range o.Lines {
		if l.Result.GetConfig("pkg") != run.Job.Package { // the module had another name, or the benchmark has removed it
			if i, ok := l.Result.ConfigIndex("pkg"); ok {
				l.Result.Config[i].Value = []byte(run.Job.Package)
			} else {
				l.Result.SetConfig("pkg", run.Job.Package)
			}
		}
		m.Data.AddLayout(run.Version, r.Number, run.Layout, l.Result)
	}
	for _, u := range o.Units {
		if _, ok := m.Data.Units[u.Metadata.UnitMetadataKey]; !ok {
			m.Data.Units[u.Metadata.UnitMetadataKey] = u.Metadata
		}
	}
	file := m.files[run.Version]
	was := file.Err()
	file.Add(r.Number, o)
	if taken.Noisy() {
		r.Noisy++
		m.Run.Noisy = append(m.Run.Noisy, Noisy{r.Number, run.Job.Package, run.Job.Benchmark, version, taken})
		file.Comment("noisy: " + run.Job.Benchmark + " above, " + taken.String())
	}
	if err := file.Err(); err != nil && was == nil {
		m.Log.Note("%v. The run goes on, and its table will have everything.", err)
	}
	m.failed(run, o, fmt.Sprintf("round %d", r.Number))
	return nil
}

// failed keeps what failed in a process.
func (m *Measurement) failed(run rounds.Run, o *rounds.Outcome, when string) {
	version := m.Run.Versions[run.Version].Name
	for _, f := range o.Failed {
		m.Data.Fail(run.Version, run.Job.Package, strings.TrimPrefix(f.Benchmark, "Benchmark"), f.Reason)
		if m.files != nil {
			m.files[run.Version].Comment("failed: " + f.Benchmark)
		}
		m.Log.Trouble(fmt.Sprintf("%s of %s has failed and will not run again (%s version, %s):\n%s", f.Benchmark, run.Job.Package, version, when, f.Reason))
	}
	for _, f := range o.Skipped {
		m.Log.Note("%s of %s gives no result and will not run again: %s", f.Benchmark, run.Job.Package, f.Reason)
	}
}

// Failures returns an error that names the benchmarks that have failed.
func Failures(d *stats.Data) error {
	var names []string
	for _, f := range d.Failures {
		name := "Benchmark" + f.Name
		if f.Name == build.All {
			name = f.Package
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if names == nil {
		return nil
	}
	return fmt.Errorf("%s failed", strings.Join(names, ", "))
}

// left returns about how much time is left, if that is known, when a part of the work is done.
func left(began time.Time, done float64) string {
	if done == 0 || done == 1 {
		return ""
	}
	rest := time.Duration(float64(time.Since(began)) * (1 - done) / done)
	return ", about " + ui.Took(roughly(max(rest, time.Second))) + " left"
}
