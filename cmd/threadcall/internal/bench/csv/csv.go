// Package csv writes comparisons of benchmarks as comma-separated values, a line for each benchmark, unit and version.
package csv

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// Heading are the names of the fields. Ratio is the estimate of the version divided by base, and difference that of the
// version minus base where no ratio makes sense; low, high, p and mde are of the one that is there.
var Heading = []string{"package", "benchmark", "unit", "version", "n", "median", "median_low", "median_high",
	"base", "verdict", "ratio", "difference", "low", "high", "p", "mde", "method"}

// Write writes comparisons of different versions with the same others. Units are those of the files: sec/op, B/s, B/op, allocs/op. A field that does not apply is
// empty.
func Write(w io.Writer, cs ...*stats.Comparison) error {
	out := csv.NewWriter(w)
	_ = out.Write(Heading) // Error returns what has failed
	for _, c := range cs {
		for _, t := range c.Tables {
			for _, row := range t.Rows {
				write(out, c, t.Unit, row)
			}
		}
	}
	out.Flush()
	return out.Error()
}

func write(out *csv.Writer, c *stats.Comparison, unit string, row stats.Row) {
	for v, cell := range row.Cells {
		if cell.N == 0 {
			continue
		}
		base := ""
		if v > 0 {
			base = c.Versions[0]
		}
		line := []string{row.Package, row.Name, unit, c.Versions[v], strconv.Itoa(cell.N), number(cell.Center)}
		line = append(append(line, ends(cell.Interval)...), base)
		_ = out.Write(append(line, difference(row.Deltas[v])...))
	}
}

func difference(d stats.Delta) []string {
	if d.Verdict == stats.None {
		return make([]string, 8)
	}
	ratio, absolute := number(d.Estimate), ""
	if d.Absolute {
		ratio, absolute = "", ratio
	}
	p, mde := "", ""
	if d.Method != stats.Exactly {
		p = number(d.P)
		if d.Interval != nil {
			mde = number(d.MDE)
		}
	}
	line := append([]string{string(d.Verdict), ratio, absolute}, ends(d.Interval)...)
	return append(line, p, mde, string(d.Method))
}

func ends(i *stats.Interval) []string {
	if i == nil {
		return []string{"", ""}
	}
	return []string{number(i.Low), number(i.High)}
}

// number writes as many digits as a measurement can have; more would be the error of the conversion from nanoseconds.
func number(x float64) string { return strconv.FormatFloat(x, 'g', 12, 64) }
