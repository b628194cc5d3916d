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
	"github.com/threadcall/threadcall/cmd/threadcall/report/bench"
)

// A measurement runs rounds of jobs and keeps their results.
type measurement struct {
	set     *plan.Settings
	log     *plan.Log
	record  *bench.Record
	data    *Data
	jobs    []*Job
	files   files // none, or until one cannot be written
	unsaved error // why
}

// Run calibrates benchmarks and measures them in rounds, unless an error or the context ends that.
// It completes the record. There may be results even with an error.
func Run(ctx context.Context, set *plan.Settings, log *plan.Log, record *bench.Record,
	benchmarks []plan.Benchmark) (d *Data, err error) {
	m := &measurement{set: set, log: log, record: record, data: New()}
	for _, v := range record.Versions {
		m.data.Versions = append(m.data.Versions, v.Name)
	}
	if len(benchmarks) == 0 {
		record.Stopped = "no test binary differs that was built"
		return m.data, nil
	}
	if n, least := set.Count, plan.LeastRounds(); n < least && len(record.Versions) > 1 {
		log.Note("-count %d is too few for an interval or a verdict, however large the "+
			"difference is: at least %d are needed.", n, least)
	}
	if set.Output != "" {
		if m.files, err = createFiles(set.Output, record); err != nil {
			return m.data, err
		}
	}
	err = errors.Join(m.rounds(ctx, benchmarks), m.unsaved, m.files.Close())
	record.Interrupted = ctx.Err() != nil
	return m.data, err
}

// rounds measures all rounds. It returns nil if they are done, or no later one may begin.
func (m *measurement) rounds(ctx context.Context, benchmarks []plan.Benchmark) error {
	r, start := m.record, time.Now()
	began := start
	defer func() {
		m.log.Progress("")
		r.Seconds = time.Since(began).Seconds()
	}()
	if err := m.calibrate(ctx, benchmarks); err != nil {
		r.Stopped = "interrupted before the first round"
		return err
	}
	began = time.Now()
	for n := range m.set.Count {
		round := time.Since(began) / time.Duration(max(n, 1))
		if m.set.For > 0 && n >= plan.LeastRounds() && time.Since(start)+round > m.set.For {
			r.Stopped = fmt.Sprintf("another would end after the %s of -for", ui.Duration(m.set.For))
			return nil
		}
		all := Order(m.jobs)
		if len(all) == 0 {
			r.Stopped = "no benchmark is left that has not failed"
			return nil
		}
		for i, process := range all {
			m.log.Progress(fmt.Sprintf("round %d of %d: %d of %d, %s%s", n+1, m.set.Count, i+1,
				len(all), process.Job.Name, m.left(n, float64(i)/float64(len(all)), began)))
			if err := m.process(ctx, n+1, process); err != nil {
				r.Stopped = fmt.Sprintf("interrupted in round %d", n+1)
				return err
			}
		}
		m.log.Progress("")
		r.Rounds++
		if err := m.data.Lacks(m.set.FailOn); err != nil {
			r.Stopped = "it cannot be compared"
			return err
		}
		// Without a terminal for the progress: after the first round, and each tenth of them.
		if of := m.set.Count; !m.log.Terminal() && (n == 0 || 10*(n+1)/of != 10*n/of) {
			fmt.Fprintf(m.log, "round %d of %d%s\n", n+1, of, m.left(n, 1, began))
		}
	}
	r.Stopped = "all rounds are done"
	return nil
}

// left returns about how much time is left after so many rounds and a part of one.
func (m *measurement) left(rounds int, part float64, began time.Time) string {
	spent := float64(time.Since(began))
	done := (float64(rounds) + part) / float64(m.set.Count)
	if m.set.For > 0 {
		done = max(done, spent/float64(m.set.For))
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
	o, err := start(ctx, m.set, process)
	if err != nil {
		return err
	}
	m.data.Keep(round, o)
	if err := m.files.add(o); err != nil {
		m.unsaved = fmt.Errorf("cannot save results: %w", errors.Join(err, m.files.Close()))
		m.files = nil
		m.log.Trouble(fmt.Sprintf("%v. The run goes on.", m.unsaved))
	}
	m.failed(o, fmt.Sprintf("round %d", round))
	return nil
}

// failed keeps what failed in a process.
func (m *measurement) failed(o *Outcome, when string) {
	for _, f := range o.Failed {
		f.Version, f.Package = m.data.Versions[o.Version], o.Job.Package
		m.data.Failures = append(m.data.Failures, f)
		m.log.Trouble(fmt.Sprintf("Benchmark%s of %s has failed and will not run again (%s version, "+
			"%s):\n%s", f.Name, f.Package, f.Version, when, f.Reason))
	}
	if o.Empty {
		m.log.Note("%s of %s gives no result, so it will not run again; go test -v -bench prints why, "+
			"if it skips.", o.Job.Name, o.Job.Package)
	}
}
