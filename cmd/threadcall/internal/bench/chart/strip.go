package chart

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/digest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A card shows one benchmark in one unit: all values of all versions.
type card struct {
	ID, Name string
	Lanes    []lane
	Plot     template.HTML // empty if all values of each version are equal
}

// A lane is one version on it.
type lane struct {
	swatch
	Median, Spread, N string
}

func id(t *stats.Table, row *stats.Row) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' {
			return '_'
		}
		return r
	}, t.Unit+":"+row.Package+"."+row.Name)
}

func draw(c *stats.Comparison, t *stats.Table, row *stats.Row, name string) card {
	x := card{ID: id(t, row), Name: name}
	exact := true
	for version, cell := range row.Cells {
		l := lane{swatch: swatch{c.Versions[version], colour(version)}, N: fmt.Sprint(cell.N)}
		if cell.N > 0 {
			l.Median = digest.Value(t, cell.Center)
			if l.Spread = cell.PlusMinus(); l.Spread == "" {
				l.Spread = "always"
			}
			exact = exact && cell.Exact
		}
		x.Lanes = append(x.Lanes, l)
	}
	if !exact {
		x.Plot = strip(c, t, row)
	}
	return x
}

const (
	stripWidth = 440.0
	laneHeight = 46.0
	axisHeight = 20.0
)

// strip draws the values of a row, each version in a lane of its own.
func strip(c *stats.Comparison, t *stats.Table, row *stats.Row) template.HTML {
	a := extent(row)
	height := laneHeight * float64(len(row.Cells))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="strip" viewBox="0 0 %g %g" role="img" aria-label="the values">`, stripWidth, height+axisHeight)
	ticks := a.Ticks(5)
	scaler := benchunit.CommonScale(ticks, benchunit.ClassOf(t.Unit))
	for _, x := range ticks {
		fmt.Fprintf(&b, `<line class="grid" x1="%.1f" x2="%.1f" y1="0" y2="%g"/><text x="%.1f" y="%g" text-anchor="middle">%s</text>`,
			a.At(x), a.At(x), height, a.At(x), height+15, scaler.Format(x)+second(t))
	}
	for version, cell := range row.Cells {
		if cell.N == 0 {
			continue
		}
		top := laneHeight * float64(version)
		fmt.Fprintf(&b, `<g class="lane" style="--version: %s">`, colour(version))
		if cell.Interval != nil {
			left, right := a.At(cell.Interval.Low), a.At(cell.Interval.High)
			fmt.Fprintf(&b, `<rect class="interval" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, left, top+5, max(right-left, 1), laneHeight-10)
		}
		fmt.Fprintf(&b, `<line class="median" x1="%.1f" x2="%.1[1]f" y1="%.1f" y2="%.1f"/>`, a.At(cell.Center), top+3, top+laneHeight-3)
		for i, s := range cell.Samples {
			_, jitter := math.Modf(float64(i)*0.618034 + 0.3) // spread evenly, without a pattern
			y := top + 9 + jitter*(laneHeight-18)
			class, where := "dot", fmt.Sprintf("%s, nr. %d", c.Versions[version], i+1)
			if s.Round >= 0 {
				where = fmt.Sprintf("%s, round %d", c.Versions[version], s.Round)
			}
			if a.Beyond(s.Value) {
				class = "dot beyond"
			}
			fmt.Fprintf(&b, `<circle class="%s" cx="%.1f" cy="%.1f" r="3.5" data-tip="%s"/>`, class, a.At(s.Value), y,
				template.HTMLEscapeString(where+": "+digest.Value(t, s.Value)))
		}
		b.WriteString("</g>")
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// second returns what digest.Value adds to a number.
func second(t *stats.Table) string {
	if strings.Contains(t.Unit, "sec") {
		return "s"
	}
	return ""
}

// extent returns an axis for all values of a row, except those so far away that the others would be at one place.
func extent(row *stats.Row) ui.Axis {
	var all []float64
	low, high := math.Inf(1), math.Inf(-1)
	for _, cell := range row.Cells {
		if cell.N == 0 {
			continue
		}
		var values []float64
		for _, s := range cell.Samples {
			values = append(values, s.Value)
		}
		slices.Sort(values)
		all = append(all, values...)
		quarter := len(values) / 4
		width := max(values[len(values)-1-quarter]-values[quarter], 0.01*math.Abs(cell.Center))
		low, high = min(low, cell.Center-4*width), max(high, cell.Center+4*width)
	}
	low, high = max(low, slices.Min(all)), min(high, slices.Max(all))
	if low == high {
		high, low = high+0.5*math.Abs(high)+1e-12, low-0.5*math.Abs(low)
	}
	margin := 0.04 * (high - low)
	return ui.Axis{Low: low - margin, High: high + margin, Left: 26, Right: stripWidth - 26}
}
