// Package chart draws comparisons of benchmarks as a web page: each measurement as a dot, and each difference with its
// interval.
package chart

import (
	_ "embed"
	"html/template"
	"slices"
	"strconv"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/digest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/machine"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A Report is what the page shows.
type Report struct {
	Title      string
	Facts      []Fact // what was compared, below the title
	Comparison *stats.Comparison
	Against    []*stats.Comparison // its parts, if each has tables of its own
	Settings   []Fact              // how it was measured
	Machine    []machine.Finding
	Notes      []string // sentences
}

// A Fact is a line of the table of settings.
type Fact struct{ Name, Value string }

// Save writes the page to a file.
func (r Report) Save(name string) error { return r.page().Save(name) }

var (
	//go:embed chart.css
	style string
	//go:embed chart.js
	script string
	//go:embed body.html
	source string
)

func (r Report) page() ui.Page {
	return ui.Page{Title: r.Title, Style: style, Script: script, Source: source, View: r.view()}
}

// A view is what the template shows.
type view struct {
	Report
	Confidence string
	ErrorRate  string
	Headlines  []string
	Layouts    []string
	Versions   []swatch
	Units      []unit
}

// A swatch is a version and its colour.
type swatch struct {
	Name   string
	Colour template.CSS
}

// A unit is a section of the page.
type unit struct {
	Name        string
	Comparisons []comparison
	Cards       []card
}

func (r Report) view() view {
	c := r.Comparison
	v := view{
		Report:     r,
		Confidence: strconv.FormatFloat(100*c.Confidence, 'g', 4, 64) + " %",
		ErrorRate:  strconv.FormatFloat(100*(1-c.Confidence), 'g', 3, 64) + " %",
	}
	for i, name := range c.Versions {
		v.Versions = append(v.Versions, swatch{name, colour(i)})
	}
	name := digest.Names(c)
	parts := r.Against
	if parts == nil {
		parts = []*stats.Comparison{c}
	}
	for _, part := range parts {
		for version := 1; version < len(part.Versions); version++ {
			x := digest.Of(part, version, false)
			about := ""
			if len(c.Versions) > 2 {
				about = x.Old + " → " + x.New + ": "
			}
			v.Headlines = append(v.Headlines, about+x.Headline)
			for _, text := range x.Layouts {
				v.Layouts = append(v.Layouts, about+text)
			}
		}
	}
	for i := range c.Tables {
		t := &c.Tables[i]
		u := unit{Name: t.Unit}
		for version := 1; version < len(c.Versions) && r.Against == nil; version++ {
			u.Comparisons = append(u.Comparisons, compare(c, t, version))
		}
		for _, part := range r.Against {
			x := compare(part, &part.Tables[i], 1)
			x.Old.Colour, x.New.Colour = colour(slices.Index(c.Versions, x.Old.Name)), colour(slices.Index(c.Versions, x.New.Name))
			u.Comparisons = append(u.Comparisons, x)
		}
		for j := range t.Rows {
			u.Cards = append(u.Cards, draw(c, t, &t.Rows[j], name(t.Rows[j])))
		}
		v.Units = append(v.Units, u)
	}
	return v
}

// colour returns that of a version.
func colour(version int) template.CSS {
	return []template.CSS{"var(--one)", "var(--two)", "var(--three)", "var(--four)"}[version%4]
}
