package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/report/bench"
)

// A place is where bench is run, with all that it leaves there.
type place struct {
	dir  string
	tmp  string // where the go command and bench have temporary files
	lock string
}

func newPlace(t *testing.T) place {
	t.Helper()
	for _, tool := range []string{"git", "go"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	p := place{t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "lock")}
	t.Cleanup(func() { p.clean(t) })
	return p
}

// known has benchmarks whose differences are known: in the new revision BenchmarkSlower does a
// tenth more work, and BenchmarkAllocates allocates once more.
const known = `package known

import (
	"fmt"
	"os"
	"testing"
	"time"
)

var (
	result int
	kept   [3]*[64]byte
)

func run(b *testing.B, n int) {
	for range b.N {
		for i := range n {
			result = result*3 + i
		}
	}
}

func BenchmarkSame(b *testing.B) { run(b, 1000) }

func BenchmarkSlower(b *testing.B) { run(b, slower) }

func BenchmarkTwin(b *testing.B) {
	for _, n := range []int{1000, 1100} {
		b.Run(fmt.Sprint("work=", n), func(b *testing.B) { run(b, n) })
	}
}

func BenchmarkAllocates(b *testing.B) {
	for range b.N {
		for i := range allocations {
			kept[i] = new([64]byte)
		}
	}
}

func BenchmarkMetric(b *testing.B) {
	if dir := os.Getenv("KNOWN_ONCE"); dir != "" && b.N > 1 {
		if os.Mkdir(fmt.Sprint(dir, "/", slower), 0o700) != nil {
			time.Sleep(time.Hour) // in the second round
		}
	}
	run(b, 100)
	b.ReportMetric(float64(slower), "work/op")
}

func BenchmarkPanics(b *testing.B) { panic("it always does") }

func BenchmarkFails(b *testing.B) { b.Fatal("it always does") }
`

// repository returns a place with the known benchmarks, of which the new revision is checked out.
// The old one has the tag old.
func repository(t *testing.T) place {
	t.Helper()
	p := module(t, map[string]string{"known_test.go": known,
		"go.mod": "module known.example/known\n\ngo 1.26\n"})
	p.revise(t, 1000, 2)
	p.commit(t, "old")
	p.git(t, "tag", "old")
	p.revise(t, 1100, 3)
	p.commit(t, "new")
	return p
}

// revise writes what differs between the revisions.
func (p place) revise(t *testing.T, slower, allocations int) {
	t.Helper()
	p.write(t, map[string]string{"revision.go": fmt.Sprintf("package known\n\nconst (\n\tslower "+
		"= %d\n\tallocations = %d\n)\n", slower, allocations)})
}

