package present

import (
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/judge"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

var (
	//go:embed page.css
	style string
	//go:embed page.html
	source string
)

// SavePage writes the result as a web page: the tables of the terminal, and each measurement as a
// dot.
func (r Result) SavePage(name string) error { return r.page().Save(name) }

// A view is what the template shows.
type view struct {
	Facts    [][2]string
	Pairs    []digest
	Sections []strips
	Notes    []string
}

// A strips is the values of one unit.
type strips struct {
	Unit  string
	Cards []card
}

// A card shows one benchmark: all values of all versions.
type card struct {
	Name  string
	Lanes []lane
	Plot  template.HTML // empty if all values of each version are equal
}

// A lane is one version on it.
type lane struct {
	Colour          template.CSS
	Version, Median string
}

func (r Result) page() ui.Page {
	v := view{Facts: r.facts(), Notes: slices.Clone(legend)}
	if r.Report != nil {
		v.Facts = append(v.Facts, [2]string{"command", r.Report.Command})
		v.Notes = append(slices.Clone(r.Report.Notes), legend...)
	}
	for _, f := range r.failures() {
		v.Notes = append(v.Notes, "Failed: "+f[0]+": "+f[1])
	}
	v.Notes = append(v.Notes, r.Comparison.Warnings...)
	for _, c := range r.Pairs() {
		for version := 1; version < len(c.Versions); version++ {
			v.Pairs = append(v.Pairs, digestOf(c, version, true))
		}
	}
	name := names(r.Comparison)
	for i := range r.Comparison.Tables {
		t := &r.Comparison.Tables[i]
		s := strips{Unit: t.Unit}
		for j := range t.Rows {
			s.Cards = append(s.Cards, draw(r.Comparison, t, &t.Rows[j], name(t.Rows[j])))
		}
		v.Sections = append(v.Sections, s)
	}
	return ui.Page{Title: r.title(), Style: style, Source: source, View: v}
}

func colour(version int) template.CSS {
	return []template.CSS{"var(--one)", "var(--two)", "var(--three)", "var(--four)"}[version%4]
}

const (
	stripWidth = 440.0
	laneHeight = 46.0
	axisHeight = 20.0
)

// draw draws the values of a row, each version in a lane of its own.
func draw(c *judge.Comparison, t *judge.Table, row *judge.Row, name string) card {
	x := card{Name: name}
	exact := true
	for version, cell := range row.Cells {
		l := lane{colour(version), c.Versions[version], ""}
		if cell.N > 0 {
			l.Median = fmt.Sprintf("%s %s (n=%d)", value(t, cell.Center), cell.PlusMinus(), cell.N)
			exact = exact && cell.Exact
		}
		x.Lanes = append(x.Lanes, l)
	}
	if exact {
		return x
	}
	a := extent(row)
	height := laneHeight * float64(len(row.Cells))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="strip" viewBox="0 0 %g %g" role="img" aria-label="the values">`,
		stripWidth, height+axisHeight)
	ticks := a.Ticks(5)
	scaler := benchunit.CommonScale(ticks, benchunit.ClassOf(t.Unit))
	for _, x := range ticks {
		fmt.Fprintf(&b, `<line class="grid" x1="%.1f" x2="%.1[1]f" y1="0" y2="%[2]g"/>`+
			`<text x="%.1[1]f" y="%[3]g" text-anchor="middle">%[4]s</text>`,
			a.At(x), height, height+15, scaler.Format(x))
	}
	for version, cell := range row.Cells {
		top := laneHeight * float64(version)
		fmt.Fprintf(&b, `<g style="--version: %s">`, colour(version))
		if cell.Interval != nil {
			left, right := a.At(cell.Interval.Low), a.At(cell.Interval.High)
			fmt.Fprintf(&b, `<rect class="interval" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`,
				left, top+5, max(right-left, 1), laneHeight-10)
		}
		if cell.N > 0 {
			fmt.Fprintf(&b, `<line class="median" x1="%.1f" x2="%.1[1]f" y1="%.1f" y2="%.1f"/>`,
				a.At(cell.Center), top+3, top+laneHeight-3)
		}
		for i, s := range cell.Samples {
			_, jitter := math.Modf(float64(i)*0.618034 + 0.3) // spread evenly, without a pattern
			class, where := "dot", fmt.Sprintf("%s, nr. %d", c.Versions[version], i+1)
			if s.Round >= 0 {
				where = fmt.Sprintf("%s, round %d", c.Versions[version], s.Round)
			}
			if a.Beyond(s.Value) {
				class = "dot beyond"
			}
			fmt.Fprintf(&b, `<circle class="%s" cx="%.1f" cy="%.1f" r="3.5">`, class, a.At(s.Value),
				top+9+jitter*(laneHeight-18))
			where = template.HTMLEscapeString(where + ": " + value(t, s.Value))
			fmt.Fprintf(&b, `<title>%s</title></circle>`, where)
		}
		b.WriteString("</g>")
	}
	b.WriteString("</svg>")
	x.Plot = template.HTML(b.String())
	return x
}

// extent returns an axis for all values of a row, except those so far from the medians that the
// others would be at one place.
func extent(row *judge.Row) ui.Axis {
	low, high := math.Inf(1), math.Inf(-1)
	for _, cell := range row.Cells {
		var values []float64
		for _, s := range cell.Samples {
			values = append(values, s.Value)
		}
		if cell.N > 0 {
			width := 4 * max(stats.Spread(values), 0.01*math.Abs(cell.Center))
			low = min(low, max(slices.Min(values), cell.Center-width))
			high = max(high, min(slices.Max(values), cell.Center+width))
		}
	}
	margin := 0.04*(high-low) + 1e-12
	return ui.Axis{Low: low - margin, High: high + margin, Left: 26, Right: stripWidth - 26}
}
