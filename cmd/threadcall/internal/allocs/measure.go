package allocs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/budget"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/escape"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/overlay"
	"github.com/threadcall/threadcall/cmd/threadcall/report"
	"github.com/threadcall/threadcall/cmd/threadcall/report/alloc"
)

// A builder compiles tests so that each benchmark leaves a profile of everything that it allocated,
// and so that the compiler logs its reasons. No file is changed: the hook of package heap is
// compiled in by the go command's -overlay.
type builder struct {
	gotest.Tree
	dir     string      // absolute, for all files
	overlay string      // the file with the hook
	asked   []string    // packages that the compiler is asked about when tests are compiled
	log     *escape.Log // what it has said in all builds so far
}

// prepare sets what the builder needs for the named packages.
func (b *builder) prepare(ctx context.Context, named, all []gotest.Package) error {
	b.Env = append(b.Environ(), "GOTMPDIR="+b.dir) // where its files are removed even if it is killed
	for _, p := range named {
		if p.Standard {
			return fmt.Errorf("allocs: %s is a package of the standard library, to which package "+
				"testing belongs", p.ImportPath)
		}
	}
	for _, p := range all {
		if !p.DepOnly || p.Module != nil && p.Module.Main {
			b.asked = append(b.asked, p.ImportPath)
		}
	}
	slices.Sort(b.asked)
	_, err := b.Toolchain(ctx, b.dir)
	if err == nil {
		b.overlay, err = overlay.Testing(b.Root, b.dir, heap.Hook)
	}
	return err
}

// escapes is where the compiler writes its reasons.
func (b builder) escapes() string { return filepath.Join(b.dir, "escapes") }

// test compiles the tests of a package, with more flags. Name is part of the names of its files.
func (b builder) test(ctx context.Context, p gotest.Package, name string, flags ...string) (
	*gotest.Binary, error) {
	flags = append(flags, "-p=1")
	for _, path := range b.asked {
		flags = append(flags, escape.Flag(path, b.escapes()))
	}
	bin, err := b.Build(ctx, p, filepath.Join(b.dir, name+".test.exe"),
		append(flags, "-overlay", b.overlay)...)
	if err != nil {
		return nil, err
	}
	return bin, b.readReasons()
}

// listings compiles packages with their tests for the compiler's listings of the functions in the
// packages that are asked for, and its reasons. The places of calls in functions of the packages in
// exact are those of all inlined calls.
func (b builder) listings(ctx context.Context, named []gotest.Package, exact []string) (
	[]budget.Compiled, error) {
	var flags, long []string
	for _, path := range b.asked {
		flags = append(flags, escape.Flag(path, b.escapes(), "-S"))
	}
	for _, path := range exact {
		long = append(long, "-gcflags="+path+"=-S -S")
	}
	functions, err := b.listing(ctx, flags, named)
	if err == nil {
		err = b.readReasons()
	}
	if err != nil {
		return nil, err
	}
	outer, err := b.listing(ctx, long, named)
	budget.SetOuter(functions, outer)
	return functions, err
}

func (b builder) listing(ctx context.Context, flags []string, named []gotest.Package) (
	[]budget.Compiled, error) {
	args := slices.Concat([]string{"list", "-test", "-export", "-f", "", "-p=1"}, b.Flags, flags,
		[]string{"--"})
	for _, p := range named {
		args = append(args, p.ImportPath)
	}
	_, out, err := b.Output(ctx, args...)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("allocs: compiling for the listing: %w\n%s", err,
			gotest.Decisive(string(out), 12))
	}
	return budget.ReadListing(string(out)), err
}

// readReasons takes what the compiler has said in a build. The next one writes to the same files
// about a package as it is, after this one about that as its own tests see it, for which more
// generic functions may have been compiled.
func (b builder) readReasons() error {
	if err := b.log.Read(b.escapes()); err != nil {
		return err
	}
	return os.RemoveAll(b.escapes())
}

// How often a benchmark is measured: again until two measurements agree, up to a limit.
const (
	fewestPairs = 2
	mostPairs   = 5
	timeout     = 10 * time.Minute
)

// The limits of the number of operations. With one operation package testing would do without the
// round that it otherwise begins with, and the two runs could not be compared.
const (
	fewest = 2
	most   = 1000
	enough = 10 // for one object an operation to be more than chance
)

