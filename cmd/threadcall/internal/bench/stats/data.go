// Package stats analyses benchmark results: how long each took, what changed between versions, and the minimum detectable
// effect. The methods are those of golang.org/x/perf and of the library below it; docs/bench-statistics.md describes them and
// their error rates.
//
// A Data collects results, from a run that Adds them or from files that Read reads. Compare analyses what is there.
package stats

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchfmt"
)

// A Data is a set of benchmark results of one or more versions of a program.
type Data struct {
	Units    benchfmt.UnitMetadataMap // what is known of units, such as which direction is better
	Failures []Failure                // benchmarks that gave no result, or not all
	Warnings []string                 // what is odd in the results

	versions []string
	results  []result
}

// A Failure is a benchmark that failed.
type Failure struct {
	Version string `json:"version"`
	Package string `json:"package,omitempty"`
	Name    string `json:"name"` // without "Benchmark", as in a Row
	Reason  string `json:"reason"`
}

// A result is one line of a benchmark's output, and where it belongs.
type result struct {
	version int
	place
	*benchfmt.Result
}

// New returns an empty Data with these versions, the oldest first. Versions are compared with the first.
func New(versions ...string) *Data {
	return &Data{Units: benchfmt.UnitMetadataMap{}, versions: slices.Clone(versions)}
}

// Versions returns the names that New was given.
func (d *Data) Versions() []string { return slices.Clone(d.versions) }

// Len returns the number of results.
func (d *Data) Len() int { return len(d.results) }

// Add adds a copy of a result of the version with this index. Results of a benchmark in the same round of different
// versions are a pair: they were measured one right after the other. A negative round pairs with nothing. Values that
// are no numbers are left out, with a warning, and so are those that nothing can measure.
func (d *Data) Add(version, round int, r *benchfmt.Result) { d.AddLayout(version, round, 0, r) }

// AddLayout is Add for a program with another layout of its code, which has a number from 1.
func (d *Data) AddLayout(version, round, layout int, r *benchfmt.Result) {
	d.add(version, place{number: round, layout: layout}, r)
}

func (d *Data) add(version int, at place, r *benchfmt.Result) {
	if version < 0 || version >= len(d.versions) {
		panic(fmt.Sprintf("stats: version %d of %d", version, len(d.versions)))
	}
	r = r.Clone()
	r.SetConfig(".file", d.versions[version]) // what filters and projections call it
	r.Values = slices.DeleteFunc(r.Values, func(v benchfmt.Value) bool {
		size := math.Abs(v.Value)
		odd := !(size <= largest) || 0 < size && size < 1/largest // NaN is neither
		if warning := fmt.Sprintf("%s reports %v %s, which is left out", r.Name, v.Value, v.Unit); odd && !slices.Contains(d.Warnings, warning) {
			d.Warnings = append(d.Warnings, warning)
		}
		return odd
	})
	d.results = append(d.results, result{version, at, r})
}

// largest is a number beyond all measurements, of which the square is a number, too.
const largest = 1e150

// Fail notes that a benchmark of a version failed.
func (d *Data) Fail(version int, pkg, name, reason string) {
	d.Failures = append(d.Failures, Failure{d.versions[version], pkg, name, reason})
}
