// Package measure runs benchmarks in rounds, saves the results, and watches
// the machine meanwhile.
//
// Each benchmark runs in a process of its own, and each of its sub-benchmarks, so that one which
// fails, panics, or leaves garbage behind does nothing to the others, and so that the versions of a
// sub-benchmark run next to each other.
package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/report"
	"github.com/threadcall/threadcall/cmd/threadcall/report/bench"
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
	err = m.rounds(ctx)
	err = errors.Join(err, m.unsaved, m.files.Close())
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
	if len(o.Failed)+len(o.Lines) == 0 {
		m.Note("%s of %s gives no result, so it will not run again; go test -v -bench prints why, "+
			"if it skips.", o.Job.Name, o.Job.Package)
	}
}

// A Data is a set of benchmark results of one or more versions of a program: a comparison of which
// the cells have their samples, and that package judge completes.
type Data struct {
	bench.Comparison
	Units   benchfmt.UnitMetadataMap // what is known of units, such as which direction is better
	Threads bench.Table              // of the unit [bench.Threads], which is not among the tables
}

// New returns an empty Data with these versions.
func New(versions ...string) *Data {
	return &Data{Units: benchfmt.UnitMetadataMap{}, Comparison: bench.Comparison{Versions: versions,
		Confidence: plan.Confidence, Tables: []bench.Table{}, Times: []bench.Time{},
		Failures: []report.Failure{}, Warnings: []string{}}}
}

// Keep keeps the results of a process.
func (d *Data) Keep(round int, o *Outcome) {
	for _, u := range o.Units {
		if _, ok := d.Units[u.UnitMetadataKey]; !ok {
			d.Units[u.UnitMetadataKey] = u
		}
	}
	for _, l := range o.Lines {
		d.Add(o.Version, round, o.Job.Package, l)
	}
}

// Add adds a result of a package, of the version with this index. Results of a benchmark in the
// same round of different versions are a pair: they were measured one right after the other. Values
// that are not numbers are left out, with a warning, and so are those that nothing can measure.
func (d *Data) Add(version, round int, pkg string, r *benchfmt.Result) {
	for _, v := range r.Values {
		size := math.Abs(v.Value)
		if !(size <= largest) || 0 < size && size < 1/largest { // NaN is neither
			text := fmt.Sprintf("%s reports %v %s, which is left out", r.Name, v.Value, v.Unit)
			if !slices.Contains(d.Warnings, text) {
				d.Warnings = append(d.Warnings, text)
			}
			continue
		}
		row := d.row(v.Unit, bench.Row{Package: pkg, Name: r.Name.String()})
		cell := &row.Cells[version]
		cell.Samples = append(cell.Samples, bench.Sample{Round: round, Value: v.Value})
	}
}

// largest is a number beyond all measurements, of which the square is a number, too.
const largest = 1e150

// usual are the units of package testing, in its order, and those of threadcall bench.
var usual = []string{bench.WallTime, bench.CPUTime, "B/s", "B/op", "allocs/op"}

// row returns the row of a benchmark in the table of a unit, which it makes if they are not there.
func (d *Data) row(unit string, of bench.Row) *bench.Row {
	t := d.Table(unit)
	if unit == bench.Threads {
		t = &d.Threads
	} else if t == nil {
		d.Tables = append(d.Tables, bench.Table{Unit: unit})
		rank := func(t bench.Table) uint { return uint(slices.Index(usual, t.Unit)) } // -1 is last
		slices.SortFunc(d.Tables, func(a, b bench.Table) int {
			return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Unit, b.Unit))
		})
		t = d.Table(unit)
	}
	r := t.Row(&of)
	if r == nil {
		of.Cells = make([]bench.Cell, len(d.Versions))
		t.Rows = append(t.Rows, of)
		r = &t.Rows[len(t.Rows)-1]
	}
	return r
}

// Lacks returns an error if no result has the unit of one of the limits.
func (d *Data) Lacks(limits []plan.Limit) error {
	for _, l := range limits {
		if len(d.Tables) > 0 && l.Unit != "" && d.Table(l.Tidy()) == nil {
			var units []string
			for _, t := range d.Tables {
				units = append(units, bench.Written(t.Unit))
			}
			return fmt.Errorf("-fail-on %s: no benchmark reports %s; they report %s", l.Text, l.Unit,
				strings.Join(units, ", "))
		}
	}
	return nil
}

// Err returns an error that names the benchmarks, and the packages, that have failed.
func (d *Data) Err() error {
	var names []string
	for _, f := range d.Failures {
		name := "Benchmark" + f.Name
		if f.Name == "" {
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

// A file is where the results of a version are saved, in the Go benchmark format, each when it is
// there.
//
// Everything else that the run records is in comments: lines that begin with #, which readers of
// the format skip. As configuration, by which benchstat separates its tables, there is only what go
// test writes.
type file struct {
	*os.File
	out *benchfmt.Writer // to the file
}

// files are one a version.
type files []file

// createFiles makes the files for the results, in place of those that are there, and names them in
// the record.
func createFiles(output string, r *bench.Record) (all files, err error) {
	for i := range r.Versions {
		v := &r.Versions[i]
		if v.File = output; len(r.Versions) > 1 {
			ext := filepath.Ext(output)
			v.File = strings.TrimSuffix(output, ext) + "-" + v.Name + ext
		}
		header := ""
		for _, line := range []string{"threadcall bench, " + r.Began.Format(time.RFC3339),
			"version: " + v.Name + ", " + v.What, "command: " + r.Settings.Command,
			"toolchain: " + v.Toolchain} {
			header += "# " + strings.ReplaceAll(line, "\n", " ") + "\n"
		}
		f, err := os.Create(v.File)
		if err == nil {
			all = append(all, file{f, benchfmt.NewWriter(f)})
			_, err = f.WriteString(header)
		}
		if err != nil {
			return nil, fmt.Errorf("cannot save results: %w", errors.Join(err, all.Close()))
		}
	}
	return all, nil
}

// add saves what a process has measured.
func (all files) add(o *Outcome) (err error) {
	if all == nil {
		return nil
	}
	for _, u := range o.Units {
		err = errors.Join(err, all[o.Version].out.Write(u))
	}
	for _, r := range o.Lines {
		err = errors.Join(err, all[o.Version].out.Write(r))
	}
	return err
}

func (all files) Close() (err error) {
	for _, f := range all {
		err = errors.Join(err, f.File.Close())
	}
	return err
}
