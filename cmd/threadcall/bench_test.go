package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/lock"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/session"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/testrepo"
)

// A place is where bench is run, with all that it leaves there.
type place struct {
	dir   string
	tmp   string // where the go command and bench have temporary files
	queue string
}

func newPlace(t *testing.T) place {
	t.Helper()
	for _, tool := range []string{"git", "go"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	return place{t.TempDir(), t.TempDir(), t.TempDir()}
}

// repository returns a place with the known benchmarks, of which the new revision is checked out.
func repository(t *testing.T) place {
	t.Helper()
	p := newPlace(t)
	if err := testrepo.Write(p.dir); err != nil {
		t.Fatal(err)
	}
	return p
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
	for name, text := range files {
		name = filepath.Join(p.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

func (p place) command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], append([]string{"bench"}, args...)...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), asCommand+"=1", "PWD="+p.dir, "GOWORK=off", "GOFLAGS=", "GOTMPDIR="+p.tmp, lock.DirVariable+"="+p.queue,
		"GIT_CEILING_DIRECTORIES="+filepath.Dir(p.dir))
	return cmd
}

func (p place) bench(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	return output(t, p.command(args...))
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
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = p.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func (p place) files(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(p.dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func report(t *testing.T, text string) session.Report { return decoded[session.Report](t, text) }

// row returns the row of a benchmark in the table of a unit.
func row(t *testing.T, c *stats.Comparison, unit, name string) stats.Row {
	t.Helper()
	for _, table := range c.Tables {
		for _, r := range table.Rows {
			if base, _, _ := strings.Cut(r.Name, "-"); table.Unit == unit && base == name {
				return r
			}
		}
	}
	t.Fatalf("no %s of %s", unit, name)
	return stats.Row{}
}

var shortly = []string{"-benchtime", "20x", "-count", "6"}

func TestBenchComparesARevisionWithTheWorkingTree(t *testing.T) {
	t.Parallel()
	p := repository(t)
	stdout, stderr, status := p.bench(t, append(shortly, "-vs", testrepo.Old, "-json")...)
	r := report(t, stdout)
	if status != statusWrong || !strings.Contains(stderr, "BenchmarkFails") || !strings.Contains(stderr, "BenchmarkPanics") {
		t.Errorf("status %d, though benchmarks have failed; stderr %s", status, stderr)
	}
	c := r.Comparison
	if d := row(t, c, "allocs/op", "Allocates").Deltas[1]; d.Verdict != stats.Worse || d.Estimate != 1.5 {
		t.Errorf("allocations: %+v", d)
	}
	if d := row(t, c, "allocs/op", "Same").Deltas[1]; d.Visible() {
		t.Errorf("allocations of the same: %+v", d)
	}
	if d := row(t, c, "work/op", "Metric").Deltas[1]; !d.Visible() || d.Estimate != 1.1 {
		t.Errorf("metric: %+v", d)
	}
	times := row(t, c, "sec/op", "Slower")
	if d := times.Deltas[1]; d.Method != stats.Pairs || d.N != 6 {
		t.Errorf("times are compared by %s, of %d", d.Method, d.N)
	}
	reasons := map[string]string{}
	for _, f := range c.Failures {
		reasons[f.Version+" "+f.Name] = f.Reason
	}
	for _, want := range []struct{ benchmark, reason string }{
		{"old Fails", "it always does"}, {"new Fails", "it always does"}, {"old Panics", "panic: it always does"}, {"new Panics", "known_test.go:"},
	} {
		if !strings.Contains(reasons[want.benchmark], want.reason) {
			t.Errorf("%s: %q", want.benchmark, reasons[want.benchmark])
		}
	}
	if len(reasons) != 4 || len(c.Failures) != 4 {
		t.Errorf("failures %+v", c.Failures)
	}
	if len(r.Rounds) != 6 || len(r.Versions) != 2 || r.Versions[0].Commit == r.Versions[1].Commit || len(r.Machine) == 0 || len(r.During) == 0 {
		t.Errorf("%d rounds, %+v, %+v", len(r.Rounds), r.Settings, r.Versions)
	}
	p.clean(t)
	if out := p.git(t, "status", "--porcelain", "--untracked-files=no"); out != "" {
		t.Errorf("the working tree has changed: %s", out)
	}

	checkFiles(t, p, r)
}

// checkFiles checks the files of a run with two versions.
func checkFiles(t *testing.T, p place, r session.Report) {
	t.Helper()
	var names []string
	for _, v := range r.Versions {
		names = append(names, v.File)
		f, err := os.Open(filepath.Join(p.dir, v.File))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		keys, n := map[string]bool{}, map[string]int{}
		for reader := benchfmt.NewReader(f, v.File); reader.Scan(); {
			switch rec := reader.Result().(type) {
			case *benchfmt.SyntaxError:
				t.Error(rec)
			case *benchfmt.Result:
				n[string(rec.Name.Base())]++
				for _, c := range rec.Config {
					keys[c.Key] = true
				}
			}
		}
		// Others would make benchstat put the two files into different tables.
		for key := range keys {
			if !slices.Contains([]string{"goos", "goarch", "pkg", "cpu"}, key) {
				t.Errorf("%s has the configuration %s", v.File, key)
			}
		}
		if want := (map[string]int{"Same": 6, "Slower": 6, "Twin": 12, "Allocates": 6, "Metric": 6}); !maps.Equal(n, want) {
			t.Errorf("%s has %v", v.File, n)
		}
	}
	stdout, stderr, status := p.bench(t, append(names, "-json")...)
	if status != statusOK {
		t.Fatalf("status %d, %s", status, stderr)
	}
	both := report(t, stdout)
	if both.Breaches == nil || both.Undecided == nil {
		t.Error("what is no limit's breach is no list in JSON")
	}
	again := both.Comparison
	for i, table := range r.Comparison.Tables {
		for j, row := range table.Rows {
			if a, b := row.Deltas[1], again.Tables[i].Rows[j].Deltas[1]; a.Verdict != b.Verdict || a.Estimate != b.Estimate || a.P != b.P || a.Method != b.Method {
				t.Errorf("%s of %s: the run says %+v, its files say %+v", table.Unit, row.Name, a, b)
			}
		}
	}
}

func TestBenchInAPipeIsPlainTextInEightyColumns(t *testing.T) {
	t.Parallel()
	p := repository(t)
	page := filepath.Join(p.dir, "page.html")
	stdout, stderr, status := p.bench(t, append(shortly, "-bench", "Same|Twin", "-o", "mine.txt", "-html", page)...)
	if status != statusOK {
		t.Fatalf("status %d, %s", status, stderr)
	}
	if strings.ContainsAny(stdout+stderr, "\x1b\r") {
		t.Errorf("has codes of a terminal: %q", stdout+stderr)
	}
	for line := range strings.Lines(stdout + stderr) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, want := range []string{"The machine", "Same", "Twin/work=1100", "sec/op", "allocs/op", "mine.txt"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("has no %q:\n%s", want, stdout)
		}
	}
	if n := strings.Count(stderr, "\n"); n != 6 || !strings.Contains(stderr, "round 3 of 6") {
		t.Errorf("not one line a round: %s", stderr)
	}
	if files := p.files(t, "*.txt"); len(files) != 1 || filepath.Base(files[0]) != "mine.txt" {
		t.Errorf("files %q", files)
	}
	if text, err := os.ReadFile(page); err != nil || !bytes.Contains(text, []byte("Twin/work=1000")) {
		t.Errorf("page: %v", err)
	}
	p.clean(t)

	// The file is one to compare by a part of the names.
	stdout, stderr, status = p.bench(t, "-col", "/work", "mine.txt", "-json")
	if status != statusOK {
		t.Fatalf("status %d, %s", status, stderr)
	}
	if c := report(t, stdout).Comparison; !slices.Equal(c.Versions, []string{"1000", "1100"}) {
		t.Errorf("versions %q", c.Versions)
	}
}

func TestBenchComparesABinaryWithItself(t *testing.T) {
	t.Parallel()
	p := repository(t)
	stdout, stderr, status := p.bench(t, append(shortly, "-aa", "-bench", "Same", "-fail-on", "allocs/op:+0%")...)
	if status != statusOK || !strings.Contains(stdout, "Minimum detectable effect") {
		t.Errorf("status %d, %s\n%s", status, stderr, stdout)
	}
	if files := p.files(t, "bench-*-a[12].txt"); len(files) != 2 {
		t.Errorf("files %q", files)
	}
	p.clean(t)
}

func TestBenchMeasuresWhatIsNotCommitted(t *testing.T) {
	t.Parallel()
	p := repository(t)
	p.write(t, map[string]string{
		"new_test.go": "package known\n\nimport \"testing\"\n\nfunc BenchmarkNew(b *testing.B) {\n\tfor range b.N {\n\t}\n}\n",
	})
	for _, args := range [][]string{{"-vs", testrepo.Old}, {"-vs", "HEAD"}} {
		stdout, stderr, status := p.bench(t, slices.Concat(shortly, args, []string{"-bench", "Metric|New", "-json"})...)
		if status != statusOK || !strings.Contains(stderr, "Only in the working tree") {
			t.Fatalf("%q: status %d, %s", args, status, stderr)
		}
		r := report(t, stdout)
		added := row(t, r.Comparison, "sec/op", "New")
		if added.Cells[0].N != 0 || added.Cells[1].N != 6 || !r.Versions[1].Changed || !strings.Contains(r.Versions[1].What, "new_test.go") {
			t.Errorf("%q: %+v, %+v", args, added, r.Versions)
		}
		if got, want := row(t, r.Comparison, "work/op", "Metric").Deltas[1].Visible(), args[1] == testrepo.Old; got != want {
			t.Errorf("%q: the metric has changed: %v", args, got)
		}
	}
	p.clean(t)
}

func TestBenchSaysThatBinariesAreTheSame(t *testing.T) {
	t.Parallel()
	p := repository(t)
	p.write(t, map[string]string{"README": "nothing that is compiled\n"})
	p.git(t, "add", ".")
	p.git(t, "commit", "-q", "-m", "a text")
	stdout, stderr, status := p.bench(t, append(shortly, "-vs", "HEAD~1", "-bench", "Metric")...)
	if status != statusOK || !strings.Contains(strings.Join(strings.Fields(stdout), " "), "are the same, byte by byte") {
		t.Errorf("status %d, %s", status, stdout+stderr)
	}
}

func TestABenchmarkThatFailsInTheMiddleDoesNotRunAgain(t *testing.T) {
	t.Parallel()
	p := module(t, map[string]string{"m_test.go": `package m

import (
	"os"
	"testing"
)

func BenchmarkGood(b *testing.B) {
	for range b.N {
	}
}

func BenchmarkSecond(b *testing.B) {
	if _, err := os.Stat("ran"); err == nil {
		b.Fatal("not twice")
	}
	b.Cleanup(func() {
		if b.N == 1000 {
			os.WriteFile("ran", nil, 0o644)
		}
	})
	for range b.N {
	}
}
`})
	stdout, stderr, status := p.bench(t, "-benchtime", "1000x", "-count", "6", "-json")
	if status != statusWrong || !strings.Contains(stderr, "BenchmarkSecond failed") {
		t.Fatalf("status %d, %s", status, stderr)
	}
	r := report(t, stdout)
	if n := row(t, r.Comparison, "sec/op", "Second").Cells[0].N; n != 1 || r.Rounds[5].Processes != 1 {
		t.Errorf("%d results, %+v", n, r.Rounds)
	}
}

const endless = `package m

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

func BenchmarkQuick(b *testing.B) {
	for range b.N {
	}
}

// BenchmarkStubborn does not end when it is asked to, once a round has been.
func BenchmarkStubborn(b *testing.B) {
	if _, err := os.Stat("hang"); err != nil {
		return
	}
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	os.WriteFile("hangs", nil, 0o644)
	time.Sleep(time.Hour)
}
`

// start starts bench, and returns what it writes on standard error by the line. The channel ends with the process.
func (p place) start(t *testing.T, stdout io.Writer, args ...string) (*exec.Cmd, <-chan string) {
	t.Helper()
	cmd := p.command(args...)
	cmd.Stdout = stdout
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(pipe); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	return cmd, lines
}

// until drops lines up to the first that has the text.
func until(t *testing.T, lines <-chan string, text string) {
	t.Helper()
	var seen []string
	for line := range lines {
		if seen = append(seen, line); strings.Contains(line, text) {
			return
		}
	}
	t.Fatalf("no %q in %q", text, seen)
}

func end(t *testing.T, cmd *exec.Cmd, lines <-chan string) (stderr string) {
	t.Helper()
	for line := range lines {
		stderr += line + "\n"
	}
	if err := cmd.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return stderr
}

func TestAnInterruptKeepsWhatWasMeasured(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted by another")
	}
	t.Parallel()
	p := repository(t)
	var stdout bytes.Buffer
	cmd, lines := p.start(t, &stdout, "-vs", testrepo.Old, "-benchtime", "20x", "-count", "100000", "-bench", "Same|Metric")
	until(t, lines, "round 7 of 100000")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	stderr := end(t, cmd, lines)
	if status := cmd.ProcessState.ExitCode(); status != statusWrong || !strings.Contains(stderr, "interrupted") {
		t.Errorf("status %d, %s", status, stderr)
	}
	for _, want := range []string{"Metric", "work/op", "interrupted in round", "-old.txt"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("has no %q:\n%s", want, stdout.String())
		}
	}
	p.clean(t)
	if out, _, _ := p.bench(t, "-list"); !strings.Contains(out, "No benchmark runs") {
		t.Errorf("still in the queue: %s", out)
	}
	out, problem, status := p.bench(t, append(p.files(t, "bench-*.txt"), "-json")...)
	if status != statusOK {
		t.Fatalf("its files: status %d, %s", status, problem)
	}
	if n := len(row(t, report(t, out).Comparison, "work/op", "Metric").Cells[1].Samples); n < 7 {
		t.Errorf("%d samples after 7 rounds", n)
	}
}

