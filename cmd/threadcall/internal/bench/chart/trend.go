package chart

import (
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/digest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A Trend is a page with saved results in the order of their commits.
type Trend struct {
	Title      string
	Points     []Point           // one a version of the Comparison
	Comparison *stats.Comparison // its deltas are not shown
	Steps      []*stats.Comparison
	Notes      []string // sentences
}

// A Point is what was saved of one commit. Steps has its comparison with the point before it; that of the first is nil.
type Point struct {
	Commit, Subject  string
	Committed, Saved string // dates
	Go, Machine      string
}

//go:embed trend.html
var trendSource string

// Save writes the page to a file.
func (t Trend) Save(name string) error { return t.page().Save(name) }

func (t Trend) page() ui.Page {
	return ui.Page{Title: t.Title, Style: style, Script: script, Source: trendSource, View: t.view()}
}

type trendView struct {
	Trend
	Confidence string
	Units      []trendUnit
}

type trendUnit struct {
	Name  string
	Cards []trendCard
}

type trendCard struct {
	Name  string
	Plot  template.HTML
	Open  bool
	Lines []trendLine
}

// A trendLine is a result in the table of a benchmark.
type trendLine struct{ Commit, Subject, Value, Spread, Change, P, Class string }

func (t Trend) view() trendView {
	v := trendView{Trend: t, Confidence: strconv.FormatFloat(100*t.Comparison.Confidence, 'g', 4, 64) + " %"}
	name := digest.Names(t.Comparison)
	for i := range t.Comparison.Tables {
		table := &t.Comparison.Tables[i]
		u := trendUnit{Name: table.Unit}
		for j := range table.Rows {
			row := &table.Rows[j]
			card := trendCard{Name: name(*row), Plot: t.plot(table, row)}
			for k, cell := range row.Cells {
				if cell.N == 0 {
					continue
				}
				l := trendLine{Commit: t.Points[k].Commit, Subject: t.Points[k].Subject, Value: digest.Value(table, cell.Center), Spread: strings.TrimPrefix(cell.PlusMinus(), "±")}
				if d, in := t.step(table.Unit, row, k); d.Visible() {
					l.Change, l.P, l.Class = strings.TrimSpace(in.Change(d)+" "+in.Word(d)), d.Probability(), class(d)
				}
				card.Lines = append(card.Lines, l)
			}
			card.Open = len(card.Lines) <= 10
			u.Cards = append(u.Cards, card)
		}
		v.Units = append(v.Units, u)
	}
	return v
}

// step returns the difference of a point from the one before it.
func (t Trend) step(unit string, row *stats.Row, k int) (stats.Delta, *stats.Table) {
	if k == 0 || t.Steps[k] == nil {
		return stats.Delta{}, nil
	}
	c := t.Steps[k]
	for i := range c.Tables {
		if r := c.Find(unit, row.Package, row.Name); c.Tables[i].Unit == unit && r != nil {
			return r.Deltas[1], &c.Tables[i]
		}
	}
	return stats.Delta{}, nil
}

func class(d stats.Delta) string {
	switch d.Verdict {
	case stats.Better:
		return "good"
	case stats.Worse:
		return "bad"
	}
	return ""
}

const (
	trendHeight = 190.0
	trendLeft   = 62.0 // of the labels of the values
	trendBottom = 22.0
	pointApart  = 22.0 // at least
	labelApart  = 66.0 // at least
)

// plot draws the medians and their intervals.
func (t Trend) plot(table *stats.Table, row *stats.Row) template.HTML {
	n := len(row.Cells)
	width := max(stripWidth, trendLeft+pointApart*float64(n)+50)
	apart := (width - trendLeft - 20 - labelApart/2) / float64(max(1, n-1))
	if n == 1 {
		apart = 0
	}
	at := func(k int) float64 { return trendLeft + 20 + apart*float64(k) }
	a := trendAxis(row)
	y := func(x float64) float64 { return trendHeight - trendBottom - (a.At(x) - a.Left) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="trend" viewBox="0 0 %g %g" style="min-width: %gpx" role="img" aria-label="trend">`, width, trendHeight, min(width, max(300, pointApart*float64(n))))
	ticks := a.Ticks(5)
	scaler := benchunit.CommonScale(ticks, benchunit.ClassOf(table.Unit))
	for _, x := range ticks {
		fmt.Fprintf(&b, `<line class="grid" x1="%g" x2="%g" y1="%.1f" y2="%.1[3]f"/><text x="%g" y="%.1f" text-anchor="end">%s</text>`,
			trendLeft, width-8, y(x), trendLeft-6, y(x)+4, scaler.Format(x)+second(table))
	}
	var line strings.Builder
	every := int(math.Ceil(labelApart / max(apart, 1)))
	for k, cell := range row.Cells {
		if k > 0 && (t.Points[k].Go != t.Points[k-1].Go || t.Points[k].Machine != t.Points[k-1].Machine) {
			fmt.Fprintf(&b, `<line class="other" x1="%.1f" x2="%.1[1]f" y1="4" y2="%g"/>`, (at(k)+at(k-1))/2, trendHeight-trendBottom)
		}
		if (n-1-k)%every == 0 { // the last one has a label
			fmt.Fprintf(&b, `<text x="%.1f" y="%g" text-anchor="middle">%s</text>`, at(k), trendHeight-5, template.HTMLEscapeString(ui.Head(t.Points[k].Commit, 9)))
		}
		if cell.N > 0 {
			fmt.Fprintf(&line, "%.1f,%.1f ", at(k), y(cell.Center))
		}
	}
	fmt.Fprintf(&b, `<polyline points="%s"/>`, line.String())
	for k, cell := range row.Cells {
		if cell.N == 0 {
			continue
		}
		d, _ := t.step(table.Unit, row, k)
		fmt.Fprintf(&b, `<g class="%s">`, class(d))
		if cell.Interval != nil {
			fmt.Fprintf(&b, `<line class="interval" x1="%.1f" x2="%.1[1]f" y1="%.1f" y2="%.1f"/>`, at(k), y(cell.Interval.Low), y(cell.Interval.High))
		}
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="4" data-tip="%s"/></g>`, at(k), y(cell.Center),
			template.HTMLEscapeString(strings.TrimSpace(t.Points[k].Commit+" "+t.Points[k].Subject+": "+digest.Value(table, cell.Center)+" "+cell.PlusMinus())))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// trendAxis has all medians and intervals. It begins at zero only if that is near.
func trendAxis(row *stats.Row) ui.Axis {
	low, high := math.Inf(1), math.Inf(-1)
	for _, cell := range row.Cells {
		if cell.N == 0 {
			continue
		}
		low, high = min(low, cell.Center), max(high, cell.Center)
		if cell.Interval != nil {
			low, high = min(low, cell.Interval.Low), max(high, cell.Interval.High)
		}
	}
	least := 0.05*math.Abs(high) + 1e-12 // or noise fills the height
	if high-low < least {
		low, high = low-least/2, high+least/2
	}
	margin := 0.08 * (high - low)
	return ui.Axis{Low: low - margin, High: high + margin, Left: 0, Right: trendHeight - trendBottom - 6}
}
