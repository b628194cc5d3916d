package gotest

import (
	"bufio"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// A Line is a line of the output that is a result.
type Line struct {
	Text   string
	Result *benchfmt.Result
}

// A Unit is a line of the output that describes a unit.
type Unit struct {
	Text     string
	Metadata *benchfmt.UnitMetadata
}

// ParseResults returns the results in the output of a benchmark. It is cut short if one of them is of no iterations, which is what
// testing writes of a benchmark that panics, if it gets that far before the panic ends the process, or ends it first, as if
// all were well.
func ParseResults(stdout string) (results []Line, units []Unit, cutShort bool) {
	lines := mend(strings.Split(stdout, "\n"))
	for i, line := range lines {
		if len(line) >= bufio.MaxScanTokenSize { // with which a benchfmt.Reader would end; none is a result
			lines[i] = ""
		}
	}
	for r := benchfmt.NewReader(strings.NewReader(strings.Join(lines, "\n")), "output"); r.Scan(); {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			if rec.Iters == 0 {
				cutShort = true
				continue
			}
			_, at := rec.Pos()
			results = append(results, Line{lines[at-1], rec.Clone()})
		case *benchfmt.UnitMetadata:
			_, at := rec.Pos()
			units = append(units, Unit{lines[at-1], rec})
		}
	}
	return results, units, cutShort
}

// Testing writes the name of a benchmark and a tab, lets it run, and writes the figures behind that.
var (
	Named    = regexp.MustCompile(`Benchmark\S* *\t`)
	measured = regexp.MustCompile(`[0-9]+\t *[0-9.]+(?:e[+-]?[0-9]+)? \S+(?:\t.*)?$`)
)

// mend puts the name of a benchmark and its figures on a line of their own where the benchmark itself has written before,
// between or behind them.
func mend(lines []string) []string {
	lines = slices.Clone(lines)
	name := ""
	for i, line := range lines {
		rest := line
		if at := Named.FindStringIndex(line); at != nil {
			name, rest = line[at[0]:at[1]], line[at[1]:]
		} else if name == "" {
			continue
		}
		if at := measured.FindStringIndex(rest); at != nil {
			if line != name+rest || strings.TrimSpace(rest[:at[0]]) != "" {
				lines[i] = name + rest[at[0]:]
			}
			name = ""
		}
	}
	return lines
}

// PlainName returns the name without the number of CPUs that testing appends to it at times, and never if it is 1.
func PlainName(name, cpus string) string {
	i := strings.LastIndexByte(name, '-')
	if i < 0 {
		return name
	}
	n, err := strconv.Atoi(name[i+1:])
	among := slices.Contains(strings.Split(cpus, ","), name[i+1:]) || cpus == "" && n <= runtime.NumCPU()
	if err != nil || n < 2 || !among {
		return name
	}
	return name[:i]
}
