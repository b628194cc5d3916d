// Package chart shows who allocates as a web page: a table of rows for each run, and for each row its source, the
// compiler's whole reason and the stacks.
package chart

import (
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/page"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
)

var (
	//go:embed chart.css
	style string
	//go:embed chart.js
	script string
	//go:embed body.html
	source string
)

// Save writes the page to a file. Paths of source files are told as seen from dir.
func Save(r *allocs.Report, name, dir string) error {
	body, err := template.New("body").Funcs(template.FuncMap{
		"number": allocs.Number, "bytes": allocs.Bytes, "objects": allocs.Objects, "negligible": allocs.Negligible,
		"join":    strings.Join,
		"short":   symbol.Short,
		"path":    func(file string) string { return allocs.Path(file, dir) },
		"share":   share,
		"outside": outside,
	}).Parse(source)
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := body.Execute(&text, r); err != nil {
		return err
	}
	return page.Page{Title: "Who allocates", Style: style, Script: script, Body: template.HTML(text.String())}.Save(name)
}

// share is the width of a bar, in pixels.
func share(part, all float64) int {
	if all <= 0 || part <= 0 {
		return 0
	}
	return int(math.Round(min(part/all, 1) * 120))
}

func outside(r allocs.Run) string {
	var parts []string
	for _, o := range r.Outside {
		parts = append(parts, fmt.Sprintf("%s %s at the end", o.Name, allocs.Bytes(o.Bytes)))
	}
	return strings.Join(parts, ", ")
}