// module returns a place with a module and no repository.
func module(t *testing.T, files map[string]string) place {
	t.Helper()
	p := newPlace(t)
	p.write(t, map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n"})
	p.write(t, files)
	return p
}

func (p place) write(t *testing.T, files map[string]string) {
	t.Helper()
	writeFiles(t, p.dir, files)
}

func (p place) invocation(args ...string) *exec.Cmd {
	return invocation(p.dir, []string{"PWD=" + p.dir, "GOWORK=off", "GOFLAGS=", "GOTMPDIR=" + p.tmp,
		measure.LockVariable + "=" + p.lock, "GIT_CEILING_DIRECTORIES=" +
			filepath.Dir(p.dir)}, append([]string{"bench"}, args...)...)
}

func (p place) bench(t *testing.T, args ...string) outcome {
	t.Helper()
	return output(t, p.invocation(args...))
}

// short is bench in a few short rounds.
func (p place) short(t *testing.T, args ...string) outcome {
	t.Helper()
	return p.bench(t, append(shortly, args...)...)
}

// start starts a run that goes on until it is interrupted or killed.
func (p place) start(t *testing.T, args ...string) *running {
	t.Helper()
	return start(t, p.invocation(append([]string{"-benchtime", "20x", "-count", "100000"},
		args...)...))
}

// clean fails the test if bench has left something where it does not belong.
func (p place) clean(t *testing.T) {
	t.Helper()
	if left, _ := filepath.Glob(filepath.Join(p.tmp, "*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	if _, err := os.Stat(filepath.Join(p.dir, ".git")); err == nil {
		if out := p.git(t, "worktree", "list"); strings.Count(out, "\n") != 1 {
			t.Errorf("worktrees: %s", out)
		}
	}
}

func (p place) git(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c",
		"user.email=t@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = p.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func (p place) files(pattern string) []string {
	files, _ := filepath.Glob(filepath.Join(p.dir, pattern))
	return files
}

// report returns the one that was printed as JSON.
func (o outcome) report(t *testing.T) bench.Report {
	t.Helper()
	return decoded[bench.Report](t, o.stdout)
}

// row returns the row of a benchmark in the table of a unit.
func row(t *testing.T, c *bench.Comparison, unit, name string) bench.Row {
	t.Helper()
	for _, table := range c.Tables {
		for _, r := range table.Rows {
			if base, _, _ := strings.Cut(r.Name, "-"); table.Unit == unit && base == name {
				return r
			}
		}
	}
	t.Fatalf("no %s of %s", unit, name)
	return bench.Row{}
}

// delta returns the difference of a benchmark in a unit.
func delta(t *testing.T, c *bench.Comparison, unit, name string) bench.Delta {
	t.Helper()
	return row(t, c, unit, name).Delta
}

var shortly = []string{"-benchtime", "20x", "-count", "6"}

func TestBench_vs(t *testing.T) {
	t.Parallel()
	p := repository(t)
	o := p.short(t, "-vs", "old", "-json").want(t, statusUsage, "BenchmarkFails",
		"BenchmarkPanics")
	r := o.report(t)
	c := r.Comparison
	for of, want := range map[[2]string]string{
		{"allocs/op", "Allocates"}: "worse exact 6 1.5",
		{"allocs/op", "Same"}:      "equal exact 6 0",
		{"work/op", "Metric"}:      "changed pairs 6 1.1",
		{"sec/op", "Slower"}:       " pairs 6 ",
	} {
		d := delta(t, c, of[0], of[1])
		if got := fmt.Sprintf("%s %s %d %g", d.Verdict, d.Method, d.N,
			d.Estimate); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", of, got, want)
		}
	}
	reasons := map[string]string{}
	for _, f := range c.Failures {
		reasons[f.Version+" "+f.Name] = f.Reason
	}
	for benchmark, reason := range map[string]string{
		"old Fails": "it always does", "new Fails": "it always does",
		"old Panics": "panic: it always does", "new Panics": "known_test.go:",
	} {
		if !strings.Contains(reasons[benchmark], reason) || len(c.Failures) != 4 {
			t.Errorf("%s: %q; failures %+v", benchmark, reasons[benchmark], c.Failures)
		}
	}
	if r.Rounds != 6 || len(r.Versions) != 2 || r.Versions[0].Commit == r.Versions[1].Commit {
		t.Errorf("%d rounds, %+v, %+v", r.Rounds, r.Settings, r.Versions)
	}
	if out := p.git(t, "status", "--porcelain", "--untracked-files=no"); out != "" {
		t.Errorf("the working tree has changed: %s", out)
	}
	if r.Breaches == nil || r.Undecided == nil {
		t.Error("without a limit, what breaks it is no list in JSON")
	}
	if files := p.files("*/*.txt"); files != nil {
		t.Errorf("without -o, there are files %q", files)
	}
}

func TestBench_text(t *testing.T) {
	t.Parallel()
	p := repository(t)
	o := p.short(t, "-bench", "Same|Twin", "-o", "mine.txt")
	o.want(t, statusOK, "known.example/known", "6 rounds of 20x in", "Same",
		"Twin/work=1100", "sec/op", "allocs/op", "round 3 of 6").plain(t)
	lines := regexp.MustCompile(`(?m)^round \d of 6(, about .* left)?$`)
	if n := len(lines.FindAllString(o.stderr, -1)); n != 6 {
		t.Errorf("not one line a round: %s", o.stderr)
	}
	if files := p.files("*.txt"); len(files) != 1 || filepath.Base(files[0]) != "mine.txt" {
		t.Errorf("files %q", files)
	}
}

// cpu has benchmarks of which the work outside of the timed part is at least ten times that within.
const cpu = `package m

import (
	"testing"
	"time"
)

var sink int

func work(n int) {
	for i := range n {
		sink = sink*3 + i
	}
}

func BenchmarkWorks(b *testing.B) {
	for range b.N {
		work(1000000)
	}
}

func BenchmarkLoops(b *testing.B) {
	work(100000000)
	for b.Loop() {
		work(1000000)
	}
}

func BenchmarkSleeps(b *testing.B) {
	for range b.N {
		time.Sleep(time.Millisecond)
	}
}

func BenchmarkStops(b *testing.B) {
	for range b.N {
		b.StopTimer()
		work(10000000)
		b.StartTimer()
		work(1000000)
	}
}
`

func TestBench_cpuTime(t *testing.T) {
	if runtime.GOOS == "plan9" || runtime.GOOS == "windows" {
		t.Skip("its clock of CPU time, if there is one, has a resolution of 15 ms")
	}
	p := module(t, map[string]string{"m_test.go": cpu})
	c := p.bench(t, "-count", "8", "-benchtime", "10x", "-cpu", "1", "-json").want(t,
		statusOK).report(t).Comparison
	least := func(name string) (x float64) { // others can only make work take more CPU time
		x = math.Inf(1)
		for _, s := range row(t, c, "cpu-sec/op", name).Cells[0].Samples {
			x = min(x, s.Value)
		}
		return x
	}
	works := least("Works")
	if sleeps := least("Sleeps"); works <= 0 || sleeps > 0.5e-3 {
		t.Errorf("%v s of CPU time for work, %v for a sleep of a millisecond", works, sleeps)
	}
	for _, name := range []string{"Loops", "Stops"} {
		if got := least(name); got < works/3 || got > 3*works {
			t.Errorf("%s: %v s of CPU time, %v for the same work", name, got, works)
		}
	}
}

func noInterrupts(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted by another, and a pipe without a reader has no " +
			"signal")
	}
}

