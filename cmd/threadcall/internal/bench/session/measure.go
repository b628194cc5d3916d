package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/machine"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/rounds"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/store"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A measurement runs rounds and keeps their results.
type measurement struct {
	set   *Settings
	log   log
	jobs  []*rounds.Job
	data  *stats.Data
	watch *machine.Watch
	do    func(context.Context, rounds.Run) (*rounds.Outcome, error) // runs one process
	ready bool                                                       // the jobs need no calibration

	files []*rounds.File // one a version
}

// create makes the files for the results.
func (m *measurement) create() error {
	report := m.log.report
	base, replace := m.set.Output, true
	if base == "" {
		dir := store.Dir(m.set.Dir)
		if err := store.Make(dir); err != nil {
			return fmt.Errorf("%w; -o FILE saves elsewhere", err)
		}
		base, replace = filepath.Join(dir, report.Began.Format("20060102T150405")+".txt"), false
	}
	for i, v := range report.Versions {
		name := base
		if len(report.Versions) > 1 {
			ext := filepath.Ext(base)
			name = strings.TrimSuffix(base, ext) + "-" + v.Name + ext
		}
		about := []string{
			"threadcall bench, " + report.Began.Format(time.RFC3339),
			"command: " + m.set.Command,
			"version: " + v.Name + ", " + v.What,
		}
		if v.Toolchain != "" {
			about = append(about, "toolchain: "+v.Toolchain)
		}
		f, err := rounds.CreateFile(name, replace, report.ID, about)
		if f != nil {
			m.files = append(m.files, f)
		}
		if err != nil {
			_ = m.close()
			return fmt.Errorf("%w; -o FILE saves elsewhere", err)
		}
		report.Versions[i].File = m.short(name)
	}
	if m.set.Output == "" {
		m.prune(filepath.Dir(base))
	}
	return nil
}

// prune removes old results of other runs, which nothing needs: that it fails is no reason to measure nothing.
func (m *measurement) prune(dir string) {
	switch runs, err := store.Prune(dir, time.Now()); {
	case err != nil:
		m.log.trouble(fmt.Sprintf("cannot remove old results: %v", err))
	case runs > 0:
		m.log.trouble(fmt.Sprintf("removed from %s: the results of %s", m.short(dir), ui.Counted(runs, "old run", "old runs")))
	}
}

// short returns the name of a file relative to the working directory, if it is below that.
func (m *measurement) short(name string) string {
	if rel, err := filepath.Rel(m.set.Dir, name); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return name
}

