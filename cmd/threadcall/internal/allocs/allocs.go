// Package allocs finds what allocates: where, how much for each operation, and the compiler's
// reason. allocs.go compiles tests with a hook and runs them, rows.go joins what they allocated
// with the compiler's log, and text.go writes all reports.
package allocs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/cover"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/budget"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/escape"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/overlay"
	"github.com/threadcall/threadcall/cmd/threadcall/report"
	"github.com/threadcall/threadcall/cmd/threadcall/report/alloc"
)

// Settings have what to run.
type Settings struct {
	Packages []string // patterns, as for the go command
	Dir      string   // where to run the go command; empty: here

	Bench     string           // benchmarks to run, for [gotest.PatternFor]
	Benchtime report.Benchtime // of the shorter run of a benchmark
	Budget    bool             // check promises, too

	Progress func(string) // called with what is being done; never nil
}

// A session is one run. It compiles tests so that each benchmark leaves a profile of everything
// that it allocated, and so that the compiler logs its reasons. No file is changed: the hook of
// package heap is compiled in by the go command's -overlay.
type session struct {
	Settings
	tree    gotest.Tree
	tmp     string      // the directory for all files, absolute
	overlay string      // the file with the hook
	asked   []string    // packages that the compiler is asked about when tests are compiled
	log     *escape.Log // what it has said in all builds so far
	report  *alloc.Report
	check   *budget.Check // promises, or nil
}

// Run compiles and runs what the settings select. Failures of single benchmarks are in the report;
// an error is one because of which there is none, or says why it does not have all.
func (set Settings) Run(ctx context.Context) (*alloc.Report, error) {
	scratch, err := gotest.NewScratch()
	if err != nil {
		return nil, err
	}
	defer scratch.Remove()
	r := &alloc.Report{}
	// Its flags are stronger than GOFLAGS: files must have the same paths in stacks, in what the
	// compiler logs, and in what the go command lists.
	s := &session{Settings: set, tree: gotest.Tree{Dir: set.Dir, Flags: []string{"-trimpath=false"}},
		tmp: scratch.Dir, log: escape.New(), report: r}
	all, err := s.tree.ListDeps(ctx, s.Packages...)
	if err != nil {
		return nil, err
	}
	if err := s.prepare(ctx, all); err != nil {
		return nil, err
	}
	var functions []budget.Compiled
	if s.Budget {
		s.Progress("compiling what has promised")
		if functions, err = s.checks(ctx, all); err != nil {
			return nil, err
		}
		if r.Budget = &s.check.Budget; len(r.Budget.Functions) == 0 {
			return r, nil
		}
	}
	var stopped error
	var known []string // benchmarks, those that do not match as well
	for i, p := range all {
		if p.DepOnly || !p.HasBenchmarks() {
			continue
		}
		names, err := s.runPackage(ctx, p, fmt.Sprint(i))
		if ctx.Err() != nil {
			if stopped = context.Cause(ctx); len(r.Runs) == 0 || s.Budget {
				return nil, stopped // promises are judged by all benchmarks
			}
			break
		}
		if err != nil {
			return nil, err
		}
		known = append(known, names...)
	}
	if len(r.Runs) == 0 && len(r.Failures) == 0 && r.Budget == nil {
		if len(known) > 0 {
			return nil, fmt.Errorf("no benchmark matches %q, or those are skipped; there are %s", s.Bench,
				strings.Join(known, ", "))
		}
		return nil, errors.New("nothing to run: the packages have no benchmarks")
	}
	if s.check != nil {
		s.check.Code(functions, s.log)
	}
	return r, stopped
}

