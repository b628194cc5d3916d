package rounds

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// parse returns the results in the output of a benchmark.
func parse(stdout string) (results []Line, units []Unit) {
	lines := mend(strings.Split(stdout, "\n"))
	for r := benchfmt.NewReader(strings.NewReader(strings.Join(lines, "\n")), "output"); r.Scan(); {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			_, at := rec.Pos()
			results = append(results, Line{lines[at-1], rec.Clone()})
		case *benchfmt.UnitMetadata:
			_, at := rec.Pos()
			units = append(units, Unit{lines[at-1], rec})
		}
	}
	return results, units
}

var (
	// What testing writes when a benchmark has run: it wrote the name before.
	measured = regexp.MustCompile(`[0-9]+\t *[0-9.]+ \S+(?:\t.*)?$`)
	started  = regexp.MustCompile(`^Benchmark\S*`)
)

// mend puts the name of a benchmark and its result on one line where the benchmark has itself written between them.
func mend(lines []string) []string {
	lines = slices.Clone(lines)
	name := ""
	for i, line := range lines {
		if n := started.FindString(line); n != "" {
			name = n
			if rest := strings.TrimSpace(line[len(n):]); rest == "" || strings.Trim(rest[:1], "0123456789") == "" && measured.MatchString(rest) {
				if rest != "" {
					name = ""
				}
				continue
			}
		}
		if name == "" {
			continue
		}
		if at := measured.FindStringIndex(line); at != nil {
			lines[i], name = name+"\t"+line[at[0]:], ""
		}
	}
	return lines
}
