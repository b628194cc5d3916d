// Package chart shows a report of an execution trace as a web page of one file: pictures over one common axis of time
// that can be zoomed, and tables.
package chart

import (
	_ "embed"
	"html/template"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/page"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/unit"
)

var (
	//go:embed chart.html
	source string
	//go:embed chart.css
	style string
	//go:embed chart.js
	script string

	body = template.Must(template.New("chart").Funcs(template.FuncMap{
		"time": unit.Duration, "ns": unit.Nanoseconds, "bytes": func(n any) string { return unit.Bytes(float(n)) },
		"count": func(n any) string { return unit.Count(uint64(float(n))) },
		"share": func(part, whole any) string { return unit.Share(float(part), float(whole)) },
		"mean":  mean, "short": symbol.Short, "file": shortFile, "histogram": histogram, "parts": parts, "place": place, "inside": inside,
		"inc": func(i int) int { return i + 1 }, "twice": func(x float64) float64 { return 2 * x },
	}).Parse(source))
)

// Page returns the page that shows r.
func Page(r *trace.Report) (page.Page, error) {
	var b strings.Builder
	if err := body.Execute(&b, view{Report: r, Scale: scaleOf(r.Calls.Places)}); err != nil {
		return page.Page{}, err
	}
	return page.Page{
		Title:  "threadcall trace: " + r.Trace.Name,
		Style:  style,
		Body:   template.HTML(b.String()),
		Data:   pictures(r),
		Script: script,
	}, nil
}

// Save writes the page that shows r to a file.
func Save(r *trace.Report, file string) error {
	p, err := Page(r)
	if err != nil {
		return err
	}
	return p.Save(file)
}

// A view is what the template gets.
type view struct {
	*trace.Report
	Scale scale // of the distributions of all places, so that they can be compared
}
