// Ratios prints how the subjects of benchmarks compare, from a file in the Go benchmark format with
// names such as BenchmarkHot/subject=thread-2: the median of the ratios within rounds, which
// threadcall bench and the phases mark by comments. Of all units, less is better.
//
//	go run ./internal/rig/bench/ratios -to reference,bound FILE
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
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

func run(out io.Writer, file string, to []string, units string) error {
	match, err := regexp.Compile("^(" + units + ")$")
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	r := read(string(text), match)
	if len(r.names) == 0 {
		return fmt.Errorf("%s has no results of subjects", file)
	}
	return r.write(out, to)
}

// A key is a benchmark's measure: all names are in the order of the file.
type key struct{ name, subject, unit string }

// results has the values of the rounds.
type results struct {
	names, subjects, units []string
	values                 map[key]map[int]float64
}

func add(list *[]string, one string) {
	if !slices.Contains(*list, one) {
		*list = append(*list, one)
	}
}

var (
	roundForm = regexp.MustCompile(`^# threadcall run \S+ round (\d+)$`)
	nameForm  = regexp.MustCompile(`^Benchmark(.*)/subject=([^/-]+)(.*)$`)
)

func read(text string, units *regexp.Regexp) *results {
	r := &results{values: map[key]map[int]float64{}}
	round := 0
	for text := range strings.Lines(text) {
		if m := roundForm.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
			round, _ = strconv.Atoi(m[1])
		}
		fields := strings.Fields(text)
		if len(fields) < 4 {
			continue
		}
		m := nameForm.FindStringSubmatch(fields[0])
		if m == nil {
			continue
		}
		for i := 2; i+1 < len(fields); i += 2 {
			k := key{m[1] + m[3], m[2], fields[i+1]}
			value, err := strconv.ParseFloat(fields[i], 64)
			if err != nil || !units.MatchString(k.unit) {
				continue
			}
			add(&r.names, k.name)
			add(&r.subjects, k.subject)
			add(&r.units, k.unit)
			if r.values[k] == nil {
				r.values[k] = map[int]float64{}
			}
			r.values[k][round] = value
		}
	}
	return r
}

// ratio returns the median of the ratios of one to the other within rounds, and whether the sign
// test at 5 % shows that it is not 1.
func ratio(one, other map[int]float64) (median float64, shown, ok bool) {
	var ratios []float64
	more, less := 0, 0
	for round, value := range one {
		base, measured := other[round]
		if !measured || base <= 0 || value <= 0 {
			continue
		}
		ratios = append(ratios, value/base)
		if value >= base {
			more++
		}
		if value <= base {
			less++
		}
	}
	n := len(ratios)
	if n == 0 {
		return 0, false, false
	}
	slices.Sort(ratios)
	return math.Sqrt(ratios[(n-1)/2] * ratios[n/2]), 2*below(n, min(more, less)) <= 0.05, true
}

// below returns the probability of at most k heads in n tosses.
func below(n, k int) (p float64) {
	ways := math.Pow(0.5, float64(n))
	for i := range k + 1 {
		p += ways
		ways *= float64(n-i) / float64(i+1)
	}
	return p
}

// A line is a row of the table.
type line struct {
	cells []string
	worst float64 // the largest ratio to the first of the others that is shown to be above 1
}

// write writes the table: what is worse than the first of the others at the top.
func (r *results) write(out io.Writer, to []string) error {
	headings := [2]string{"\t", "subject\tload"}
	for _, base := range to {
		for i, unit := range r.units {
			if i > 0 {
				base = ""
			}
			headings[0] += "\t" + base
			headings[1] += "\t" + unit
		}
	}
	var lines []line
	for _, subject := range r.subjects {
		for _, name := range r.names {
			if l := r.line(subject, name, to); l != nil && !slices.Contains(to, subject) {
				lines = append(lines, *l)
			}
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(b.worst, a.worst) })
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "%s\n%s\n", headings[0], headings[1])
	for _, l := range lines {
		fmt.Fprintln(table, strings.Join(l.cells, "\t"))
	}
	fmt.Fprintln(table, "~: the ratio may be 1")
	return table.Flush()
}

// line returns the row of a benchmark of a subject, or nil if that has no results.
func (r *results) line(subject, name string, to []string) *line {
	l := &line{cells: []string{subject, name}}
	any := false
	for i, base := range to {
		for _, unit := range r.units {
			x, shown, ok := ratio(r.values[key{name, subject, unit}], r.values[key{name, base, unit}])
			text := fmt.Sprintf("%.3g", x)
			switch any = any || ok; {
			case !ok:
				text = ""
			case !shown:
				text = "~" + text
			case i == 0 && x > 1:
				l.worst = max(l.worst, x)
			}
			l.cells = append(l.cells, text)
		}
	}
	if !any {
		return nil
	}
	return l
}