func TestARunThatNobodyReadsEndsAndCleansUp(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a pipe that nobody reads has no signal")
	}
	t.Parallel()
	p := repository(t)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd, lines := p.start(t, writer, "-vs", testrepo.Old, "-benchtime", "20x", "-count", "100000", "-bench", "Metric")
	_ = reader.Close() // before it says anything about the machine
	_ = writer.Close()
	if stderr := end(t, cmd, lines); cmd.ProcessState.ExitCode() != statusWrong || !strings.Contains(stderr, "interrupted") {
		t.Errorf("%v, %s", cmd.ProcessState, stderr)
	}
	p.clean(t)
}

func TestASecondInterruptEndsAtOnceAndCleansUp(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted by another")
	}
	t.Parallel()
	p := module(t, map[string]string{"m_test.go": endless, "hang": "", ".gitignore": "hang*\n"})
	p.git(t, "init", "-q")
	p.git(t, "add", ".")
	p.git(t, "commit", "-q", "-m", "one")
	p.write(t, map[string]string{"other.go": "package m\n"})
	cmd, lines := p.start(t, nil, "-vs", "HEAD", "-timeout", "0", "-count", "2")
	for _, err := os.Stat(filepath.Join(p.dir, "hangs")); err != nil; _, err = os.Stat(filepath.Join(p.dir, "hangs")) {
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	until(t, lines, "Stopping")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	end(t, cmd, lines)
	if status := cmd.ProcessState.ExitCode(); status != statusWrong {
		t.Errorf("status %d", status)
	}
	p.clean(t)
}