// run runs a binary with more in its environment. A process that fails is a [report.Failure].
func (s *session) run(ctx context.Context, b *gotest.Binary, env []string, args ...string) (
	*gotest.Result, error) {
	one := *b
	one.Env = slices.Concat(b.Env, env)
	for name, value := range map[string]string{"GOGC": "off", "GOMEMLIMIT": "1GiB"} {
		// A collection empties caches, which is not the operation's.
		if _, set := os.LookupEnv(name); s.Budget && !set {
			one.Env = append(one.Env, name+"="+value)
		}
	}
	// Like go test: a process that exits with 0 before the end has failed.
	args = append([]string{"-test.paniconexit0", "-test.timeout=" + timeout.String(),
		"-test.cpu=" + strconv.Itoa(s.Procs), "-test.run=^$"}, args...)
	// Package testing has a limit for tests, but none for benchmarks.
	r, err := one.Run(ctx, timeout+3*time.Second, args...)
	if err != nil {
		return &gotest.Result{}, err
	}
	return r, r.Err()
}

// A trial is a benchmark that ran for a short time.
type trial struct {
	name string        // with "Benchmark", without the number of processors
	time time.Duration // no less than an operation takes
}

// try runs the benchmarks that match, with their sub-benchmarks, for a twentieth of the time of a
// measurement: one operation alone has the time of what is done once.
func (s *session) try(ctx context.Context, b *gotest.Binary, pattern string) (trials []trial,
	err error) {
	short := report.Benchtime{N: 1}
	if s.Benchtime.N == 0 {
		short = report.Benchtime{Time: s.Benchtime.Time / 20}
	}
	r, err := s.run(ctx, b, nil, "-test.bench="+pattern, "-test.benchtime="+short.String())
	for _, l := range r.Lines {
		name := gotest.PlainName(l.Name.String(), report.CPUs{s.Procs})
		t := trial{"Benchmark" + name, r.Time}
		if seconds, ok := l.Value("sec/op"); ok && seconds > 0 {
			t.time = time.Duration(seconds * float64(time.Second))
		}
		trials = append(trials, t)
	}
	return trials, err
}

// operations returns how many of the given time the shorter run makes.
func (s *session) operations(each time.Duration) int {
	least := fewest
	if s.Budget {
		least = enough
	}
	if s.Benchtime.N > 0 {
		return max(s.Benchtime.N, least)
	}
	return min(max(int(s.Benchtime.Time/max(each, 1)), least), most)
}

// measure runs one benchmark until what it allocates is stable, and adds it to the report.
func (s *session) measure(ctx context.Context, bin *gotest.Binary, b trial) error {
	n := s.operations(b.time)
	s.Progress(fmt.Sprintf("%s %s, %d and %d operations", bin.Package, b.name, n, 2*n))
	var all []heap.Samples
	for stable := false; !stable; stable = s.stable(all) {
		var profiles [2]*heap.Profile
		for i := range profiles {
			var err error
			if profiles[i], err = s.profile(ctx, bin, b.name, (i+1)*n); err != nil {
				return err
			}
		}
		all = append(all, heap.Difference(profiles[0], profiles[1], n))
	}
	if s.check != nil {
		s.check.Benchmark(bin.Package+" "+b.name, all)
	}
	s.measured = append(s.measured, all)
	s.report.Runs = append(s.report.Runs, alloc.Run{Package: bin.Package, Name: b.name,
		Operations: []int{n, 2 * n}})
	return nil
}

// stable reports whether the benchmark was measured often enough.
func (s *session) stable(all []heap.Samples) bool {
	last := all[len(all)-1]
	if s.Budget { // what no measurement accuses needs no other
		return len(all) >= 3 || !s.check.Suspects(last)
	}
	if len(all) < fewestPairs {
		return false
	}
	return len(all) >= mostPairs || slices.ContainsFunc(all[:len(all)-1], func(m heap.Samples) bool {
		d := math.Abs(m.Counted.Objects - last.Counted.Objects)
		return d < 0.01 || d*float64(last.More) < 4 || d < 0.005*math.Abs(last.Counted.Objects)
	})
}

// profile returns the profile of n operations of a benchmark.
func (s *session) profile(ctx context.Context, b *gotest.Binary, name string, n int) (
	*heap.Profile, error) {
	file := b.Path + ".profile"
	os.Remove(file)
	r, err := s.run(ctx, b, []string{heap.ProfileVariable + "=" + file},
		"-test.bench="+gotest.Exactly(name), fmt.Sprintf("-test.benchtime=%dx", n))
	if err != nil {
		return nil, err
	}
	p, err := heap.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, &report.Failure{Reason: "it ended before the benchmark had, and left no profile",
			Output: r.Output}
	}
	return p, err
}
