// Package chart shows a report of an execution trace as a web page of one file: pictures over one common axis of time
// that can be zoomed, and tables.
package chart

import (
	_ "embed"
	"html/template"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/page"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace"
)

var (
	//go:embed chart.html
	source string
	//go:embed chart.css
	style string
	//go:embed chart.js
	script string

	body = template.Must(template.New("chart").Funcs(template.FuncMap{
		"bytes": byteCount, "bytesF": signedBytes, "time": duration, "ns": nanoseconds, "count": count, "mean": mean,
		"share": share, "short": shortName, "file": shortFile, "histogram": histogram, "parts": parts,
		"size": func(n int64) uint64 { return uint64(max(n, 0)) },
		"inc":  func(i int) int { return i + 1 },
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