func TestBench_interrupt(t *testing.T) {
	noInterrupts(t)
	t.Parallel()
	p := repository(t)
	cmd := p.invocation("-benchtime", "20x", "-count", "100000", "-vs", "old", "-bench",
		"Same|Metric", "-o", "x.txt")
	cmd.Env = append(cmd.Env, "KNOWN_ONCE="+t.TempDir()) // so that no third round begins
	run := start(t, cmd)
	run.until(t, "round 1 of 100000")
	run.interrupt(t)
	// of the same request: timeout sends one to the process and one to its group
	_ = run.cmd.Process.Signal(syscall.SIGTERM)
	run.end(t).want(t, statusUsage, "1 round of 20x", "interrupted in round 2", "Metric",
		"work/op", "needs 6 values")
	text, err := os.ReadFile(filepath.Join(p.dir, "x-new.txt"))
	if err != nil || !strings.Contains(string(text), "BenchmarkMetric") {
		t.Errorf("after a round the file has %s, %v", text, err)
	}
}

func TestBench_for(t *testing.T) {
	t.Parallel()
	p := repository(t)
	r := p.bench(t, "-for", "1ns", "-benchtime", "20x", "-bench", "Same", "-json").want(t,
		statusOK).report(t)
	if r.Rounds != 6 || !strings.Contains(r.Stopped, "of -for") {
		t.Errorf("%d rounds, %s", r.Rounds, r.Stopped)
	}
	p.bench(t, "-for", "1h", "-benchtime", "20x", "-count", "7", "-bench", "Same").want(t, statusOK,
		"7 rounds of 20x")
}

func TestBenchSettings_for(t *testing.T) {
	for args, want := range map[string]time.Duration{"": 30 * time.Second, "-for 0": 0,
		"-for 5m": 5 * time.Minute, "-vs HEAD": 0, "-vs HEAD -for 5m": 5 * time.Minute} {
		set, _, err := benchSettings(&command{args: strings.Fields(args)})
		if err != nil || set.For != want {
			t.Errorf("bench %s: %v, %v", args, set.For, err)
		}
	}
}

func TestBench_refused(t *testing.T) {
	t.Parallel()
	p := repository(t)
	p.write(t, map[string]string{"broken/x_test.go": benchmark("broken", "X"),
		"empty/x_test.go": "package empty\n", "code/x.go": "package code\n"})
	p.commit(t, "a commit")
	for _, c := range []refusal{
		{"missing.txt", statusUsage, "missing.txt"},
		{"-vs nowhere", statusUsage, `no revision "nowhere"`},
		{"-vs HEAD~9", statusUsage, `no revision "HEAD~9"`},
		{"-vs --all", statusUsage, `no revision "--all"`},
		{"-vs HEAD:go.mod", statusUsage, `no revision "HEAD:go.mod"`},
		{"-vs HEAD", statusUsage, "nothing differs"},
		{"./nowhere", statusUsage, "nowhere"},
		{"./broken", statusUsage, "x_test.go:7"},
		{"./empty", statusUsage, "no benchmarks"},
		{"./code/...", statusUsage, "no package of ./code/... has test files"},
		{"-bench Nothing", statusUsage,
			`no benchmark matches -bench "Nothing"; there are BenchmarkAllocates`},
		{"-bench Same -count 1 -benchtime 1x -vs old -fail-on frames/op:+5%", statusUsage,
			"no benchmark reports frames/op; they report ns/op"},
		{"-bench Fails -count 2 -benchtime 1x -o x.txt", statusUsage,
			"there are no results"},
	} {
		p.bench(t, strings.Split(c.args, " ")...).want(t, c.status, c.complaint)
	}
}

