package gotest

import (
	"bufio"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/report"
)

// most is how much of a process's output is kept from its beginning, and at least from its end. A
// benchmark that writes without end must not fill the memory.
const most = 8 << 20

// An output keeps the first and the last bytes that it gets: testing writes the name of a benchmark
// first, and its figures last.
type output struct{ strings.Builder }

func (o *output) Write(p []byte) (int, error) {
	if text := o.String(); len(text) > 3*most {
		o.Reset()
		o.WriteString(text[:most] + "\n[some left out]\n" + text[len(text)-most:])
	}
	return o.Builder.Write(p)
}

var (
	crash = regexp.MustCompile(`(?m)^(panic: |fatal error: |SIG[A-Z]+: |unexpected fault address|` +
		`runtime: |WARNING: DATA RACE)`)
	frame = regexp.MustCompile(`^\t\S.*\.(go|s):[0-9]+`)
	// goOwn are the lines of the standard library that are in the way, and of the main function
	// that the go command writes.
	goOwn = regexp.MustCompile(`^\t(.*/src/(testing|runtime)/|` +
		`(testing|runtime|internal|sync)/|_testmain\.go:)`)
	noise = regexp.MustCompile(`^(goos|goarch|pkg|cpu): |^\s*--- |^(PASS|FAIL|ok|exit status \d+)$|` +
		`^Benchmark\S*(\s|$)|^goroutine \d+ |^\s*$|^\[signal |^created by |` +
		`^(testing|runtime|panic)[.(]|^\(`)
)

// Crashed reports whether the output is that of a Go program that has crashed.
func Crashed(output string) bool { return crash.MatchString(output) }

// Decisive returns at most n lines of a process's output that explain why it failed: what it said
// when it crashed and the first line of source code outside of Go's own, or else what it wrote
// last.
func Decisive(output string, n int) string {
	var said []string
	at := crash.FindStringIndex(output)
	if at != nil {
		output = output[at[0]:]
	}
	where := ""
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		if frame.MatchString(line) {
			if where == "" && !goOwn.MatchString(line) {
				where, _, _ = strings.Cut(strings.TrimSpace(line), " +0x")
			}
			continue
		}
		if noise.MatchString(line) || at != nil && where == "" && len(said) > 0 &&
			strings.HasSuffix(line, ")") {
			continue
		}
		if at != nil && where != "" {
			break
		}
		said = append(said, strings.TrimSpace(line))
	}
	if at == nil && len(said) > n {
		said = said[len(said)-n:]
	}
	if where != "" {
		said = append(said[:min(len(said), n-1)], "at "+where)
	}
	return strings.Join(said[:min(len(said), n)], "\n")
}

// ParseResults returns the results in the output of a benchmark. It is cut short if one of them is
// of no iterations, or has nothing but allocations. That is what testing writes of a benchmark that
// panics, if it gets that far before the panic ends the process. It may even end the process with
// status 0.
func ParseResults(stdout string) (results []*benchfmt.Result, units []*benchfmt.UnitMetadata,
	cutShort bool) {
	lines := mend(strings.Split(stdout, "\n"))
	for i, line := range lines {
		if len(line) >= bufio.MaxScanTokenSize { // a benchfmt.Reader would end; none is a result
			lines[i] = ""
		}
	}
	for r := benchfmt.NewReader(strings.NewReader(strings.Join(lines, "\n")), "output"); r.Scan(); {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			if rec.Iters > 0 {
				results = append(results, rec.Clone())
			}
			if rec.Iters == 0 || !slices.ContainsFunc(rec.Values, isFigure) {
				cutShort = true
			}
		case *benchfmt.UnitMetadata:
			units = append(units, rec)
		}
	}
	return results, units, cutShort
}

func isFigure(v benchfmt.Value) bool { return v.Unit != "B/op" && v.Unit != "allocs/op" }

// Testing writes the name of a benchmark and a tab, lets it run, and writes the figures behind
// that.
var (
	named    = regexp.MustCompile(`Benchmark\S* *\t`)
	measured = regexp.MustCompile(`[0-9]+\t *[0-9.]+(?:e[+-]?[0-9]+)? \S+(?:\t.*)?$`)
)

// mend puts the name of a benchmark and its figures on a line of their own where the benchmark
// itself has written before, between or behind them.
func mend(lines []string) []string {
	lines = slices.Clone(lines)
	name := ""
	for i, line := range lines {
		rest := line
		if at := named.FindStringIndex(line); at != nil {
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

// PlainName returns the name without the number of CPUs that testing appends to it at times, and
// never if it is 1. That is one of cpus, a list as for -test.cpu; if the list is empty, GOMAXPROCS,
// or at most the number of CPUs.
func PlainName(name string, cpus report.CPUs) string {
	i := strings.LastIndexByte(name, '-')
	n, err := strconv.Atoi(name[i+1:])
	if i < 0 || err != nil || n < 2 {
		return name
	}
	if m, _ := strconv.Atoi(os.Getenv("GOMAXPROCS")); len(cpus) == 0 && m > 0 {
		cpus = report.CPUs{m}
	}
	if len(cpus) == 0 && n <= runtime.NumCPU() || slices.Contains(cpus, n) {
		return name[:i]
	}
	return name
}
