package rounds

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var built struct {
	sync.Once
	dir string
	err error
}

func TestMain(m *testing.M) {
	status := m.Run()
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
	os.Exit(status)
}

// behaviours returns the test binary of testdata.
func behaviours(t *testing.T) *Binary {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	built.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "behaviours"); built.err != nil {
			return
		}
		text, err := os.ReadFile("testdata/behaviours_test.go")
		if err != nil {
			built.err = err
			return
		}
		for name, text := range map[string]string{"behaviours_test.go": string(text), "go.mod": "module behaviours\n\ngo 1.26\n", "input.txt": "here\n"} {
			if built.err = os.WriteFile(filepath.Join(built.dir, name), []byte(text), 0o644); built.err != nil {
				return
			}
		}
		cmd := exec.Command("go", "test", "-c", "-vet=off", "-o", "behaviours.exe")
		cmd.Dir = built.dir
		cmd.Env = append(os.Environ(), "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			built.err = errors.New(string(out))
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return &Binary{Path: filepath.Join(built.dir, "behaviours.exe"), Dir: built.dir, Env: os.Environ()}
}

// job returns the benchmark with this name.
func job(t *testing.T, name string) *Job {
	return &Job{Package: "behaviours", Benchmark: name, Pattern: "^" + name + "$", Versions: []*Binary{behaviours(t)}}
}

var once = Settings{Benchtime: "10x", CPU: "2", Timeout: time.Minute}