// TestBench_workflow runs the step of the documentation's workflow for GitHub Actions.
func TestBench_workflow(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/bench.md")
	if err != nil {
		t.Fatal(err)
	}
	p := repository(t)
	p.git(t, "update-ref", "refs/remotes/origin/trunk", "old")
	ran := false
	for line := range strings.Lines(string(text)) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "- run: threadcall bench ")
		if !ok {
			continue
		}
		ran = true
		command = strings.NewReplacer(`"`, "", "'", "").Replace(os.Expand(command,
			func(string) string { return "trunk" }))
		cmd := p.invocation(slices.Concat(shortly, []string{"-bench", "Allocates"},
			strings.Fields(command))...)
		output(t, cmd).want(t, statusWrong, "known.example/known: origin/trunk → ",
			"Allocates 2 3 +50.0% more", "-fail-on allocs/op:+0%: Allocates-", "allocs/op: +50.00 %")
	}
	if !ran {
		t.Error("no step runs it")
	}
}

func TestBench_lock(t *testing.T) {
	t.Parallel()
	p := repository(t)
	first := p.start(t, "-bench", "Metric")
	first.until(t, "round 1 of")
	second := start(t, p.invocation(append(shortly, "-vs", "old", "-bench", "Metric", "-json")...))
	second.until(t, "Waiting for another benchmark")
	if out := p.git(t, "worktree", "list"); strings.Count(out, "\n") != 1 {
		t.Errorf("it has worked while another one measures: %s", out)
	}
	p.write(t, map[string]string{"more.go": "package known\n"})
	p.commit(t, "more")
	killed, _ := filepath.Glob(filepath.Join(p.tmp, "*"))
	_ = first.cmd.Process.Kill()
	first.end(t)
	for _, dir := range killed {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	}
	r := second.end(t).want(t, statusOK).report(t)
	if v := r.Versions[1]; v.Commit != strings.TrimSpace(p.git(t, "rev-parse", "HEAD")) {
		t.Errorf("measured %+v", v)
	}
}

// commit commits what is there, in a repository that it makes if there is none.
func (p place) commit(t *testing.T, message string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(p.dir, ".git")); err != nil {
		p.git(t, "init", "-q")
	}
	p.git(t, "add", "-A", ".")
	p.git(t, "commit", "-q", "-m", message)
}

// benchmark returns a test file with a benchmark that calls work, of which each package has its
// own.
func benchmark(pkg, name string) string {
	return fmt.Sprintf("package %s\n\nimport \"testing\"\n\nfunc Benchmark%s(b *testing.B) "+
		"{\n\tfor range b.N {\n\t\twork()\n\t}\n}\n", pkg, name)
}

func worker(pkg string, n int) string {
	return fmt.Sprintf("package %s\n\nvar sink [%d]byte\n\nfunc work() {\n\tfor i := range sink "+
		"{\n\t\tsink[i]++\n\t}\n}\n", pkg, n)
}

