// Command flakes runs tests again and again, under the conditions in which the promises hold, and prints which tests
// failed how often. It ends with status 1 if any did.
//
//	go run ./cmd/threadcall/internal/flakes [-n 50] [-load 10] [-run regexp] [-when regexp] [packages]
//
// The tests of each package are compiled once for each set of build flags. A round runs all packages once under each
// condition, so that a run that is interrupted has tried all conditions equally often.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A condition is what the tests run under.
type condition struct {
	name  string
	flags []string // of go build
	env   []string
	load  bool // busy loops run at the same time
}

var (
	race       = []string{"-race"}
	conditions = []condition{
		{name: "GOMAXPROCS=1", env: []string{"GOMAXPROCS=1"}},
		{name: "GOMAXPROCS=2", env: []string{"GOMAXPROCS=2"}},
		{name: "GOMAXPROCS=4", env: []string{"GOMAXPROCS=4"}},
		{name: "collecting", env: []string{"THREADCALL_COLLECT=1"}},
		{name: "race", flags: race},
		{name: "race, collecting", flags: race, env: []string{"THREADCALL_COLLECT=1", "GOMAXPROCS=4"}},
		{name: "load", load: true},
		{name: "race, load", flags: race, load: true},
	}
	core = strings.Fields("./thread ./keyed ./mainthread ./osthread ./recorder/... ./internal/...")

	rounds   = flag.Int("n", 50, "how many `times` each test runs under each condition")
	loaded   = flag.Int("load", 10, "how many `times` each test runs under load")
	loops    = flag.Int("loops", 4, "how many busy `loops` are a load")
	tests    = flag.String("run", ".", "run only tests whose names match this `regexp`")
	when     = flag.String("when", ".", "run only under conditions whose names match this `regexp`")
	timeout  = flag.Duration("timeout", 10*time.Minute, "how long one run of a package may take")
	failures = map[failure]int{}
	runs     = map[failure]int{} // of packages: test is empty
)

// A failure is what failed.
type failure struct{ pkg, test, condition string }

func main() {
	flag.Parse()
	ctx, stop := gotest.Interruptible(1, func() { fmt.Fprintln(os.Stderr, "flakes: stopping") })
	err := run(ctx, flag.Args())
	stop()
	report(ui.On(os.Stdout))
	if err != nil {
		fmt.Fprintln(os.Stderr, "flakes:", err)
	}
	if err != nil || len(failures) > 0 {
		os.Exit(1)
	}
}

func run(ctx context.Context, patterns []string) error {
	only, err := regexp.Compile(*when)
	if err != nil {
		return err
	}
	if len(patterns) == 0 {
		patterns = core
	}
	packages, missing, err := gotest.Tree{}.List(ctx, patterns...)
	if err != nil || len(missing) > 0 {
		return errors.Join(err, errors.New(strings.Join(missing, "\n")))
	}
	scratch, err := gotest.NewScratch()
	if err != nil {
		return err
	}
	defer scratch.Remove()
	conditions := slices.DeleteFunc(slices.Clone(conditions), func(c condition) bool { return !only.MatchString(c.name) })
	all := max(*rounds, *loaded)
	for round := range all {
		for _, c := range conditions {
			if c.load && round >= *loaded || !c.load && round >= *rounds {
				continue
			}
			start := time.Now()
			for _, p := range packages {
				if err := try(ctx, scratch.Dir, p, c); err != nil {
					return err
				}
			}
			fmt.Fprintf(os.Stderr, "round %d of %d, %s: %.0f s, %s so far\n", round+1, all, c.name,
				time.Since(start).Seconds(), ui.Counted(len(failures), "flake", "flakes"))
		}
	}
	return nil
}

// try runs the tests of a package once.
func try(ctx context.Context, dir string, p gotest.Package, c condition) error {
	file := filepath.Join(dir, strings.ReplaceAll(p.ImportPath+strings.Join(c.flags, ""), "/", "_")+".test")
	if _, err := os.Stat(file); err != nil {
		if err := (gotest.Tree{}).Build(ctx, p, file, c.flags...); err != nil {
			return err
		}
	}
	if c.load {
		defer busy()()
	}
	b := gotest.Binary{Path: file, Dir: p.Dir, Env: append(os.Environ(), c.env...)}
	r, err := b.Run(ctx, *timeout+time.Minute, "-test.short", "-test.run="+*tests, "-test.timeout="+timeout.String())
	if err != nil {
		return err
	}
	runs[failure{p.ImportPath, "", c.name}]++
	if r.Failure == "" {
		return nil
	}
	log := filepath.Join(os.TempDir(), fmt.Sprintf("flake-%s-%d.txt", p.Name, time.Now().UnixMilli()))
	for _, test := range culprits(r) {
		failures[failure{p.ImportPath, test, c.name}]++
		fmt.Fprintf(os.Stderr, "FAIL %s %s, %s, see %s\n", p.ImportPath, test, c.name, log)
	}
	fmt.Fprintln(os.Stderr, gotest.Decisive(r.Output, 8))
	return os.WriteFile(log, []byte(r.Output), 0o666)
}

var (
	failed  = regexp.MustCompile(`(?m)^ *--- FAIL: (\S+)`)
	running = regexp.MustCompile(`(?m)^\t+(\S+) \([0-9.]+[a-z0-9.]*\)$`) // when testing's time limit is over
)

// culprits returns the tests that failed, without those that failed because of a subtest.
func culprits(r *gotest.Result) (names []string) {
	for _, re := range []*regexp.Regexp{failed, running} {
		for _, m := range re.FindAllStringSubmatch(r.Output, -1) {
			names = append(names, m[1])
		}
	}
	all := slices.Clone(names)
	names = slices.DeleteFunc(names, func(name string) bool {
		return slices.ContainsFunc(all, func(other string) bool { return strings.HasPrefix(other, name+"/") })
	})
	if slices.Sort(names); len(names) == 0 {
		return []string{r.Failure}
	}
	return slices.Compact(names)
}

// busy starts the loops and returns what ends them.
func busy() (end func()) {
	before := runtime.GOMAXPROCS(runtime.NumCPU() + *loops)
	var ended atomic.Bool
	for range *loops {
		go func() {
			for !ended.Load() {
			}
		}()
	}
	return func() { ended.Store(true); runtime.GOMAXPROCS(before) }
}

func compare(a, b failure) int {
	return cmp.Or(cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.test, b.test), cmp.Compare(a.condition, b.condition))
}

func report(s *ui.Screen) {
	t := &ui.Table{Left: 3, Whole: true}
	t.Add("package", "test", "condition", "failed", "runs")
	for _, f := range slices.SortedFunc(maps.Keys(failures), compare) {
		t.Add(f.pkg, f.test, f.condition, fmt.Sprint(failures[f]), fmt.Sprint(runs[failure{f.pkg, "", f.condition}]))
	}
	sum := 0
	for _, n := range runs {
		sum += n
	}
	if len(failures) > 0 {
		t.Write(s)
	}
	s.Printf("%s of packages, %s\n", ui.Counted(sum, "run", "runs"), ui.Counted(len(failures), "flake", "flakes"))
}
