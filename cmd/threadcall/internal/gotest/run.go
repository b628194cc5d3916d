package gotest

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/report"
)

// A Binary is the compiled test binary of a package.
type Binary struct {
	Package string   // its import path
	Path    string   // of the file
	Dir     string   // where go test would run it: the directory of the package
	Env     []string // of the process
}

// A Result is what a process of a Binary left.
type Result struct {
	Stdout  string
	Output  string // Stdout, and then the standard error
	Problem string // "exit status 2"; empty: it passed
	TooLong bool   // the timeout ended it
	Time    time.Duration

	// Of benchmarks: their results in their order, and what they say about units of their own.
	Lines []*benchfmt.Result
	Units []*benchfmt.UnitMetadata
}

// Run runs the binary, and ends it after the timeout, unless that is 0. A ctx that ends it is an
// error; that it fails is not. If a benchmark panics, testing may end the process before the panic
// is printed, so Run tries again.
func (b *Binary) Run(ctx context.Context, timeout time.Duration, args ...string) (r *Result,
	err error) {
	for range 5 {
		if r, err = b.once(ctx, timeout, args...); err != nil {
			return nil, err
		}
		var cutShort bool
		r.Lines, r.Units, cutShort = ParseResults(r.Stdout)
		if !cutShort || r.Problem != "" {
			return r, nil
		}
	}
	r.Problem = "it has stopped without figures: most likely by a panic that ended too late to be " +
		"printed"
	return r, nil
}

// once runs the binary, and ends it after the timeout, unless that is 0.
func (b *Binary) once(ctx context.Context, timeout time.Duration, args ...string) (*Result, error) {
	// Testing has a limit for tests, but none for benchmarks.
	limited, cancel := context.WithTimeout(ctx, cmp.Or(timeout, math.MaxInt64))
	defer cancel()
	cmd := exec.CommandContext(limited, b.Path, args...)
	cmd.Dir, cmd.Env = b.Dir, b.Env
	var stdout, stderr output
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	err := Run(cmd)
	r := &Result{Stdout: stdout.String(), Time: time.Since(began)}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if cmd.ProcessState == nil {
		return nil, fmt.Errorf("cannot run %s: %w", b.Path, err)
	}
	r.Output = r.Stdout + "\n" + stderr.String() // not in the order of their lines, which share lines
	switch {
	case err != nil && limited.Err() != nil:
		r.TooLong, r.Problem = true, fmt.Sprintf("it took longer than -timeout %v", timeout)
	case errors.Is(err, exec.ErrWaitDelay):
		r.Problem = "a process that it has started outlived it, and kept its output open"
	case err != nil:
		r.Problem = err.Error()
	}
	return r, nil
}

// Failures returns what has failed in a process that ran a benchmark, and why, if anything has. A
// crash is a failure of the whole benchmark.
func (r *Result) Failures(benchmark string, cpus report.CPUs) (found []report.Failure) {
	if r.Problem == "" && !strings.Contains(r.Stdout, "--- FAIL: ") {
		return nil
	}
	failure := func(name, reason string) report.Failure {
		return report.Failure{Name: strings.TrimPrefix(name, "Benchmark"), Reason: reason}
	}
	switch {
	case r.TooLong:
		found = append(found, failure(benchmark, r.Problem))
	case crash.MatchString(r.Output):
		found = append(found, failure(benchmark, Decisive(r.Output, 6)))
	}
	var all []report.Failure
	output := strings.ReplaceAll(r.Output, "\r", "") + "\n"
	for _, m := range fault.FindAllStringSubmatch(output, -1) {
		all = append(all, failure(PlainName(m[1], cpus), Decisive(m[2], 4)))
	}
	for _, f := range all {
		inside := func(g report.Failure) bool { return strings.HasPrefix(g.Name, f.Name+"/") }
		known := func(g report.Failure) bool { return f.Name == g.Name || inside(g) }
		if slices.ContainsFunc(found, known) || f.Reason == "" && slices.ContainsFunc(all, inside) {
			continue // it failed because a part of it did
		}
		f.Reason = cmp.Or(f.Reason, "it gave no reason")
		found = append(found, f)
	}
	if len(found) == 0 {
		found = append(found, failure(benchmark, cmp.Or(Decisive(r.Output, 6), r.Problem)))
	}
	return found
}

// fault matches what testing prints of a benchmark that has failed, with the indented lines after
// it.
var fault = regexp.MustCompile(`(?m)^\s*--- FAIL: (Benchmark\S*).*\n` +
	`((?:[ \t]+(?:[^ \t\n-].*)?\n)*)`)

var isBenchmark = regexp.MustCompile(`^Benchmark[\pL\pN_]*$`)

