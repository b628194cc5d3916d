package present

import (
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/judge"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

var (
	//go:embed page.css
	style string
	//go:embed page.html
	source string
)

// SavePage writes the result as a web page: the text of the terminal with all rows, and each
// measurement as a dot.
func (r Result) SavePage(name string) error { return r.page().Save(name) }

// A view is what the template shows.
type view struct {
	Text  string
	Cards []card
}

// A card shows the values of a benchmark in a unit.
type card struct {
	Name, Unit string
	Versions   []string // with the medians
	Plot       template.HTML
}

func (r Result) page() ui.Page {
	var text strings.Builder
	if r.Report != nil {
		text.WriteString(r.Report.Command + "\n\n")
	}
	set := *r.Settings
	set.Verbose, r.Settings = true, &set
	out := ui.To(&text)
	out.Width = ui.MaxWidth
	r.Print(out)
	v := view{Text: text.String()}
	name := names(r.Comparison)
	for i := range r.Comparison.Tables {
		t := &r.Comparison.Tables[i]
		for _, row := range t.Rows {
			c := card{Name: name(row), Unit: t.Unit, Plot: draw(t, row)}
			for version, cell := range row.Cells {
				if cell.N > 0 {
					c.Versions = append(c.Versions, fmt.Sprintf("%s: %s %s (n=%d)",
						r.Comparison.Versions[version], value(t, cell.Center), cell.PlusMinus(),
						cell.N))
				}
			}
			v.Cards = append(v.Cards, c)
		}
	}
	return ui.Page{Title: r.title(), Style: style, Source: source, View: v}
}

const (
	stripWidth = 440.0
	laneHeight = 40.0
)

// draw draws the values of a row, each version in a lane of its own, and nothing if those of each
// version are equal.
func draw(t *judge.Table, row judge.Row) template.HTML {
	var all []float64
	exact := true
	for _, cell := range row.Cells {
		exact = exact && (cell.Exact || cell.N == 0)
		for _, s := range cell.Samples {
			all = append(all, s.Value)
		}
	}
	if exact {
		return ""
	}
	low, high := slices.Min(all), slices.Max(all)
	x := func(value float64) float64 { return 10 + (stripWidth-20)*(value-low)/(high-low) }
	height := laneHeight * float64(len(row.Cells))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="strip" viewBox="0 0 %g %g" role="img" aria-label="the values">`+
		`<text x="0" y="%[3]g">%[4]s</text>`+
		`<text x="%[1]g" y="%[3]g" text-anchor="end">%[5]s</text>`,
		stripWidth, height+20, height+15, value(t, low), value(t, high))
	for version, cell := range row.Cells {
		top := laneHeight * float64(version)
		fmt.Fprintf(&b, `<g class="version%d">`, version%4)
		if i := cell.Interval; i != nil {
			fmt.Fprintf(&b, `<rect class="interval" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`,
				x(i.Low), top+5, max(x(i.High)-x(i.Low), 1), laneHeight-10)
		}
		if cell.N > 0 {
			fmt.Fprintf(&b, `<line class="median" x1="%.1f" x2="%.1[1]f" y1="%.1f" y2="%.1f"/>`,
				x(cell.Center), top+3, top+laneHeight-3)
		}
		for i, s := range cell.Samples {
			fmt.Fprintf(&b, `<circle class="dot" cx="%.1f" cy="%.1f" r="3.5"><title>round %d: %s`+
				`</title></circle>`, x(s.Value), top+10+float64(7*i%20), s.Round, value(t, s.Value))
		}
		b.WriteString("</g>")
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}