func TestAKilledRunIsCleanedUpByTheNext(t *testing.T) {
	t.Parallel()
	p := repository(t)
	cmd, lines := p.start(t, nil, "-vs", testrepo.Old, "-benchtime", "20x", "-count", "100000", "-bench", "Metric")
	until(t, lines, "round 1 of")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	end(t, cmd, lines)
	if left, _ := filepath.Glob(filepath.Join(p.tmp, "*")); len(left) == 0 {
		t.Error("the killed run has cleaned up, so that this proves nothing")
	}
	if _, stderr, status := p.bench(t, append(shortly, "-vs", testrepo.Old, "-bench", "Metric")...); status != statusOK {
		t.Errorf("status %d, %s", status, stderr)
	}
	p.clean(t)
}

func TestBenchRefusesWhatCannotBe(t *testing.T) {
	t.Parallel()
	p := repository(t)
	for _, c := range []struct {
		args      string
		status    int
		complaint string
	}{
		{"-count 0", statusUsage, "-count must be at least 1, not 0"},
		{"-count x", statusUsage, `"x"`},
		{"-aa -vs old", statusUsage, "-aa"},
		{"-vs= -bench Same -count 1 -benchtime 1x", statusUsage, "-vs must name a revision"},
		{"-col /x -vs old", statusUsage, "-col"},
		{"-bench (", statusUsage, "-bench"},
		{"-bench= ", statusUsage, "-bench must not be empty"},
		{"-benchtime soon", statusUsage, `"soon"`},
		{"-benchtime -1s", statusUsage, "-benchtime"},
		{"-cpu 0", statusUsage, "-cpu must be a list"},
		{"-fail-on 5 -aa", statusUsage, "no % sign"},
		{"-fail-on x% -aa", statusUsage, `"x" is not a number`},
		{"-fail-on ns/op:-5% -aa", statusUsage, "the sign must be +"},
		{"-fail-on MB/s:+5% -aa", statusUsage, "the sign must be -"},
		{"-fail-on +5%", statusUsage, "about a comparison"},
		{"-cpufreq 101", statusUsage, "-cpufreq"},
		{"-timeout -1s", statusUsage, "-timeout"},
		{"-o .", statusUsage, "is a directory"},
		{"-o nowhere/x.txt", statusUsage, "nowhere is no directory"},
		{"-html nowhere/x.html", statusUsage, "nowhere is no directory"},
		{"-frob", statusUsage, "unknown flag"},
		{"go.mod .", statusUsage, "give packages to run, or files"},
		{"go.mod -count 3", statusUsage, "-count is about running"},
		{"missing.txt", statusWrong, "missing.txt"},
		{"go.mod", statusWrong, "go.mod"},
		{"-vs nowhere", statusWrong, `no revision "nowhere"`},
		{"-vs HEAD", statusWrong, "nothing differs"},
		{"./nowhere", statusWrong, "nowhere"},
		{"-bench Nothing", statusWrong, "no benchmark matches"},
		{"-bench Nothing", statusWrong, "BenchmarkAllocates"},
		{"-bench Same -count 1 -benchtime 1x -aa -fail-on frames/op:+5%", statusWrong, "no benchmark reports frames/op; they report ns/op"},
		{"-bench Same -count 3 -benchtime 1x -col /frames", statusWrong, "-col /frames"},
		{"-bench Fails -count 2 -benchtime 1x", statusWrong, "there are no results"},
	} {
		stdout, stderr, status := p.bench(t, strings.Split(c.args, " ")...)
		said := strings.Join(strings.Fields(stderr), " ")
		if status != c.status || !strings.Contains(said, c.complaint) || status == statusUsage && (stdout != "" || !strings.Contains(stderr, "--help")) {
			t.Errorf("%s: status %d, stdout %q, stderr %q", c.args, status, stdout, stderr)
		}
	}
	p.clean(t)
}

