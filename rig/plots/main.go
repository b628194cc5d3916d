// Plots prints a table of what benchmarks and phases of rig/bench have measured, from the
// greatest gain to the greatest loss. With -write it draws phases, writes that table to
// docs/speed.txt, and a shorter one to README.md.
//
//	go run ./rig/plots FILE ...
//	go run ./rig/plots -cores FILE ...
//	make plots RESULTS='FILE ...'
//
// With -cores the table has the loads with many callers and pairs, next to each other for each
// number of cores, as make bundle measures them.
//
// A phase is one of programs without neighbours, or a Crowded one, next to two processes that
// compute.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/rig/results"
)

func main() {
	writes := flag.Bool("write", false, "write the plots and pages")
	byCores := flag.Bool("cores", false, "print the table of many callers and pairs")
	flag.Parse()
	m, err := read(flag.Args())
	switch {
	case err != nil:
	case *writes:
		err = m.write(".")
	case *byCores:
		fmt.Print(m.byCores())
	default:
		fmt.Print(m.all())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "plots:", err)
		os.Exit(1)
	}
}

func read(files []string) (*measured, error) {
	m := new(measured)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		m.Read(string(text))
	}
	if len(m.Loads) == 0 {
		return nil, fmt.Errorf("%q has no results", files)
	}
	slices.SortFunc(m.Loads, func(a, b string) int { // from gain to loss, crowded ones behind
		x := results.Median(m.ratios(a, "thread", "p50-ns"))
		y := results.Median(m.ratios(b, "thread", "p50-ns"))
		return cmp.Or(cmp.Compare(len(quiet.FindString(b)), len(quiet.FindString(a))),
			cmp.Compare(x, y))
	})
	return m, nil
}

func (m *measured) write(root string) error {
	for _, f := range figures {
		picture, err := m.draw(f)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(root, "docs", f.file), picture, 0o666); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(root, "docs/speed.txt"), []byte(m.all()), 0o666); err != nil {
		return err
	}
	return splice(filepath.Join(root, "README.md"), m.first())
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
