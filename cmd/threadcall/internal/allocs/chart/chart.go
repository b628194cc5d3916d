// Package chart shows allocations as a web page: a table of rows for each run, and for each row its source, the
// compiler's whole reason and the stacks.
package chart

import (
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

var (
	//go:embed chart.css
	style string
	//go:embed chart.js
	script string
	//go:embed body.html
	source string
)

// Save writes the page to a file. Paths of source files are relative to dir.
func Save(r *allocs.Report, name, dir string) error { return page(r, dir).Save(name) }

func page(r *allocs.Report, dir string) ui.Page {
	return ui.Page{
		Title: "Allocations", Style: style, Script: script, Source: source, View: r,
		Funcs: template.FuncMap{
			"objects": allocs.Objects, "negligible": allocs.Negligible, "join": strings.Join, "width": width, "outside": outside,
			"path": func(file string) string { return ui.Path(file, dir) },
		},
	}
}

// width returns that of the bar for a part of the whole, in pixels.
func width(part, whole float64) int {
	if whole <= 0 || part <= 0 {
		return 0
	}
	return int(math.Round(min(part/whole, 1) * 120))
}

func outside(r allocs.Run) string {
	var parts []string
	for _, o := range r.Outside {
		parts = append(parts, fmt.Sprintf("%s %s at the end", o.Name, ui.Bytes(o.Bytes)))
	}
	return strings.Join(parts, ", ")
}
