package allocs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/budget"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/internal/record"
)

// A binary is the tests of a package, compiled with what writes the profile.
type binary struct {
	gotest.Binary
	pkg string
}

// timeoutGrace is how long a binary may run after its timeout. It ends tests itself, but not benchmarks.
const timeoutGrace = 3 * time.Second

func (s Settings) limit() time.Duration {
	if s.Timeout <= 0 {
		return 0
	}
	return s.Timeout + timeoutGrace
}

// run runs the binary. A process that does not end well is a [gotest.Failure].
func (s Settings) run(ctx context.Context, b *binary, args ...string) (*gotest.Result, error) {
	// Like go test: a process that exits with 0 before the end has not ended well.
	if s.Budget { // a collection empties caches, which is not the operation's
		one := *b
		one.Env = unset(b.Env, "GOGC=off", "GOMEMLIMIT=1GiB")
		b = &one
	}
	args = append([]string{"-test.paniconexit0", "-test.timeout=" + s.Timeout.String(), "-test.cpu=" + strconv.Itoa(s.Procs)}, append(args, s.Args...)...)
	r, err := b.Run(ctx, s.limit(), args...)
	if err != nil {
		return &gotest.Result{}, err
	}
	return r, r.Err()
}

// unset returns the environment with variables that are not in it.
func unset(env []string, more ...string) []string {
	env = slices.Clone(env)
	for _, v := range more {
		name, _, _ := strings.Cut(v, "=")
		if !slices.ContainsFunc(env, func(other string) bool { return strings.HasPrefix(other, name+"=") }) {
			env = append(env, v)
		}
	}
	return env
}

// A trial is a benchmark that ran once.
type trial struct {
	name string        // with "Benchmark", without the number of processors
	time time.Duration // no less than an operation takes
}

// try runs a benchmark once, and returns a trial of it or of each of its sub-benchmarks that match.
func (s Settings) try(ctx context.Context, b *binary, pattern string) (trials []trial, err error) {
	r, err := s.run(ctx, b, "-test.run=^$", "-test.bench="+pattern, "-test.benchtime=1x", "-test.benchmem")
	lines, _, _ := gotest.ParseResults(r.Stdout)
	for _, l := range lines {
		t := trial{"Benchmark" + l.Result.Name.String(), r.Time}
		if s.Procs > 1 {
			t.name = strings.TrimSuffix(t.name, "-"+strconv.Itoa(s.Procs))
		}
		if seconds, ok := l.Result.Value("sec/op"); ok && seconds > 0 {
			t.time = time.Duration(seconds * float64(time.Second))
		}
		trials = append(trials, t)
	}
	return trials, err
}

// exactly is the pattern that matches the benchmark alone.
func exactly(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// profileBenchmark runs one benchmark for n operations and returns the profile.
func (s Settings) profileBenchmark(ctx context.Context, b *binary, name string, n int) (*record.Profile, error) {
	return s.profile(ctx, b, "-test.run=^$", "-test.bench="+exactly(name), fmt.Sprintf("-test.benchtime=%dx", n))
}

// profile runs the binary and returns the profile, if there is one even with an error.
func (s Settings) profile(ctx context.Context, b *binary, args ...string) (*record.Profile, error) {
	file := b.Path + ".profile"
	for _, suffix := range []string{"", baseSuffix, stoppedSuffix} {
		os.Remove(file + suffix)
	}
	one := *b
	one.Env = append(b.Env[:len(b.Env):len(b.Env)], variable+"="+file)
	r, err := s.run(ctx, &one, args...)
	p, missing := record.ReadFile(file)
	if missing == nil {
		missing = withoutStopped(p, file)
	}
	switch {
	case err != nil:
		return p, err
	case errors.Is(missing, os.ErrNotExist):
		return nil, &gotest.Failure{Problem: "it ended before its tests had, and left no profile", Output: r.Output}
	}
	return p, missing
}

// seen runs the benchmarks of instrumented tests that match for n operations and returns what the functions that have promised wrote,
// also with a [gotest.Failure].
func (s Settings) seen(ctx context.Context, b *binary, pattern string, n int) (string, error) {
	file := filepath.Join(filepath.Dir(b.Path), "seen")
	os.Remove(file)
	one := *b
	one.Env = append(b.Env[:len(b.Env):len(b.Env)], budget.SeenVariable+"="+file)
	_, err := s.run(ctx, &one, "-test.run=^$", "-test.bench="+pattern, fmt.Sprintf("-test.benchtime=%dx", n))
	text, missing := os.ReadFile(file)
	if err == nil && !errors.Is(missing, os.ErrNotExist) {
		err = missing
	}
	return string(text), err
}
