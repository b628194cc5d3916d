package chart

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/digest"
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

// A line is a row of it, in the words of the terminal.
type line struct {
	digest.Row
	ID, Class string
	Size      string // the change as a number, to sort by
	Plot      template.HTML
}

const (
	plotWidth  = 280.0
	plotHeight = 22.0
)

// compare returns the comparison of one version in the unit of t.
func compare(c *stats.Comparison, t *stats.Table, version int) comparison {
	x := comparison{Old: swatch{c.Versions[0], colour(0)}, New: swatch{c.Versions[version], colour(version)}}
	scale := forest(t, version)
	x.Axis = scale.ruler()
	all := digest.Of(c, version, true)
	x.Missing = all.Only
	for _, s := range all.Sections {
		if s.Unit != t.Unit {
			continue
		}
		for _, r := range s.Rows {
			l := describe(r, scale)
			if r.Of == nil {
				x.Mean = &l
				continue
			}
			l.ID = id(t, r.Of)
			x.Rows = append(x.Rows, l)
		}
	}
	return x
}

// describe draws a difference.
func describe(r digest.Row, scale ratios) line {
	l := line{Row: r, Size: "0", Class: class(r.Delta)}
	l.Old, _, _ = strings.Cut(r.Old, " ±") // which the cards have
	l.New, _, _ = strings.Cut(r.New, " ±")
	if d := r.Delta; !d.Absolute && d.Estimate > 0 {
		l.Size = fmt.Sprint(math.Log(d.Estimate))
	}
	if l.Class == "" && r.Verdict != stats.Changed {
		l.Class = "faint"
	}
	l.Plot = scale.interval(r.Delta, l.Class)
	return l
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
	fmt.Fprintf(&b, `<svg class="plot" viewBox="0 0 %g 16" role="img" aria-label="change">`, plotWidth)
	const apart, half = 46, 21 // of a label such as +0.5% or +100%
	for _, sign := range []float64{1, -1} {
		last := r.At(0)
		for _, m := range []float64{0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 1, 2, 5} {
			x := logarithm(1 + sign*m)
			if math.Abs(x) > r.High || math.Abs(r.At(x)-last) < apart || r.At(x) < half || r.At(x) > plotWidth-half {
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
	fmt.Fprintf(&b, `<svg class="plot %s" viewBox="0 0 %g %g" role="img">`, class, plotWidth, plotHeight)
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