// Benchmarks returns the names of all top-level benchmarks in the binary.
func (b *Binary) Benchmarks(ctx context.Context, timeout time.Duration) (names []string,
	err error) {
	r, err := b.Run(ctx, timeout, "-test.list=^Benchmark")
	if err != nil {
		return nil, err
	}
	if r.Problem != "" {
		return nil, fmt.Errorf("the test binary does not even start: %s\n%s", r.Problem,
			Decisive(r.Output, 12))
	}
	for line := range strings.Lines(r.Stdout) {
		if name := strings.TrimSpace(line); isBenchmark.MatchString(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// CheckPattern returns an error if the flag -bench must not have this value.
//
// It selects benchmarks as the flags -bench and -run of go test do: by regular expressions with
// slashes between them, one for each level of sub-benchmarks, and alternatives of them.
func CheckPattern(bench string) error {
	if bench == "" {
		return errors.New("-bench must not be empty; a point means all benchmarks")
	}
	for _, element := range slices.Concat(split(bench)...) {
		if _, err := regexp.Compile(element); err != nil {
			return fmt.Errorf("-bench %q: %w", bench, err)
		}
	}
	return nil
}

// Exactly returns the pattern that means this benchmark or sub-benchmark.
func Exactly(name string) string {
	var elements []string
	for element := range strings.SplitSeq(name, "/") {
		elements = append(elements, "^"+regexp.QuoteMeta(element)+"$")
	}
	return strings.Join(elements, "/")
}

// PatternFor returns the pattern that means the sub-benchmarks that a checked value of -bench means
// of the one top-level benchmark, which is among those that it means if ok.
func PatternFor(bench, benchmark string) (pattern string, ok bool) {
	var all []string
	for _, alternative := range split(bench) {
		if regexp.MustCompile(alternative[0]).MatchString(benchmark) {
			alternative[0] = "^" + benchmark + "$"
			all = append(all, strings.Join(alternative, "/"))
		}
	}
	return strings.Join(all, "|"), len(all) > 0
}

// split splits text at the slashes and bars that are neither in brackets nor in parentheses nor
// escaped.
func split(text string) [][]string {
	var all [][]string
	var one []string
	brackets, parentheses, start := 0, 0, 0
	for i := 0; i < len(text); i++ {
		outside := brackets == 0 && parentheses == 0
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '[':
			brackets++
		case c == ']':
			brackets = max(0, brackets-1) // one alone is a character
		case c == '(' && brackets == 0:
			parentheses++
		case c == ')' && brackets == 0:
			parentheses--
		case (c == '/' || c == '|') && outside:
			one = append(one, text[start:i])
			start = i + 1
			if c == '|' {
				all, one = append(all, one), nil
			}
		}
	}
	return append(all, append(one, text[start:]))
}

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
// of no iterations, or has nothing, or nothing but allocations. That is what testing writes of a
// benchmark that panics, if it gets that far before the panic ends the process. It may even end the
// process with status 0.
func ParseResults(stdout string) (results []*benchfmt.Result, units []*benchfmt.UnitMetadata,
	cutShort bool) {
	figure := func(v benchfmt.Value) bool { return v.Unit != "B/op" && v.Unit != "allocs/op" }
	for r := benchfmt.NewReader(strings.NewReader(mend(stdout)), "output"); r.Scan(); {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			if rec.Iters > 0 {
				results = append(results, rec.Clone())
			}
			cutShort = cutShort || rec.Iters == 0 || !slices.ContainsFunc(rec.Values, figure)
		case *benchfmt.SyntaxError:
			cutShort = cutShort || rec.Msg == "missing measurements"
		case *benchfmt.UnitMetadata:
			units = append(units, rec)
		}
	}
	return results, units, cutShort
}

// Testing writes the name of a benchmark and a tab, lets it run, and writes the figures behind
// that.
var (
	named    = regexp.MustCompile(`Benchmark\S* *\t`)
	measured = regexp.MustCompile(`[0-9]+\t *[0-9.]+(?:e[+-]?[0-9]+)? \S+(?:\t.*)?$`)
)

// mend puts the name of a benchmark and its figures on a line of their own where the benchmark
// itself has written before, between or behind them. It leaves out lines at which a benchfmt.Reader
// would end.
func mend(output string) string {
	lines := strings.Split(output, "\n")
	name := ""
	for i, line := range lines {
		rest := line
		if at := named.FindStringIndex(line); at != nil {
			name, rest = line[at[0]:at[1]], line[at[1]:]
		}
		if name != "" {
			if at := measured.FindStringIndex(rest); at != nil {
				lines[i], name = name+rest[at[0]:], ""
			}
		}
		if len(lines[i]) >= bufio.MaxScanTokenSize {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
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