func TestBenchShowsWhatTheCompilerSays(t *testing.T) {
	t.Parallel()
	p := module(t, map[string]string{"m_test.go": "package m\n\nimport \"testing\"\n\nfunc BenchmarkX(b *testing.B) { undefined() }\n"})
	_, stderr, status := p.bench(t)
	if status != statusWrong || !strings.Contains(stderr, "m_test.go:5") || !strings.Contains(stderr, "undefined: undefined") {
		t.Errorf("status %d, %s", status, stderr)
	}
	p.write(t, map[string]string{"m_test.go": "package m\n"})
	if _, stderr, status = p.bench(t); status != statusWrong || !strings.Contains(stderr, "no benchmarks") {
		t.Errorf("status %d, %s", status, stderr)
	}
	if _, stderr, status = p.bench(t, "-vs", "HEAD"); status != statusWrong || !strings.Contains(stderr, "no git working tree") {
		t.Errorf("status %d, %s", status, stderr)
	}
	if err := os.Remove(filepath.Join(p.dir, "m_test.go")); err != nil {
		t.Fatal(err)
	}
	p.write(t, map[string]string{"m.go": "package m\n"})
	if _, stderr, status = p.bench(t, "./..."); status != statusWrong || !strings.Contains(stderr, "no package of ./... has test files") {
		t.Errorf("status %d, %s", status, stderr)
	}
	p.clean(t)
}

