// Package results reads what benchmarks and phases have measured, and compares it.
package results

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A key is of what BenchmarkLoad/subject=Subject has measured in this unit.
type key struct{ load, subject, unit string }

// Results are series of values, one of each round.
type Results struct {
	Machine         string   // the first that is named
	Loads, Subjects []string // in the order in which they come first
	series          map[key][]float64
}

var line = regexp.MustCompile(`^Benchmark(\S+)/subject=(\w+)(?:-\d+)?\s+\d+\s+(.*)$`)

// Read adds results in the Go benchmark format, and skips what is none.
func (r *Results) Read(text string) {
	if r.series == nil {
		r.series = map[key][]float64{}
	}
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		if machine, ok := strings.CutPrefix(l, "# machine: "); ok && r.Machine == "" {
			r.Machine = machine
		}
		m := line.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		add(&r.Loads, m[1])
		add(&r.Subjects, m[2])
		for pair := range slices.Chunk(strings.Fields(m[3]), 2) {
			value, err := strconv.ParseFloat(pair[0], 64)
			if k := (key{m[1], m[2], pair[len(pair)-1]}); err == nil {
				r.series[k] = append(r.series[k], value)
			}
		}
	}
}

func add(list *[]string, one string) {
	if !slices.Contains(*list, one) {
		*list = append(*list, one)
	}
}

// Of returns the values of the rounds.
func (r *Results) Of(load, subject, unit string) []float64 {
	return r.series[key{load, subject, unit}]
}

// Ratios returns the ratios of a to b within rounds, without those in which one is zero.
func Ratios(a, b []float64) (ratios []float64) {
	for i := range min(len(a), len(b)) {
		if a[i] > 0 && b[i] > 0 {
			ratios = append(ratios, a[i]/b[i])
		}
	}
	return ratios
}

// Median returns the median, or zero of nothing.
func Median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return 0
	}
	values = slices.Sorted(slices.Values(values))
	return (values[(n-1)/2] + values[n/2]) / 2
}

// Sure reports whether all of six ratios or more are on the same side of 1, which the sign test at
// 5 % asks for.
func Sure(ratios []float64) bool {
	return len(ratios) >= 6 && (slices.Min(ratios) > 1 || slices.Max(ratios) < 1)
}
