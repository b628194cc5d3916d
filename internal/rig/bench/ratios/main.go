// Ratios prints how the subjects of benchmarks compare, from a file in the Go benchmark format with
// names such as BenchmarkHot/subject=thread-2: the median of the ratios within rounds. Of all
// units, less is better.
//
//	go run ./internal/rig/bench/ratios -to reference,bound FILE
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/threadcall/threadcall/internal/rig/results"
)

func main() {
	to := flag.String("to", "reference", "the `subjects` to which there are ratios")
	units := flag.String("units", ".*", "a regular `expression`: the units to compare")
	flag.Parse()
	if err := run(os.Stdout, flag.Arg(0), strings.Split(*to, ","), *units); err != nil {
		fmt.Fprintln(os.Stderr, "ratios:", err)
		os.Exit(1)
	}
}

// run prints a table, with what is worse than the first of the others at the top.
func run(out io.Writer, file string, to []string, units string) error {
	match, err := regexp.Compile("^(" + units + ")$")
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var r results.Results
	r.Read(string(text))
	r.Units = slices.DeleteFunc(r.Units, func(u string) bool { return !match.MatchString(u) })
	headings := [2]string{"\t", "subject\tload"}
	for _, base := range to {
		headings[0] += "\t" + base + strings.Repeat("\t", max(0, len(r.Units)-1))
		headings[1] += "\t" + strings.Join(r.Units, "\t")
	}
	var rows []row
	for _, subject := range r.Subjects {
		for _, load := range r.Loads {
			if line := compare(&r, subject, load, to); line.any && !slices.Contains(to, subject) {
				rows = append(rows, line)
			}
		}
	}
	if rows == nil {
		return fmt.Errorf("%s has no results of subjects", file)
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.worst, a.worst) })
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "%s\n%s\n", headings[0], headings[1])
	for _, r := range rows {
		fmt.Fprintln(table, r.cells)
	}
	fmt.Fprintln(table, "~: the ratio may be 1")
	return table.Flush()
}

// A row is a load of a subject.
type row struct {
	cells string
	worst float64 // the largest ratio to the first of the others that is shown to be above 1
	any   bool    // it has results
}

func compare(r *results.Results, subject, load string, to []string) row {
	line := row{cells: subject + "\t" + load}
	for i, base := range to {
		for _, unit := range r.Units {
			ratios := results.Ratios(r.Of(load, subject, unit), r.Of(load, base, unit))
			x := results.Median(ratios)
			text := fmt.Sprintf("%.3g", x)
			switch {
			case ratios == nil:
				text = ""
			case !results.Sure(ratios):
				text = "~" + text
			case i == 0 && x > 1:
				line.worst = max(line.worst, x)
			}
			line.any = line.any || ratios != nil
			line.cells += "\t" + text
		}
	}
	return line
}
