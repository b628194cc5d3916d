// Plots draws what the phases of internal/rig/bench have measured, and writes the tables of
// README.md and docs/performance.md, from the same results:
//
//	make plots RESULTS='FILE ...'
//
// A phase is one of programs without neighbours, or a Crowded one, next to two processes that
// compute.
package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/internal/rig/results"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: plots FILE ...")
		os.Exit(2)
	}
	if err := run(".", os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "plots:", err)
		os.Exit(1)
	}
}

func run(root string, files []string) error {
	var m measured
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		m.Read(string(text))
	}
	slices.SortFunc(m.Loads, func(a, b string) int { // from gain to loss, crowded ones behind
		x := results.Median(m.ratios(a, "thread", "p50-ns"))
		y := results.Median(m.ratios(b, "thread", "p50-ns"))
		return cmp.Or(cmp.Compare(len(quiet.FindString(b)), len(quiet.FindString(a))),
			cmp.Compare(x, y))
	})
	for _, f := range figures {
		if err := os.WriteFile(filepath.Join(root, "docs", f.file), m.draw(f), 0o666); err != nil {
			return err
		}
	}
	tables := map[string]string{"README.md": m.first(), "docs/performance.md": m.all()}
	for name, table := range tables {
		if err := splice(filepath.Join(root, name), table); err != nil {
			return err
		}
	}
	return nil
}

// splice replaces what is between the two marks of a page.
func splice(name, table string) error {
	page, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(page), "<!-- make plots -->\n")
	_, after, end := strings.Cut(rest, "<!-- end -->\n")
	if !ok || !end {
		return fmt.Errorf("%s has no place for the table", name)
	}
	page = []byte(before + "<!-- make plots -->\n" + table + "<!-- end -->\n" + after)
	return os.WriteFile(name, page, 0o666)
}

// measured is what the tables and plots are made from.
type measured struct{ results.Results }

// of returns the values of the rounds. What a benchmark calls ns/op is the median of single
// operations.
func (m *measured) of(load, subject, unit string) []float64 {
	if values := m.Of(load, subject, unit); values != nil || unit != "p50-ns" {
		return values
	}
	return m.Of(load, subject, "ns/op")
}

func (m *measured) median(load, subject, unit string) float64 {
	return results.Median(m.of(load, subject, unit))
}

// ratios returns the ratios to the channel's.
func (m *measured) ratios(load, subject, unit string) []float64 {
	return results.Ratios(m.of(load, subject, unit), m.of(load, "reference", unit))
}