func (m *measurement) close() error {
	var errs []error
	for _, f := range m.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// run measures all rounds. Without an error, all are done.
func (m *measurement) run(ctx context.Context) error {
	report := m.log.report
	began := time.Now()
	var pace pace
	defer func() {
		report.During, report.Load, report.Seconds = m.watch.During(), report.load(), time.Since(began).Seconds()
	}()
	if !m.ready {
		if err := m.calibrate(ctx); err != nil {
			m.log.doing("")
			report.Stopped = "interrupted before the first round"
			return err
		}
	}
	m.log.trouble(plan(m.set, m.jobs))
	began = time.Now()
	for n := range m.set.Count {
		layout := 0
		if m.set.Layouts > 0 {
			layout = 1 + n%m.set.Layouts
		}
		runs := rounds.Round(m.jobs, layout)
		if len(runs) == 0 {
			report.Stopped = "no benchmark is left that has not failed"
			return nil
		}
		r := Round{Number: n + 1, Began: time.Now(), Processes: len(runs)}
		for i, run := range runs {
			text := fmt.Sprintf("round %d of %d: %d of %d, %s", n+1, m.set.Count, i+1, len(runs), run.Job.Benchmark)
			done := (float64(n) + float64(i)/float64(len(runs))) / float64(m.set.Count)
			m.log.measuring(done, text+left(began, done))
			if err := m.process(ctx, &r, run); err != nil {
				m.log.doing("")
				report.Stopped = fmt.Sprintf("interrupted in round %d", n+1)
				return err
			}
		}
		m.log.doing("")
		r.Seconds = time.Since(r.Began).Seconds()
		report.Rounds = append(report.Rounds, r)
		if n == 0 { // what is wrong with -col, -filter or -fail-on shows with the first results
			c, err := Compare(m.data, m.set)
			if err == nil {
				err = found(c, m.set.FailOn)
			}
			if err != nil {
				report.Stopped = "it cannot be compared"
				return err
			}
		}
		m.log.roundDone(&pace, r, m.set.Count, left(began, float64(n+1)/float64(m.set.Count)))
	}
	report.Stopped = "all rounds are done"
	return nil
}

// process runs one process and keeps what it has measured.
func (m *measurement) process(ctx context.Context, r *Round, run rounds.Run) error {
	span := m.watch.Begin()
	o, err := m.do(ctx, run)
	taken := span.End()
	if err != nil {
		return err
	}
	version := m.log.report.Versions[run.Version].Name
	for _, l := range o.Lines {
		if l.Result.GetConfig("pkg") != run.Job.Package { // the module had another name, or the benchmark has removed it
			if i, ok := l.Result.ConfigIndex("pkg"); ok {
				l.Result.Config[i].Value = []byte(run.Job.Package)
			} else {
				l.Result.SetConfig("pkg", run.Job.Package)
			}
		}
		m.data.AddLayout(run.Version, r.Number, run.Layout, l.Result)
	}
	for _, u := range o.Units {
		if _, ok := m.data.Units[u.Metadata.UnitMetadataKey]; !ok {
			m.data.Units[u.Metadata.UnitMetadataKey] = u.Metadata
		}
	}
	file := m.files[run.Version]
	was := file.Err()
	file.Add(r.Number, o)
	if taken.Noisy() {
		r.Noisy++
		m.log.report.Noisy = append(m.log.report.Noisy, Noisy{r.Number, run.Job.Package, run.Job.Benchmark, version, taken})
		file.Comment("noisy: " + run.Job.Benchmark + " above, " + taken.String())
	}
	if err := file.Err(); err != nil && was == nil {
		m.log.note("%v. The run goes on, and its table will have everything.", err)
	}
	m.failed(run, o, fmt.Sprintf("round %d", r.Number))
	return nil
}

// failed keeps what failed in a process.
func (m *measurement) failed(run rounds.Run, o *rounds.Outcome, when string) {
	version := m.log.report.Versions[run.Version].Name
	for _, f := range o.Failed {
		m.data.Fail(run.Version, run.Job.Package, strings.TrimPrefix(f.Benchmark, "Benchmark"), f.Reason)
		if m.files != nil {
			m.files[run.Version].Comment("failed: " + f.Benchmark)
		}
		m.log.trouble(fmt.Sprintf("%s of %s has failed and will not run again (%s version, %s):\n%s", f.Benchmark, run.Job.Package, version, when, f.Reason))
	}
	for _, f := range o.Skipped {
		m.log.note("%s of %s gives no result and will not run again: %s", f.Benchmark, run.Job.Package, f.Reason)
	}
}

// conclude makes the report complete. The error is what went wrong while measuring.
func (m *measurement) conclude(ctx context.Context, err error) (*Report, error) {
	errs := []error{err, m.close()}
	report := m.log.report
	report.Interrupted = ctx.Err() != nil
	if m.data.Len() == 0 {
		errs = append([]error{m.failures()}, errs...)
		return nil, errors.Join(append(errs, errors.New("there are no results"))...)
	}
	c, e := Compare(m.data, m.set)
	if e == nil {
		report.Comparison = c
		if old := m.set.VS; len(old) > 1 && m.set.Col == "" {
			for _, v := range report.Versions[:len(old)] {
				report.Against = append(report.Against, c.Pair(v.Name, report.Versions[len(old)].Name))
			}
		}
		var es []error
		for _, pair := range report.pairs() {
			breaches, undecided, e := Check(pair, m.set.FailOn)
			for i := range breaches {
				breaches[i].Old = pair.Versions[0]
			}
			for i := range undecided {
				undecided[i].Old = pair.Versions[0]
			}
			report.Breaches, report.Undecided = append(report.Breaches, breaches...), append(report.Undecided, undecided...)
			es = append(es, e)
		}
		e = errors.Join(es...)
	}
	if err == nil || e == nil || err.Error() != e.Error() { // it may be why there were no more rounds
		errs = append(errs, e)
	}
	if c == nil {
		return nil, errors.Join(errs...)
	}
	return report, errors.Join(append(errs, m.failures())...)
}

// failures returns an error that names the benchmarks that have failed.
func (m *measurement) failures() error {
	var names []string
	for _, f := range m.data.Failures {
		name := "Benchmark" + f.Name
		if f.Name == allOfThem {
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

// Compare analyses the data as the settings ask for.
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
	return d.Compare(), nil
}

// left returns about how much time is left, if that is known, when a part of the work is done.
func left(began time.Time, done float64) string {
	if done == 0 || done == 1 {
		return ""
	}
	rest := time.Duration(float64(time.Since(began)) * (1 - done) / done)
	return ", about " + Took(roughly(max(rest, time.Second))) + " left"
}
