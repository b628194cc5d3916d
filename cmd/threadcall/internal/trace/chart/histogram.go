package chart

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A scale is the logarithmic axis of distributions that are compared, in whole decades.
type scale struct{ Low, High float64 }

func scaleOf(places []report.Place) scale {
	low, high := math.Inf(1), 1.0
	for _, p := range places {
		for _, d := range []report.Distribution{p.Queued, p.Run} {
			for _, c := range d.Classes {
				low, high = min(low, max(c.Low, 1)), max(high, c.High)
			}
		}
	}
	if low >= high {
		low = high / 10
	}
	return scale{math.Pow(10, math.Floor(math.Log10(low))), math.Pow(10, math.Ceil(math.Log10(high)))}
}

const (
	histogramWidth  = 170.0
	histogramHeight = 30.0
)

func (s scale) x(v float64) float64 {
	return ui.Axis{Low: math.Log(s.Low), High: math.Log(s.High), Right: histogramWidth}.At(math.Log(max(v, s.Low)))
}

// histogram draws d: a column for each class, a line at each decade, a mark at the median.
func (s scale) histogram(d report.Distribution) template.HTML {
	if d.N == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="histogram" width="%g" height="%g" role="img"><title>%s</title>`, histogramWidth, histogramHeight,
		template.HTMLEscapeString(fmt.Sprintf("from %s to %s; median %s, 99 %% up to %s",
			ui.Duration(d.Min), ui.Duration(d.Max), ui.Duration(d.P50), ui.Duration(d.P99))))
	for v := s.Low; v <= s.High*1.001; v *= 10 {
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="0" y2="%g"/>`, s.x(v), s.x(v), histogramHeight)
	}
	most := uint64(1)
	for _, c := range d.Classes {
		most = max(most, c.N)
	}
	b.WriteString(`<path class="columns" d="`)
	for _, c := range d.Classes {
		from := s.x(c.Low)
		w, h := max(1, s.x(c.High)-from), max(1, (histogramHeight-2)*float64(c.N)/float64(most))
		fmt.Fprintf(&b, "M%.1f %gv-%.1fh%.1fv%.1fz", from, histogramHeight, h, w, h)
	}
	b.WriteString(`"/>`)
	fmt.Fprintf(&b, `<path class="median" d="M%.1f 0v%g"/></svg>`, s.x(d.P50), histogramHeight)
	return template.HTML(b.String())
}

// parts draws the three parts of a call. The longest call has the full width.
func parts(c, longest report.Call) template.HTML {
	const width = 260.0
	whole := max(float64(longest.Total()), 1)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="parts" width="%g" height="12" role="img">`, width)
	x := 0.0
	for _, p := range []struct {
		class string
		n     float64
	}{{"queued", float64(c.Queued)}, {"run", float64(c.Run)}, {"return", float64(c.Return)}} {
		w := width * p.n / whole
		fmt.Fprintf(&b, `<rect class="%s" x="%.1f" width="%.1f" height="12"><title>%s %s</title></rect>`, p.class, x, w,
			p.class, ui.Duration(p.n))
		x += w
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}
