package measure

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/plan"
)

// Units that benchmarks report next to those of package testing.
const (
	CPUTime = "cpu-sec/op"
	Threads = "runnable-threads" // how many ran or were ready to, on average
)

// A Data is a set of benchmark results of one or more versions of a program.
type Data struct {
	Versions []string                 // their names, the oldest first
	Units    benchfmt.UnitMetadataMap // what is known of units, such as which direction is better
	Results  []Result
	Failures []plan.Failure // benchmarks that gave no result, or not all
	Warnings []string       // what is odd in the results
}

// A Result is one line of a benchmark's output, and where it belongs.
type Result struct {
	Version, Round int
	*benchfmt.Result
}

// New returns an empty Data with these versions.
func New(versions ...string) *Data {
	return &Data{Units: benchfmt.UnitMetadataMap{}, Versions: slices.Clone(versions)}
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

// Add adds a copy of a result of the version with this index. Results of a benchmark in the same
// round of different versions are a pair: they were measured one right after the other. Values that
// are not numbers are left out, with a warning, and so are those that nothing can measure.
func (d *Data) Add(version, round int, r *benchfmt.Result) {
	r = r.Clone()
	r.Values = slices.DeleteFunc(r.Values, func(v benchfmt.Value) bool {
		size := math.Abs(v.Value)
		odd := !(size <= largest) || 0 < size && size < 1/largest // NaN is neither
		if odd {
			d.Warn("%s reports %v %s, which is left out", r.Name, v.Value, v.Unit)
		}
		return odd
	})
	d.Results = append(d.Results, Result{version, round, r})
}

// largest is a number beyond all measurements, of which the square is a number, too.
const largest = 1e150

// Warn adds a warning, once.
func (d *Data) Warn(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(d.Warnings, text) {
		d.Warnings = append(d.Warnings, text)
	}
}

// Fail notes that a benchmark of a version failed.
func (d *Data) Fail(version int, pkg, name, reason string) {
	d.Failures = append(d.Failures, plan.Failure{Version: d.Versions[version],
		Package: pkg, Name: name, Reason: reason})
}