func TestBench_vs_packages(t *testing.T) {
	t.Parallel()
	p := module(t, map[string]string{"a/a.go": worker("a", 10), "a/a_test.go": benchmark("a", "X"),
		"b/b.go": worker("b", 10), "b/b_test.go": benchmark("b", "Y"),
		"c/c.go": worker("c", 10), "c/c_test.go": benchmark("c", "Z")})
	p.commit(t, "a commit")
	p.write(t, map[string]string{"a/a.go": "// Package a has a comment now.\n" + worker("a", 10)})
	p.short(t, "-vs", "HEAD", "-bench", "Nothing", "./...").want(t, statusUsage,
		"no benchmark matches")
	r := p.short(t, "-vs", "HEAD", "-json", "-fail-on", "ns/op:+5%", "./b").want(t, statusOK,
		"Identical, not measured").report(t)
	if len(r.Identical) != 1 || r.Rounds != 0 || len(r.Comparison.Tables) != 0 {
		t.Errorf("%+v", r)
	}
	o := p.short(t, "-vs", "HEAD", "./b").want(t, statusOK, "There is nothing to compare.")
	if all := o.stdout + o.stderr; strings.Count(all, "dentical") != 1 ||
		strings.Contains(all, "rounds of") || strings.Contains(all, "Raw results:") {
		t.Errorf("about packages that are identical it says %s", all)
	}
	p.write(t, map[string]string{"b/testdata/d/x": "1", "b/new_test.go": benchmark("b", "New"),
		"c/c.go": "package c\n"})
	r = p.short(t, "-vs", "HEAD", "-json", "./...").want(t, statusUsage,
		"example.com/m/c failed").report(t)
	if f := r.Comparison.Failures; len(f) != 1 || !strings.Contains(f[0].Reason, "undefined: work") {
		t.Errorf("failures %+v", f)
	}
	if x := row(t, r.Comparison, "sec/op", "Y"); x.Delta.N != 6 {
		t.Errorf("other testdata: %+v", x)
	}
	if x := row(t, r.Comparison, "sec/op", "New"); x.Cells[0].N != 0 || x.Cells[1].N != 6 ||
		!strings.Contains(r.Versions[1].What, "b/new_test.go") {
		t.Errorf("a benchmark of the working tree: %+v, %+v", x, r.Versions)
	}
}

func TestBench_vs_workspaceElsewhere(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, map[string]string{"w/go.work": "go 1.26\n\nuse ../r\n",
		"r/go.mod":    "module example.com/r\n\ngo 1.26\n",
		"r/r_test.go": "package r\n\nimport \"testing\"\n\nfunc BenchmarkX(*testing.B) {}\n"})
	file := filepath.Join(p.dir, "w", "go.work")
	p.dir = filepath.Join(p.dir, "r")
	p.commit(t, "a commit")
	p.write(t, map[string]string{"r.go": "package r\n"})
	cmd := p.invocation("-vs", "HEAD")
	cmd.Env = append(cmd.Env, "GOWORK="+file)
	output(t, cmd).want(t, statusUsage, "neither in the repository nor")
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
	p.clean(t)
}

// What go.work and go.mod files want by a relative path, a revision gets from its own tree if it is
// in the repository, and else from the same place.
func TestBench_vs_relativePaths(t *testing.T) {
	t.Parallel()
	module := func(name string) string { return "module example.com/" + name + "\n\ngo 1.26\n" }
	constant := func(name string, n int) string {
		return fmt.Sprintf("package %s\n\nconst N = %d\n", name, n)
	}
	for name, files := range map[string]map[string]string{
		"a workspace around it": {"go.work": "go 1.26\n\nuse (\n\t./out\n\t./r/in\n\t./r/p\n)\n"},
		"a workspace that git ignores": {"r/.gitignore": "go.work\n",
			"r/go.work": "go 1.26\n\nuse (\n\t../out\n\t./in\n\t./p\n)\n"},
		"replacements": {"r/p/go.mod": module("p") + "\nrequire (\n\texample.com/in v0.0.0\n\t" +
			"example.com/out v0.0.0\n)\n\nreplace (\n\texample.com/in => ../in\n\t" +
			"example.com/out => ../../out\n)\n"},
	} {
		p := newPlace(t)
		p.write(t, map[string]string{
			"out/go.mod": module("out"), "out/out.go": constant("out", 10),
			"r/in/go.mod": module("in"), "r/in/in.go": constant("in", 1), "r/p/go.mod": module("p"),
			"r/p/p_test.go": `package p

import (
	"testing"

	"example.com/in"
	"example.com/out"
)

func BenchmarkX(b *testing.B) { b.ReportMetric(in.N+out.N, "sum/op") }
`})
		p.write(t, files)
		p.dir = filepath.Join(p.dir, "r")
		p.commit(t, "a commit")
		p.write(t, map[string]string{"in/in.go": constant("in", 2)})
		p.dir = filepath.Join(p.dir, "p")
		cmd := p.invocation("-vs", "HEAD", "-count", "1", "-benchtime", "1x", "-json")
		cmd.Env = append(cmd.Env, "GOWORK=", "GIT_CEILING_DIRECTORIES=")
		r := output(t, cmd).want(t, statusOK).report(t)
		cells := row(t, r.Comparison, "sum/op", "X").Cells
		if cells[0].Center != 11 || cells[1].Center != 12 {
			t.Errorf("%s: %v in the revision, %v in the tree", name, cells[0].Center, cells[1].Center)
		}
	}
}
