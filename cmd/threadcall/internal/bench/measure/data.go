package measure

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchfmt"
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
	Failures []Failure // benchmarks that gave no result, or not all
	Warnings []string  // what is odd in the results
}

// A Failure is a benchmark that failed.
type Failure struct {
	Version string `json:"version"`
	Package string `json:"package,omitempty"`
	Name    string `json:"name"` // without "Benchmark"
	Reason  string `json:"reason"`
}

// A Result is one line of a benchmark's output, and where it belongs.
type Result struct {
	Version int
	Place
	*benchfmt.Result
}

// A Place is the run and the round with which a result was measured.
type Place struct {
	Run   string `json:"run,omitempty"` // results are paired within a run only; empty: this one
	Round int    `json:"round"`         // from 1; negative: unknown
}

// New returns an empty Data with these versions.
func New(versions ...string) *Data {
	return &Data{Units: benchfmt.UnitMetadataMap{}, Versions: slices.Clone(versions)}
}

// Add adds a copy of a result of the version with this index. Results of a benchmark in the same
// round of different versions are a pair: they were measured one right after the other. Values that
// are not numbers are left out, with a warning, and so are those that nothing can measure.
func (d *Data) Add(version int, at Place, r *benchfmt.Result) {
	r = r.Clone()
	r.SetConfig(".file", d.Versions[version]) // what filters and projections call it
	r.Values = slices.DeleteFunc(r.Values, func(v benchfmt.Value) bool {
		size := math.Abs(v.Value)
		odd := !(size <= largest) || 0 < size && size < 1/largest // NaN is neither
		if odd {
			d.Warn("%s reports %v %s, which is left out", r.Name, v.Value, v.Unit)
		}
		return odd
	})
	d.Results = append(d.Results, Result{version, at, r})
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
	d.Failures = append(d.Failures, Failure{d.Versions[version], pkg, name, reason})
}

// describe keeps what is known of a unit. What is known already stays.
func (d *Data) describe(u *benchfmt.UnitMetadata) {
	if _, ok := d.Units[u.UnitMetadataKey]; !ok {
		d.Units[u.UnitMetadataKey] = u
	}
}

// Describe keeps what a process says about units.
func (d *Data) Describe(o *Outcome) {
	for _, u := range o.Units {
		d.describe(u)
	}
}