func do(t *testing.T, s Settings, j *Job) *Outcome {
	t.Helper()
	o, err := s.Do(t.Context(), Run{j, 0})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func names(o *Outcome) (names []string) {
	for _, l := range o.Lines {
		names = append(names, l.Result.Name.String())
	}
	return names
}

func TestTheBenchmarksOfABinaryAreListed(t *testing.T) {
	got, err := behaviours(t).Benchmarks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"BenchmarkFine", "BenchmarkSubs", "BenchmarkSkipped", "BenchmarkPrints", "BenchmarkMetadata",
		"BenchmarkExits", "BenchmarkHangs", "BenchmarkDeadlocks", "BenchmarkPanicsLate", "BenchmarkReads", "BenchmarkMissing"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestABenchmarkRunsInTheDirectoryOfItsPackage(t *testing.T) {
	if o := do(t, once, job(t, "BenchmarkReads")); len(o.Lines) != 1 || len(o.Failed) != 0 {
		t.Errorf("%+v", o)
	}
}

func TestAResultIsCompleteWithMemoryAndConfiguration(t *testing.T) {
	o := do(t, once, job(t, "BenchmarkFine"))
	if len(o.Lines) != 1 {
		t.Fatalf("%+v", o)
	}
	r := o.Lines[0].Result
	for _, unit := range []string{"sec/op", "B/op", "allocs/op"} {
		if _, ok := r.Value(unit); !ok {
			t.Errorf("no %s in %s", unit, o.Lines[0].Text)
		}
	}
	if r.GetConfig("pkg") != "behaviours" || r.GetConfig("goos") != runtime.GOOS || r.Iters != 10 {
		t.Errorf("%+v", r)
	}
	if o.Time <= 0 {
		t.Errorf("took %v", o.Time)
	}
}

func TestPartsThatFailAreNamedAndTheOthersKept(t *testing.T) {
	var problem string
	for range 5 { // testing may write figures of what panics and begin the next one, which then is blamed, before the panic ends it
		if problem = partsThatFail(t); problem == "" {
			return
		}
		t.Log(problem)
	}
	t.Error(problem)
}

// partsThatFail returns what is not told of them as it should be.
func partsThatFail(t *testing.T) (problem string) {
	j := job(t, "BenchmarkSubs")
	failed := map[string]string{}
	var last *Outcome
	for range 3 { // the panic hides what comes after it, so a round may find one fault
		last = do(t, once, j)
		for _, f := range last.Failed {
			failed[f.Benchmark] = f.Reason
		}
	}
	if len(failed) != 2 || !strings.Contains(failed["BenchmarkSubs/b"], "b does not work") ||
		!strings.Contains(failed["BenchmarkSubs/size-2"], "panic: c is worse") {
		return fmt.Sprintf("failed: %q", failed)
	}
	if got := names(last); !slices.Equal(got, []string{"Subs/a-2", "Subs/d/1-2"}) || len(last.Failed) > 0 || j.Over() {
		return fmt.Sprintf("at last %q, failed %+v, over %v", got, last.Failed, j.Over())
	}
	return ""
}

func TestWhatHasOnlyPartsThatFailIsOverWithoutAnotherWord(t *testing.T) {
	j := job(t, "BenchmarkSubs")
	j.Pattern += "/^b$"
	if o := do(t, once, j); len(o.Failed) != 1 || o.Failed[0].Benchmark != "BenchmarkSubs/b" || j.Over() {
		t.Errorf("first: %+v, over %v", o, j.Over())
	}
	if o := do(t, once, j); len(o.Failed)+len(o.Skipped)+len(o.Lines) != 0 || !j.Over() {
		t.Errorf("then: %+v, over %v", o, j.Over())
	}
}

func TestWhatFailsAltogetherIsOverAndSaysWhy(t *testing.T) {
	for _, c := range []struct{ benchmark, reason string }{
		{"BenchmarkPanicsLate", "panic: assignment to entry in nil map"},
		{"BenchmarkPanicsLate", "behaviours_test.go:"},
		{"BenchmarkDeadlocks", "all goroutines are asleep"},
		{"BenchmarkDeadlocks", "behaviours_test.go:"},
		{"BenchmarkExits", "unexpected call to os.Exit(0) during test"},
		{"BenchmarkMissing", "does not say why"},
	} {
		j := job(t, c.benchmark)
		o := do(t, once, j)
		if len(o.Failed) != 1 || o.Failed[0].Benchmark != c.benchmark || !strings.Contains(o.Failed[0].Reason, c.reason) || !j.Over() {
			t.Errorf("%s: %+v, over %v", c.benchmark, o.Failed, j.Over())
		}
		if len(o.Failed) == 1 && strings.Count(o.Failed[0].Reason, "\n") > 5 {
			t.Errorf("%s: the reason is long:\n%s", c.benchmark, o.Failed[0].Reason)
		}
	}
}

func TestABenchmarkThatHangsEndsAtTheTimeoutAndSaysWhereItWas(t *testing.T) {
	s := once
	for s.Timeout = 300 * time.Millisecond; ; s.Timeout *= 2 { // on a busy machine, it has not begun after that
		j := job(t, "BenchmarkHangs")
		o := do(t, s, j)
		if len(o.Failed) != 1 || !strings.Contains(o.Failed[0].Reason, "longer than -timeout "+s.Timeout.String()) || !j.Over() {
			t.Fatalf("%+v, over %v", o.Failed, j.Over())
		}
		if strings.Contains(o.Failed[0].Reason, "behaviours_test.go:") || runtime.GOOS == "windows" {
			return
		}
		if s.Timeout > time.Minute {
			t.Fatalf("%s\n%s", o.Failed[0].Reason, o.Failed[0].Output)
		}
	}
}

func TestAPanicThatTestingOutrunsIsAFailure(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	for name, c := range map[string]struct{ then, reason string }{
		"always":   {"exit 0", "stopped without figures"},
		"at times": {"case \"$*\" in *-test.v*) exit 0;; esac\ntest -e again && echo 'panic: late' && exit 2\n: >again", "panic: late"},
	} {
		dir := t.TempDir()
		script := filepath.Join(dir, "script")
		text := "#!/bin/sh\nprintf 'BenchmarkX-2 \\t       0\\t NaN ns/op\\t 0 B/op\\t 0 allocs/op\\nPASS\\n'\n" + c.then + "\n"
		if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		j := &Job{Package: "p", Benchmark: "BenchmarkX", Pattern: "^BenchmarkX$", Versions: []*Binary{{Path: script, Dir: dir, Env: os.Environ()}}}
		o := do(t, once, j)
		if len(o.Lines) != 0 || len(o.Failed) != 1 || !strings.Contains(o.Failed[0].Reason, c.reason) || !j.Over() {
			t.Errorf("%s: %+v, over %v", name, o, j.Over())
		}
	}
}

func TestWhatIsSkippedIsNoFailure(t *testing.T) {
	j := job(t, "BenchmarkSkipped")
	o := do(t, once, j)
	if len(o.Failed) != 0 || len(o.Skipped) != 1 || !strings.Contains(o.Skipped[0].Reason, "not on this machine") || !j.Over() {
		t.Errorf("%+v, over %v", o, j.Over())
	}
}

func TestABenchmarkMayWriteToStandardOutput(t *testing.T) {
	o := do(t, once, job(t, "BenchmarkPrints"))
	if got := names(o); !slices.Equal(got, []string{"Prints/lines-2", "Prints/half-2", "Prints/long-2", "Prints/silent-2"}) {
		t.Errorf("%q", got)
	}
	for _, l := range o.Lines {
		if l.Result.Iters != 10 {
			t.Errorf("%d iterations in %q", l.Result.Iters, l.Text)
		}
	}
}

func TestOfMuchOutputTheBeginningAndTheEndAreKept(t *testing.T) {
	var o output
	fmt.Fprint(&o, "BenchmarkA \t")
	for range 4 * most / 1000 {
		fmt.Fprintf(&o, "%999d\n", 0)
	}
	fmt.Fprint(&o, " 10\t 5.0 ns/op\n")
	text := o.String()
	if !strings.HasPrefix(text, "BenchmarkA \t") || !strings.HasSuffix(text, " 10\t 5.0 ns/op\n") || len(text) > 3*most+100 {
		t.Errorf("%q … %q, %d bytes", text[:20], text[len(text)-20:], len(text))
	}
}

func TestABenchmarkMaySayWhatIsBetter(t *testing.T) {
	o := do(t, once, job(t, "BenchmarkMetadata"))
	if len(o.Units) == 0 || o.Units[0].Metadata.Key != "better" || o.Units[0].Metadata.Value != "higher" || len(o.Lines) != 1 {
		t.Errorf("%+v", o)
	}
}

func TestACancelledRunEndsTheBenchmark(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	s := once
	s.Start = func(cmd *exec.Cmd) error {
		defer cancel(why)
		return cmd.Start()
	}
	if o, err := s.Do(ctx, Run{job(t, "BenchmarkHangs"), 0}); !errors.Is(err, why) {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestABinaryThatIsNotThereIsAnError(t *testing.T) {
	j := job(t, "BenchmarkFine")
	j.Versions[0].Path += "-not"
	if o, err := once.Do(t.Context(), Run{j, 0}); err == nil {
		t.Errorf("%+v", o)
	}
}
