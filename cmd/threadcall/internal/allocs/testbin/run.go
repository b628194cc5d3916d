package testbin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/process"
	"github.com/threadcall/threadcall/internal/memprofile"
)

// A Failure is a test binary that did not end well.
type Failure struct {
	Status string
	Output string
}

func (f *Failure) Error() string { return f.Status + "\n" + strings.TrimSpace(f.Output) }

// Decisive returns the lines that tell most: those of failures and of a panic.
func (f *Failure) Decisive() string {
	var lines []string
	for l := range strings.Lines(f.Output) {
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, "--- FAIL") || strings.HasPrefix(l, "panic:") || strings.HasPrefix(l, "fatal error:") ||
			strings.Contains(l, "_test.go:") && len(lines) < 4 {
			lines = append(lines, l)
		}
	}
	if len(lines) == 0 {
		return f.Status
	}
	return strings.Join(lines[:min(len(lines), 4)], "; ")
}

// grace is how long a binary may run after its timeout. It ends tests itself, but not benchmarks.
const grace = 3 * time.Second

// run runs the binary where go test would and returns what it printed. What it has started and left is killed.
func (b *Binary) run(ctx context.Context, o Options, env []string, args ...string) (string, error) {
	limited, cancel := ctx, context.CancelFunc(func() {})
	if o.Timeout > 0 {
		limited, cancel = context.WithTimeout(ctx, o.Timeout+grace)
	}
	defer cancel()
	cmd := process.Command(limited, b.File, args...)
	defer process.End(cmd)
	cmd.Dir = b.Package.Dir
	cmd.Env = append(append(os.Environ(), "PWD="+b.Package.Dir), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil && limited.Err() != nil {
		text := fmt.Sprintf("--- FAIL: it ran for more than %v, which is its -timeout\n", o.Timeout)
		return out.String(), &Failure{cmd.ProcessState.String(), text + out.String()}
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it has ended well, only what it has started has not
	}
	if errors.As(err, new(*exec.ExitError)) {
		return out.String(), &Failure{cmd.ProcessState.String(), out.String()}
	}
	return out.String(), err
}

// Benchmarks returns the names of the package's benchmarks.
func (b *Binary) Benchmarks(ctx context.Context, o Options) (names []string, err error) {
	out, err := b.run(ctx, o, nil, "-test.list=^Benchmark")
	if err != nil {
		return nil, err
	}
	for l := range strings.Lines(out) {
		if name := strings.TrimSpace(l); strings.HasPrefix(name, "Benchmark") {
			names = append(names, name)
		}
	}
	return names, nil
}

// A Result is one line of a benchmark.
type Result struct {
	Name string // without the number of processors
	N    int
	Time time.Duration // each; zero if the line has none, as the benchmark may want it
}

// What the benchmark itself has printed may stand before the line.
var resultForm = regexp.MustCompile(`(?m)(Benchmark\S*)[ \t]+(\d+)(?:\t *([\d.]+) ns/op)?(?:\t|\r?$)`)

// results finds the lines of benchmarks in what a test binary printed that ran with so many processors.
func results(out string, procs int) []Result {
	var found []Result
	for _, m := range resultForm.FindAllStringSubmatch(out, -1) {
		n, _ := strconv.Atoi(m[2])
		ns, _ := strconv.ParseFloat(m[3], 64)
		name := m[1]
		if procs > 1 {
			name = strings.TrimSuffix(name, "-"+strconv.Itoa(procs))
		}
		found = append(found, Result{name, n, time.Duration(ns)})
	}
	return found
}

// exactly is the pattern that matches the benchmark alone.
func exactly(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// Options are passed on to the test binary.
type Options struct {
	Procs   int // GOMAXPROCS
	Timeout time.Duration
}

func (o Options) args(more ...string) []string {
	// Like go test: who exits with 0 before the end has not ended well.
	return append([]string{"-test.paniconexit0", "-test.timeout=" + o.Timeout.String(), "-test.cpu=" + strconv.Itoa(o.Procs)}, more...)
}

// Try runs a benchmark once, and returns a line for it or for each of its sub-benchmarks that match.
func (b *Binary) Try(ctx context.Context, pattern string, o Options) ([]Result, error) {
	began := time.Now()
	out, err := b.run(ctx, o, nil, o.args("-test.run=^$", "-test.bench="+pattern, "-test.benchtime=1x")...)
	took := time.Since(began)
	found := results(out, o.Procs)
	for i := range found {
		if found[i].Time == 0 {
			found[i].Time = took // no less
		}
	}
	return found, err
}

// Benchmark runs one benchmark for n operations and returns the profile.
func (b *Binary) Benchmark(ctx context.Context, name string, n int, o Options) (*memprofile.Profile, error) {
	return b.profile(ctx, o, "-test.run=^$", "-test.bench="+exactly(name), fmt.Sprintf("-test.benchtime=%dx", n))
}

// Tests runs the tests that match pattern and returns the profile of all of them together, beside the error if they
// failed.
func (b *Binary) Tests(ctx context.Context, pattern string, count int, o Options) (*memprofile.Profile, error) {
	return b.profile(ctx, o, "-test.run="+pattern, "-test.count="+strconv.Itoa(count))
}

func (b *Binary) profile(ctx context.Context, o Options, args ...string) (*memprofile.Profile, error) {
	file := b.File + ".profile"
	os.Remove(file)
	out, err := b.run(ctx, o, []string{variable + "=" + file}, o.args(args...)...)
	p, missing := heap.Open(file)
	switch {
	case err != nil:
		return p, err
	case errors.Is(missing, os.ErrNotExist):
		return nil, &Failure{"it ended before its tests had, and left no profile", out}
	}
	return p, missing
}

// Reached runs the benchmarks that match for a few operations and returns the text of the coverage profile. What was
// covered is returned beside a [Failure], too.
func (b *Binary) Reached(ctx context.Context, pattern string, o Options) (string, error) {
	file := filepath.Join(filepath.Dir(b.File), "cover.out")
	os.Remove(file)
	_, err := b.run(ctx, o, nil, o.args("-test.run=^$", "-test.bench="+pattern, "-test.benchtime=100x", "-test.coverprofile="+file)...)
	text, missing := os.ReadFile(file)
	if err == nil {
		err = missing
	}
	return string(text), err
}
