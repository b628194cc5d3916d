package chart

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A comparison is the table of one version against the first, with the intervals drawn.
type comparison struct {
	Old, New swatch
	Axis     template.HTML
	Rows     []line
	Mean     *line
	Missing  []string // benchmarks that one of them does not have
}

// A line is a row of it.
type line struct {
	ID, Name, Old, New, Change, Range, P string
	Word, Class                          string
	MDE                                  string
	Size                                 string // the change as a number, to sort by
	Plot                                 template.HTML
}

const (
	plotWidth  = 280.0
	plotHeight = 22.0
)

func compare(c *stats.Comparison, t *stats.Table, version int) comparison {
	x := comparison{Old: swatch{c.Versions[0], colour(0)}, New: swatch{c.Versions[version], colour(version)}}
	scale := forest(t, version)
	x.Axis = scale.ruler()
	for i := range t.Rows {
		row := &t.Rows[i]
		d := row.Deltas[version]
		if d.Verdict == stats.None {
			x.Missing = append(x.Missing, c.FullName(*row))
			continue
		}
		l := describe(t, d, scale)
		l.ID, l.Name = id(t, row), c.FullName(*row)
		l.Old, l.New = t.Value(row.Cells[0].Center), t.Value(row.Cells[version].Center)
		x.Rows = append(x.Rows, l)
	}
	if version < len(t.Geomean) && t.Geomean[version].Over > 1 {
		l := describe(t, t.Geomean[version], scale)
		l.Name = fmt.Sprintf("geometric mean of %d", t.Geomean[version].Over)
		x.Mean = &l
	}
	return x
}

// describe writes a difference.
func describe(t *stats.Table, d stats.Delta, scale ratios) line {
	l := line{Change: t.Change(d), Range: t.Range(d), P: d.Probability(), Word: t.Word(d), Size: "0"}
	if !d.Absolute && d.Estimate > 0 {
		l.Size = fmt.Sprint(math.Log(d.Estimate))
	}
	switch d.Verdict {
	case stats.Better:
		l.Class = "good"
	case stats.Worse:
		l.Class = "bad"
	case stats.Equal:
		l.Change, l.Range, l.Word, l.Class = "", "", "the same", "faint"
	case stats.Unseen:
		l.Word, l.Class = "inconclusive", "faint"
	case stats.TooFew:
		l.Word, l.Class = fmt.Sprintf("needs %d values", d.Needs), "faint"
	}
	if d.Interval != nil && d.Method != stats.Exactly {
		l.MDE = t.Detectable(d)
	}
	if d.Method == stats.Exactly {
		l.Range = ""
	}
	l.Plot = scale.interval(d, l.Class)
	return l
}

// ratios is an axis of logarithms of ratios, symmetric about no change.
type ratios struct{ ui.Axis }

// forest returns the axis on which all intervals of a table find their place, unless they are enormous.
func forest(t *stats.Table, version int) ratios {
	reach := 0.01
	for _, row := range t.Rows {
		if d := row.Deltas[version]; d.Interval != nil && !d.Absolute && d.Interval.Low > 0 {
			reach = max(reach, -math.Log(d.Interval.Low), math.Log(d.Interval.High))
		}
	}
	reach = min(1.08*reach, math.Log(8))
	return ratios{ui.Axis{Low: -reach, High: reach, Left: 6, Right: plotWidth - 6}}
}

// ruler draws the axis.
func (r ratios) ruler() template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="plot" width="%g" height="16" role="img" aria-label="change">`, plotWidth)
	const apart, margin = 36, 16
	for _, sign := range []float64{1, -1} {
		last := r.At(0)
		for _, m := range []float64{0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 1, 2, 5} {
			x := logarithm(1 + sign*m)
			if math.Abs(x) > r.High || math.Abs(r.At(x)-last) < apart || min(r.Right-r.At(x), r.At(x)-r.Left) < margin-6 {
				continue
			}
			last = r.At(x)
			fmt.Fprintf(&b, `<text x="%.1f" y="12" text-anchor="middle">%+g%%</text>`, last, sign*m*100)
		}
	}
	fmt.Fprintf(&b, `<text x="%.1f" y="12" text-anchor="middle">0</text></svg>`, r.At(0))
	return template.HTML(b.String())
}

// interval draws one difference.
func (r ratios) interval(d stats.Delta, class string) template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="plot %s" width="%g" height="%g" role="img">`, class, plotWidth, plotHeight)
	middle := plotHeight / 2
	fmt.Fprintf(&b, `<line class="zero" x1="%.1f" x2="%.1[1]f" y1="0" y2="%g"/>`, r.At(0), plotHeight)
	switch {
	case d.Absolute && d.Verdict != stats.Equal:
		fmt.Fprintf(&b, `<text x="%.1f" y="15" text-anchor="middle">no ratio</text>`, r.At(0)+40)
	case d.Verdict != stats.TooFew:
		estimate := d.Estimate
		if d.Absolute {
			estimate = 1
		}
		if d.Interval != nil && !d.Absolute {
			fmt.Fprintf(&b, `<line class="interval" x1="%.1f" x2="%.1f" y1="%g" y2="%[3]g"/>`,
				r.At(logarithm(d.Interval.Low)), r.At(logarithm(d.Interval.High)), middle)
		}
		fmt.Fprintf(&b, `<circle class="estimate" cx="%.1f" cy="%g" r="4"/>`, r.At(logarithm(estimate)), middle)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

func logarithm(x float64) float64 {
	if x <= 0 {
		return math.Inf(-1)
	}
	return math.Log(x)
}
