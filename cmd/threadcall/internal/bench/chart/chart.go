// Package chart draws comparisons of benchmarks as a web page: every measurement as a dot, and every difference with its
// interval.
package chart

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/page"
)

// A Report is what the page shows.
type Report struct {
	Title      string
	Comparison *stats.Comparison
	Settings   []Fact   // how it was measured
	Machine    []Fact   // what was found there
	Notes      []string // sentences
}

// A Fact is a line of a table about the run.
type Fact struct {
	Name    string
	Value   string
	Meaning string // sentences
	Warning bool   // it is likely to be seen in the figures
}

// Write writes the page.
func (r Report) Write(w io.Writer) error {
	p, err := r.page()
	if err != nil {
		return err
	}
	return p.Write(w)
}

// Save writes the page to a file.
func (r Report) Save(name string) error {
	p, err := r.page()
	if err != nil {
		return err
	}
	return p.Save(name)
}

var (
	//go:embed chart.css
	style string
	//go:embed chart.js
	script string
	//go:embed body.html
	source string

	body = template.Must(template.New("chart").Parse(source))
)

func (r Report) page() (page.Page, error) {
	var text bytes.Buffer
	if err := body.Execute(&text, r.view()); err != nil {
		return page.Page{}, fmt.Errorf("page %q: %w", r.Title, err)
	}
	return page.Page{Title: r.Title, Style: style, Script: script, Body: template.HTML(text.String())}, nil
}

// A view is the report as the template wants it.
type view struct {
	Report
	Confidence string
	ErrorRate  string
	Versions   []swatch
	Units      []unit
	Pairs      bool // whether dots have rounds
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
	for i := range c.Tables {
		t := &c.Tables[i]
		u := unit{Name: t.Unit}
		for version := 1; version < len(c.Versions); version++ {
			u.Comparisons = append(u.Comparisons, compare(c, t, version))
		}
		for j := range t.Rows {
			u.Cards = append(u.Cards, draw(c, t, &t.Rows[j]))
			for _, cell := range t.Rows[j].Cells {
				for _, s := range cell.Samples {
					v.Pairs = v.Pairs || s.Round >= 0
				}
			}
		}
		v.Units = append(v.Units, u)
	}
	return v
}

// Tests says what all verdicts mean together.
func (v view) Tests() string {
	f := v.Comparison.Family
	if f.Tests == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of %d comparisons in which chance plays a part show a change. If nothing had changed, up to %s would.",
		f.Visible, f.Tests, strings.TrimSuffix(fmt.Sprintf("%.1f", f.Expected), ".0"))
	if f.Visible > 0 {
		text += fmt.Sprintf(" Judged together, %d of the %d hold.", f.Confirmed, f.Visible)
	}
	return text
}

// colour returns that of a version.
func colour(version int) template.CSS {
	return []template.CSS{"var(--one)", "var(--two)", "var(--three)", "var(--four)"}[version%4]
}

// fullName returns the name of a benchmark, with its package if there are several.
func fullName(c *stats.Comparison, row *stats.Row) string {
	if row.Package == "" {
		return row.Name
	}
	for _, t := range c.Tables {
		for i := range t.Rows {
			if t.Rows[i].Package != row.Package {
				return row.Package + "." + row.Name
			}
		}
	}
	return row.Name
}