// runPackage compiles the tests of one package and runs its benchmarks that match, each in
// processes of its own. It returns the names of all.
func (s *session) runPackage(ctx context.Context, p gotest.Package, number string) (known []string,
	err error) {
	s.Progress("compiling " + p.ImportPath)
	bin, err := s.test(ctx, p, number)
	if err != nil {
		return nil, err
	}
	s.report.Packages = append(s.report.Packages, p.ImportPath)
	if known, err = bin.Benchmarks(ctx, timeout); ctx.Err() != nil {
		return nil, err
	} else if err != nil {
		s.failed(p.ImportPath, report.Failure{Reason: err.Error()})
	}
	for _, name := range known {
		its, ok := gotest.PatternFor(s.Bench, name)
		if !ok {
			continue
		}
		s.Progress(p.ImportPath + " " + name)
		found, err := s.try(ctx, bin, name, its)
		for _, b := range found {
			if err == nil {
				err = s.measure(ctx, bin, b)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if s.check != nil {
		err = s.look(ctx, p, number)
	}
	return known, err
}

// failed adds a failure in a package to the report, once: testing may print figures of a benchmark
// that panics, so that it is tried again.
func (s *session) failed(pkg string, f report.Failure) {
	f.Package, f.Reason = pkg, strings.ReplaceAll(f.Reason, "\n", "; ")
	same := func(o report.Failure) bool { return o.Of() == f.Of() }
	if all := &s.report.Failures; !slices.ContainsFunc(*all, same) {
		*all = append(*all, f)
	}
}

// checks finds the promises, and compiles what has promised: for the compiler's reasons, and for
// its listings, of which the second has the places of calls outside of what is inlined.
func (s *session) checks(ctx context.Context, all []gotest.Package) (
	functions []budget.Compiled, err error) {
	if s.check, err = budget.Find(all); err != nil || len(s.check.Functions) == 0 {
		return nil, err
	}
	functions, err = s.listing(ctx, s.ask("-S"), all)
	if err := errors.Join(err, s.readReasons()); err != nil {
		return nil, err
	}
	var twice []string
	for _, path := range s.asked {
		twice = append(twice, "-gcflags="+path+"=-S -S")
	}
	s.asked = nil // the compiler has answered
	outer, err := s.listing(ctx, twice, all)
	budget.SetOuter(functions, outer)
	return functions, err
}

// look learns which promising functions the benchmarks of a package call that did not fail.
func (s *session) look(ctx context.Context, p gotest.Package, number string) error {
	var patterns []string
	for _, run := range s.report.Runs {
		if run.Package == p.ImportPath {
			patterns = append(patterns, gotest.Exactly(run.Name))
		}
	}
	if patterns == nil {
		return nil
	}
	s.Progress("looking what the benchmarks of " + p.ImportPath + " call")
	bin, err := s.test(ctx, p, number+".cover", "-covermode=atomic",
		"-coverpkg="+strings.Join(s.check.Packages(), ","))
	if err != nil {
		return err
	}
	file := filepath.Join(s.tmp, "calls")
	if _, ok, err := s.run(ctx, bin, "", nil, "-test.bench="+strings.Join(patterns, "|"),
		"-test.coverprofile="+file,
		fmt.Sprintf("-test.benchtime=%dx", max(100, s.Benchtime.N))); !ok {
		return err
	}
	profiles, err := cover.ParseProfiles(file)
	s.check.Covered(profiles)
	return err
}

// prepare sets what compiling needs for the packages.
func (s *session) prepare(ctx context.Context, all []gotest.Package) (err error) {
	// where its files are removed even if the go command is killed
	s.tree.Env = append(s.tree.Environ(), "GOTMPDIR="+s.tmp)
	for _, p := range all {
		if p.Standard && !p.DepOnly {
			return fmt.Errorf("allocs: %s is a package of the standard library, to which package "+
				"testing belongs", p.ImportPath)
		}
		if !p.DepOnly || p.Module != nil && p.Module.Main {
			s.asked = append(s.asked, p.ImportPath)
		}
	}
	slices.Sort(s.asked)
	s.report.Asked = s.asked
	if s.report.Go, err = s.tree.Toolchain(ctx, s.tmp); err == nil {
		s.overlay, err = overlay.Testing(s.tree.Root, s.tmp, heap.Hook)
	}
	return err
}

// ask returns the flags by which the compiler writes its reasons to a directory.
func (s *session) ask(more ...string) (flags []string) {
	for _, path := range s.asked {
		flags = append(flags, escape.Flag(path, filepath.Join(s.tmp, "escapes"), more...))
	}
	return flags
}

// test compiles the tests of a package, with more flags. Name is part of the names of its files.
func (s *session) test(ctx context.Context, p gotest.Package, name string, flags ...string) (
	*gotest.Binary, error) {
	bin, err := s.tree.Build(ctx, p, filepath.Join(s.tmp, name+".test.exe"),
		slices.Concat(flags, s.ask(), []string{"-p=1", "-overlay", s.overlay})...)
	return bin, errors.Join(err, s.readReasons())
}

// listing compiles packages with their tests for the compiler's listings of their functions.
func (s *session) listing(ctx context.Context, flags []string, all []gotest.Package) (
	[]budget.Compiled, error) {
	args := slices.Concat([]string{"list", "-test", "-export", "-f", "", "-p=1"}, s.tree.Flags, flags,
		[]string{"--"})
	for _, p := range all {
		if !p.DepOnly {
			args = append(args, p.ImportPath)
		}
	}
	_, out, err := s.tree.Output(ctx, args...)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("allocs: compiling for the listing: %w\n%s", err,
			gotest.Decisive(string(out), 12))
	}
	return budget.ReadListing(string(out)), err
}

// readReasons takes what the compiler has said in a build. The next one writes to the same files
// about a package as it is, after this one about that as its own tests see it, for which more
// generic functions may have been compiled.
func (s *session) readReasons() error {
	dir := filepath.Join(s.tmp, "escapes")
	return errors.Join(s.log.Read(dir), os.RemoveAll(dir))
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

// run runs a benchmark of a binary with more in its environment. If it fails, that is in the
// report, and it is not ok.
func (s *session) run(ctx context.Context, b *gotest.Binary, benchmark string, env []string,
	args ...string) (r *gotest.Result, ok bool, err error) {
	one := *b
	one.Env = slices.Concat(b.Env, env)
	for name, value := range map[string]string{"GOGC": "off", "GOMEMLIMIT": "1GiB"} {
		// A collection empties caches, which is not the operation's.
		if _, set := os.LookupEnv(name); s.Budget && !set {
			one.Env = append(one.Env, name+"="+value)
		}
	}
	// Like go test: a process that exits with 0 before the end has failed.
	args = append([]string{"-test.paniconexit0", "-test.run=^$"}, args...)
	if r, err = one.Run(ctx, timeout, args...); err != nil {
		return nil, false, fmt.Errorf("%s: %s: %w", b.Package, benchmark, err)
	}
	failures := r.Failures(benchmark, nil)
	for _, f := range failures {
		f.Output = r.Output
		s.failed(b.Package, f)
	}
	return r, len(failures) == 0, nil
}

// A trial is a benchmark that ran for a short time.
type trial struct {
	name string        // with "Benchmark", without the number of processors
	time time.Duration // no less than an operation takes
}

// try runs the benchmarks that match, with their sub-benchmarks, for a twentieth of the time of a
// measurement: one operation alone has the time of what is done once.
func (s *session) try(ctx context.Context, b *gotest.Binary, benchmark, pattern string) (
	trials []trial, err error) {
	short := report.Benchtime{N: 1}
	if s.Benchtime.N == 0 {
		short = report.Benchtime{Time: s.Benchtime.Time / 20}
	}
	r, _, err := s.run(ctx, b, benchmark, nil, "-test.bench="+pattern,
		"-test.benchtime="+short.String())
	if err != nil {
		return nil, err
	}
	for _, l := range r.Lines {
		name := gotest.PlainName(l.Name.String(), nil)
		t := trial{"Benchmark" + name, r.Time}
		if seconds, ok := l.Value("sec/op"); ok && seconds > 0 {
			t.time = time.Duration(seconds * float64(time.Second))
		}
		trials = append(trials, t)
	}
	return trials, nil
}

// operations returns how many of the given time the shorter run makes.
func (s *session) operations(each time.Duration) int {
	n, least := s.Benchtime.N, fewest
	if n == 0 {
		n = min(int(s.Benchtime.Time/max(each, 1)), most)
	}
	if s.Budget {
		least = enough
	}
	return max(n, least)
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
			if profiles[i], err = s.profile(ctx, bin, b.name, (i+1)*n); err != nil ||
				profiles[i] == nil {
				return err
			}
		}
		all = append(all, heap.Difference(profiles[0], profiles[1], n))
	}
	if s.check != nil {
		s.check.Benchmark(bin.Package+" "+b.name, all)
	}
	run := alloc.Run{Package: bin.Package, Name: b.name, Operations: []int{n, 2 * n}}
	s.join(&run, all)
	s.report.Runs = append(s.report.Runs, run)
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

// profile returns the profile of n operations of a benchmark, or nil if it fails.
func (s *session) profile(ctx context.Context, b *gotest.Binary, name string, n int) (
	*heap.Profile, error) {
	file := b.Path + ".profile"
	os.Remove(file)
	r, ok, err := s.run(ctx, b, name, []string{heap.ProfileVariable + "=" + file},
		"-test.bench="+gotest.Exactly(name), fmt.Sprintf("-test.benchtime=%dx", n))
	if !ok {
		return nil, err
	}
	p, err := heap.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		s.failed(b.Package, report.Failure{Name: strings.TrimPrefix(name, "Benchmark"),
			Reason: "it ended before the benchmark had, and left no profile", Output: r.Output})
		return nil, nil
	}
	return p, err
}
