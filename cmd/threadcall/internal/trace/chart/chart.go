// Package chart shows a report on a trace as a web page: plots over one axis of time that can be zoomed, and tables.
package chart

import (
	_ "embed"
	"html/template"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

var (
	//go:embed chart.html
	source string
	//go:embed chart.css
	style string
	//go:embed chart.js
	script string
)

// Save writes the page that shows r to a file. It has pictures of goroutines and threads for the whole trace, and for the
// windows in which the worst happened, if x is not nil.
func Save(r *report.Report, x *lanes.Index, s lanes.Selection, file string) error {
	p := page(r)
	if x != nil {
		var err error
		if p, err = withWindows(p, r, x, s); err != nil {
			return err
		}
	}
	return p.Save(file)
}

func page(r *report.Report) ui.Page {
	return ui.Page{
		Title:  "threadcall trace: " + r.Trace.Name,
		Style:  style + laneStyle,
		Source: source,
		View:   r,
		Funcs: template.FuncMap{
			"mean":  mean,
			"file":  func(name string) string { return ui.Path(name, "") },
			"inc":   func(i int) int { return i + 1 },
			"twice": func(x float64) float64 { return 2 * x },
		},
		Data:   plots(r),
		Script: script + laneScript,
	}
}

func mean(d report.Distribution) float64 {
	if d.N == 0 {
		return 0
	}
	return d.Sum / float64(d.N)
}
