// Plots draws what the phases of internal/rig/bench have measured, and writes the tables of
// README.md and docs/performance.md, from the same results:
//
//	make plots RESULTS='FILE ...'
//
// A phase is one of programs without neighbours, or a Crowded one, next to two processes that
// compute. It is a module of its own, for the library that draws.
package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: plots ROOT FILE ...")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "plots:", err)
		os.Exit(1)
	}
}

func run(root string, files []string) error {
	r := results{values: map[string][]float64{}}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		r.read(string(text))
	}
	slices.SortFunc(r.loads, func(a, b string) int { // from gain to loss, crowded ones behind
		x, _ := r.ratio(a, "thread", "p50-ns")
		y, _ := r.ratio(b, "thread", "p50-ns")
		return cmp.Or(cmp.Compare(len(quiet.FindString(b)), len(quiet.FindString(a))),
			cmp.Compare(x, y))
	})
	for _, p := range plots {
		svg, err := p.draw(r)
		if err != nil {
			return fmt.Errorf("%s: %w", p.file, err)
		}
		if err := os.WriteFile(filepath.Join(root, "docs", p.file), svg, 0o666); err != nil {
			return err
		}
	}
	tables := map[string]string{"README.md": r.first(), "docs/performance.md": r.all()}
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

// Results has the values of all rounds by load, subject and unit, in the order of rounds.
type results struct {
	machine string
	loads   []string // in the order in which they come first
	values  map[string][]float64
}

var line = regexp.MustCompile(`^Benchmark(\S+)/subject=(\w+)(?:-\d+)?\s+\d+\s+(.*)$`)

func (r *results) read(text string) {
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		if machine, ok := strings.CutPrefix(l, "# machine: "); ok {
			r.machine = machine
		}
		m := line.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		if !slices.Contains(r.loads, m[1]) {
			r.loads = append(r.loads, m[1])
		}
		for pair := range slices.Chunk(strings.Fields(m[3]), 2) {
			unit := pair[len(pair)-1]
			if unit == "ns/op" { // of a benchmark, where it is the median of single operations
				unit = "p50-ns"
			}
			if v, err := strconv.ParseFloat(pair[0], 64); err == nil {
				k := key(m[1], m[2], unit)
				r.values[k] = append(r.values[k], v)
			}
		}
	}
}

func key(load, subject, unit string) string { return load + "\x00" + subject + "\x00" + unit }

// median returns the median of the rounds, or zero.
func (r results) median(load, subject, unit string) float64 {
	return median(r.values[key(load, subject, unit)])
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// ratio returns the ratio of the medians to the channel's, and whether the rounds agree: their
// ratios are all above one, or all below.
func (r results) ratio(load, subject, unit string) (ratio float64, sure bool) {
	a, b := r.values[key(load, subject, unit)], r.values[key(load, "reference", unit)]
	rounds := min(len(a), len(b))
	if rounds == 0 || median(b) == 0 {
		return 0, false
	}
	above := 0
	for i := range rounds {
		if a[i] > b[i] {
			above++
		}
	}
	return median(a) / median(b), above == 0 || above == rounds
}
