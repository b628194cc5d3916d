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
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A measurement runs rounds of jobs and keeps their results.
type measurement struct {
	*plan.Plan
	data    *Data
	jobs    []*Job
	files   files // none, or until one cannot be written
	unsaved error // why
}

// Run calibrates the benchmarks of a plan and measures them in rounds, unless an error or the
// context ends that. It completes the record. There may be results even with an error.
func Run(ctx context.Context, p *plan.Plan) (d *Data, err error) {
	m, r := &measurement{Plan: p, data: New()}, &p.Record
	m.data.Failures = append(m.data.Failures, p.Failures...)
	for _, v := range r.Versions {
		m.data.Versions = append(m.data.Versions, v.Name)
	}
	r.Began = time.Now()
	if len(p.Benchmarks) == 0 {
		r.Stopped = "no test binary differs that was built"
		return m.data, nil
	}
	if n, least := p.Set.Count, plan.LeastRounds(); n < least && len(r.Versions) > 1 {
		p.Note("-count %d is too few for an interval or a verdict, however large the "+
			"difference is: at least %d are needed.", n, least)
	}
	if p.Set.Output != "" {
		if m.files, err = createFiles(p.Set.Output, r); err != nil {
			return m.data, err
		}
	}
	err = errors.Join(m.rounds(ctx), m.unsaved, m.files.Close())
	r.Interrupted = ctx.Err() != nil
	return m.data, err
}

// rounds measures all rounds. It returns nil if they are done, or no later one may begin.
func (m *measurement) rounds(ctx context.Context) error {
	r, start := &m.Record, time.Now()
	began := start
	defer func() {
		m.Progress("")
		r.Seconds = time.Since(began).Seconds()
	}()
	if err := m.calibrate(ctx); err != nil {
		r.Stopped = "interrupted before the first round"
		return err
	}
	began = time.Now()
	for n := range m.Set.Count {
		round := time.Since(began) / time.Duration(max(n, 1))
		if m.Set.For > 0 && n >= plan.LeastRounds() && time.Since(start)+round > m.Set.For {
			r.Stopped = fmt.Sprintf("another would end after the %s of -for", ui.Duration(m.Set.For))
			return nil
		}
		all := Order(m.jobs)
		if len(all) == 0 {
			r.Stopped = "no benchmark is left that has not failed"
			return nil
		}
		for i, process := range all {
			m.Progress(fmt.Sprintf("round %d of %d: %d of %d, %s%s", n+1, m.Set.Count, i+1,
				len(all), process.Job.Name, m.left(n, float64(i)/float64(len(all)), began)))
			if err := m.process(ctx, n+1, process); err != nil {
				r.Stopped = fmt.Sprintf("interrupted in round %d", n+1)
				return err
			}
		}
		m.Progress("")
		r.Rounds++
		if err := m.data.Lacks(m.Set.FailOn); err != nil {
			r.Stopped = "it cannot be compared"
			return err
		}
		// Without a terminal for the progress: after the first round, and each tenth of them.
		if of := m.Set.Count; !m.Terminal() && (n == 0 || 10*(n+1)/of != 10*n/of) {
			fmt.Fprintf(m, "round %d of %d%s\n", n+1, of, m.left(n, 1, began))
		}
	}
	r.Stopped = "all rounds are done"
	return nil
}

// left returns about how much time is left after so many rounds and a part of one.
func (m *measurement) left(rounds int, part float64, began time.Time) string {
	spent := float64(time.Since(began))
	done := (float64(rounds) + part) / float64(m.Set.Count)
	if m.Set.For > 0 {
		done = max(done, spent/float64(m.Set.For))
	}
	if done <= 0 || done >= 1 {
		return ""
	}
	rest := time.Duration(spent * (1/done - 1))
	precision := time.Second
	if rest > time.Minute {
		precision = 10 * time.Second
	}
	return ", about " + ui.Duration(max(rest, time.Second).Round(precision)) + " left"
}

// process runs one process and keeps what it has measured.
func (m *measurement) process(ctx context.Context, round int, process Process) error {
	o, err := start(ctx, m.Set, process)
	if err != nil {
		return err
	}
	m.data.Keep(round, o)
	if err := m.files.add(o); err != nil {
		m.unsaved = fmt.Errorf("cannot save results: %w", errors.Join(err, m.files.Close()))
		m.files = nil
		m.Trouble(fmt.Sprintf("%v. The run goes on.", m.unsaved))
	}
	m.failed(o, fmt.Sprintf("round %d", round))
	return nil
}

// failed keeps what failed in a process.
func (m *measurement) failed(o *Outcome, when string) {
	for _, f := range o.Failed {
		f.Version, f.Package = m.data.Versions[o.Version], o.Job.Package
		m.data.Failures = append(m.data.Failures, f)
		m.Trouble(fmt.Sprintf("Benchmark%s of %s has failed and will not run again (%s version, "+
			"%s):\n%s", f.Name, f.Package, f.Version, when, f.Reason))
	}
	if o.Empty {
		m.Note("%s of %s gives no result, so it will not run again; go test -v -bench prints why, "+
			"if it skips.", o.Job.Name, o.Job.Package)
	}
}
