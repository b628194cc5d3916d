package gotest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
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
	limited, cancel := ctx, context.CancelFunc(func() {})
	if timeout > 0 { // testing has a limit for tests, but none for benchmarks
		limited, cancel = context.WithTimeout(ctx, timeout)
	}
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

// Err returns a [report.Failure] if the process has failed.
func (r *Result) Err() error {
	switch {
	case r.Problem == "":
		return nil
	case r.TooLong:
		return &report.Failure{Reason: r.Problem, Output: r.Output}
	}
	return &report.Failure{Reason: cmp.Or(Decisive(r.Output, 4), r.Problem), Output: r.Output}
}

var isBenchmark = regexp.MustCompile(`^Benchmark[\pL\pN_]*$`)

// Benchmarks returns the names of all top-level benchmarks in the binary.
func (b *Binary) Benchmarks(ctx context.Context, timeout time.Duration) (names []string,
	err error) {
	r, err := b.Run(ctx, timeout, "-test.list=^Benchmark")
	if err != nil {
		return nil, err
	}
	if r.Problem != "" {
		return nil, &report.Failure{Reason: fmt.Sprintf("the test binary does not even start: %s\n%s",
			r.Problem, Decisive(r.Output, 12)), Output: r.Output}
	}
	for line := range strings.Lines(r.Stdout) {
		if name := strings.TrimSpace(line); isBenchmark.MatchString(name) &&
			!slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// A Pattern selects benchmarks or tests, as the flags -bench and -run of go test do: regular
// expressions with slashes between them, one for each level of sub-benchmarks, and alternatives of
// them.
type Pattern struct{ alternatives [][]string }

// ParsePattern reads the value of a flag -bench.
func ParsePattern(text string) (Pattern, error) {
	p := Pattern{split(text)}
	if text == "" {
		return p, errors.New("-bench must not be empty; a point means all benchmarks")
	}
	for _, element := range slices.Concat(p.alternatives...) {
		if _, err := regexp.Compile(element); err != nil {
			return p, fmt.Errorf("-bench %q: %w", text, err)
		}
	}
	return p, nil
}

// Exactly returns the pattern that means this benchmark or sub-benchmark.
func Exactly(name string) string {
	var elements []string
	for element := range strings.SplitSeq(name, "/") {
		elements = append(elements, "^"+regexp.QuoteMeta(element)+"$")
	}
	return strings.Join(elements, "/")
}

// For returns the pattern that means the sub-benchmarks that p means of the one top-level
// benchmark, which is among those of p if ok.
func (p Pattern) For(benchmark string) (pattern string, ok bool) {
	var all []string
	for _, alternative := range p.alternatives {
		if !regexp.MustCompile(alternative[0]).MatchString(benchmark) {
			continue
		}
		exactly := "^" + benchmark + "$"
		all = append(all, strings.Join(append([]string{exactly}, alternative[1:]...), "/"))
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
