package measure

import (
	"cmp"
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
	"github.com/threadcall/threadcall/cmd/threadcall/report"
	"github.com/threadcall/threadcall/cmd/threadcall/report/bench"
)

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
		// The module had another name, or the benchmark has removed it.
		if i, ok := l.ConfigIndex("pkg"); ok {
			l.Config[i].Value = []byte(o.Job.Package)
		} else if o.Job.Package != "" {
			l.SetConfig("pkg", o.Job.Package)
		}
		d.Add(o.Version, round, l)
	}
}

// Add adds a result of the version with this index. Results of a benchmark in the same round of
// different versions are a pair: they were measured one right after the other. Values that are not
// numbers are left out, with a warning, and so are those that nothing can measure.
func (d *Data) Add(version, round int, r *benchfmt.Result) {
	for _, v := range r.Values {
		size := math.Abs(v.Value)
		if !(size <= largest) || 0 < size && size < 1/largest { // NaN is neither
			text := fmt.Sprintf("%s reports %v %s, which is left out", r.Name, v.Value, v.Unit)
			if !slices.Contains(d.Warnings, text) {
				d.Warnings = append(d.Warnings, text)
			}
			continue
		}
		row := d.row(v.Unit, bench.Row{Package: r.GetConfig("pkg"), Name: r.Name.String()})
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