func TestAPackageThatDoesNotStartHurtsNoOther(t *testing.T) {
	t.Parallel()
	const benchmark = "import \"testing\"\n\nfunc BenchmarkX(b *testing.B) {\n\tfor range b.N {\n\t}\n}\n"
	p := module(t, map[string]string{
		"good/x_test.go": "package good\n\n" + benchmark,
		"bad/x_test.go":  "package bad\n\n" + benchmark + "\nfunc init() { panic(\"not today\") }\n",
	})
	stdout, stderr, status := p.bench(t, append(shortly, "./...", "-json")...)
	if status != statusWrong || !strings.Contains(stderr, "example.com/m/bad failed") {
		t.Errorf("status %d, %s", status, stderr)
	}
	c := report(t, stdout).Comparison
	if r := row(t, c, "sec/op", "X"); r.Cells[0].N != 6 || r.Package != "example.com/m/good" {
		t.Errorf("%+v", r)
	}
	if len(c.Failures) != 1 || c.Failures[0].Package != "example.com/m/bad" || !strings.Contains(c.Failures[0].Reason, "panic: not today") {
		t.Errorf("%+v", c.Failures)
	}
	p.clean(t)
}

func TestTheCommandIsToldAsOneCanTypeIt(t *testing.T) {
	args := []string{"a", "", "b c", "x|y", "it's", `back\slash`, "-fail-on=+5%"}
	const want = `a '' 'b c' 'x|y' 'it'\''s' 'back\slash' -fail-on=+5%`
	if got := typed(args); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestFailOnIsAStatus(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	files := func(old, new string) {
		for name, value := range map[string]string{"old.txt": old, "new.txt": new} {
			var b strings.Builder
			for i := range 10 {
				b.WriteString(strings.ReplaceAll("BenchmarkX-2 100 "+value+"\n", "?", string(rune('0'+i))))
			}
			p.write(t, map[string]string{name: b.String()})
		}
	}
	for _, c := range []struct {
		old, new, limit string
		status          int
		says            string
	}{
		{"10? ns/op", "12? ns/op", "+5%", statusWrong, "X-2, ns/op: +19"},
		{"10? ns/op", "12? ns/op", "+30%", statusOK, ""},
		{"10? ns/op", "12? ns/op", "ns/op:+5%", statusWrong, "X-2, ns/op: +19"},
		{"12? ns/op", "10? ns/op", "+5%", statusOK, ""},
		{"10? MB/s", "12? MB/s", "+5%", statusOK, ""},
		{"12? MB/s", "10? MB/s", "+5%", statusWrong, "MB/s: -16"},
		{"12? MB/s", "10? MB/s", "MB/s:-5%", statusWrong, "MB/s: -16"},
		{"10? things", "12? things", "+5%", statusOK, ""}, // nobody knows whether that is worse
		{"10? things", "12? things", "things:+5%", statusWrong, "things: +19"},
		{"12? things", "10? things", "things:+5%", statusOK, ""},
		{"0 allocs/op", "3 allocs/op", "allocs/op:+0%", statusWrong, "allocs/op: from nothing"},
		{"3 allocs/op", "3 allocs/op", "allocs/op:+0%", statusOK, ""},
		{"20 allocs/op", "23 allocs/op", "allocs/op:+15%", statusWrong, "allocs/op: +15.00 %"},
		{"23 allocs/op", "20 allocs/op", "allocs/op:+15%", statusOK, ""},
		{"1?1 ns/op", "1?1 ns/op", "+5%", statusOK, "inconclusive: +5% is below the minimum detectable effect"},
		{"10? ns/op", "12? ns/op", "allocs/op:+0%", statusWrong, "they report ns/op"},
	} {
		files(c.old, c.new)
		stdout, stderr, status := p.bench(t, "old.txt", "new.txt", "-fail-on", c.limit)
		if said := strings.Join(strings.Fields(stdout+stderr), " "); status != c.status || !strings.Contains(said, c.says) {
			t.Errorf("%s, %s, %s: status %d, want %d and %q: %s", c.old, c.new, c.limit, status, c.status, c.says, said)
		}
	}
}

func TestRatiosAreOneTable(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var b strings.Builder
	for i := range 10 {
		for _, line := range []string{"X/side=a-2 100 10? ns/op", "X/side=b-2 100 13? ns/op", "Y/side=a-2 100 10? ns/op", "Y/side=b-2 100 20? ns/op"} {
			b.WriteString("Benchmark" + strings.ReplaceAll(line, "?", string(rune('0'+i))) + "\n")
		}
	}
	p.write(t, map[string]string{"x.txt": b.String()})
	stdout, stderr, status := p.bench(t, "x.txt", "-col", "/side", "-ratios", "a,floor")
	if said := strings.Join(strings.Fields(stdout), " "); status != statusOK || !strings.Contains(said, "there is no floor") ||
		!strings.Contains(said, "to a sec/op Y-2 b 1.96 X-2 b 1.29") {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
}

func TestBenchListsWhoMeasures(t *testing.T) {
	t.Parallel()
	p := repository(t)
	first, lines := p.start(t, nil, "-benchtime", "20x", "-count", "100000", "-bench", "Metric")
	until(t, lines, "round 1 of")
	second, waiting := p.start(t, nil, append(shortly, "-bench", "Metric")...)
	until(t, waiting, "Waiting for")
	stdout, stderr, status := p.bench(t, "-list")
	text := strings.Join(strings.Fields(stdout), " ")
	if status != statusOK || !strings.Contains(text, "measures pid") || !strings.Contains(text, "waits pid") || !strings.Contains(text, "-count 100000") {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	end(t, first, lines)
	end(t, second, waiting)
	if status := second.ProcessState.ExitCode(); status != statusOK {
		t.Errorf("the second: status %d", status)
	}
}

func TestWhoWaitsMeasuresWhatIsThereInTheEnd(t *testing.T) {
	t.Parallel()
	p := repository(t)
	first, lines := p.start(t, nil, "-benchtime", "20x", "-count", "100000", "-bench", "Metric")
	until(t, lines, "round 1 of")
	var stdout bytes.Buffer
	second, waiting := p.start(t, &stdout, append(shortly, "-vs", testrepo.Old, "-bench", "Metric", "-json")...)
	until(t, waiting, "Waiting for")
	if out := p.git(t, "worktree", "list"); strings.Count(out, "\n") != 1 {
		t.Errorf("it has worked while another one measures: %s", out)
	}
	p.write(t, map[string]string{"more.go": "package known\n"})
	p.git(t, "add", "more.go")
	p.git(t, "commit", "-q", "-m", "more")
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	end(t, first, lines)
	stderr := end(t, second, waiting)
	if status := second.ProcessState.ExitCode(); status != statusOK {
		t.Fatalf("status %d, %s", status, stderr)
	}
	if v := report(t, stdout.String()).Versions[1]; v.Commit != strings.TrimSpace(p.git(t, "rev-parse", "HEAD")) {
		t.Errorf("measured %+v", v)
	}
}

func TestRunsThatAreStartedAtOnceHaveFilesOfTheirOwn(t *testing.T) {
	t.Parallel()
	p := repository(t)
	one, lines := p.start(t, nil, append(shortly, "-bench", "Metric")...)
	two, more := p.start(t, nil, append(shortly, "-bench", "Metric")...)
	for cmd, lines := range map[*exec.Cmd]<-chan string{one: lines, two: more} {
		stderr := end(t, cmd, lines)
		if status := cmd.ProcessState.ExitCode(); status != statusOK {
			t.Errorf("status %d, %s", status, stderr)
		}
	}
	if files := p.files(t, "bench-*.txt"); len(files) != 2 {
		t.Errorf("files %q", files)
	}
}

func TestAFullDiskDoesNotLoseTheTable(t *testing.T) {
	t.Parallel()
	p := repository(t)
	if _, err := os.Stat("/dev/full"); errors.Is(err, fs.ErrNotExist) {
		t.Skip(err)
	}
	_, stderr, status := p.bench(t, append(shortly, "-bench", "Metric", "-o", "/dev/full")...)
	if status != statusWrong || !strings.Contains(stderr, "no space left") {
		t.Errorf("from the start: status %d, %s", status, stderr)
	}

	// In a file system of its own, with room for some rounds.
	p.write(t, map[string]string{"small/README": ""})
	small := []string{"--map-root-user", "--mount", "sh", "-c", `mount -t tmpfs -o size=8k none "$0" && exec "$@"`, filepath.Join(p.dir, "small")}
	if out, err := exec.Command("unshare", append(small, "true")...).CombinedOutput(); err != nil {
		t.Skipf("no file system can be mounted: %v %s", err, out)
	}
	cmd := p.command("-bench", "Metric", "-benchtime", "1x", "-count", "100", "-o", "small/x.txt")
	unshare := exec.Command("unshare", append(small, cmd.Args...)...)
	unshare.Dir, unshare.Env = cmd.Dir, cmd.Env
	stdout, stderr, status := output(t, unshare)
	if status != statusWrong || !strings.Contains(stderr, "no space left") || !strings.Contains(stdout, "work/op") || !strings.Contains(stdout, "100 rounds") {
		t.Errorf("on the way: status %d, %s\n%s", status, stderr, stdout)
	}
	p.clean(t)
}
