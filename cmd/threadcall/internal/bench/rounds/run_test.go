package rounds

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
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
func behaviours(t *testing.T) *gotest.Binary {
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
	return &gotest.Binary{Path: filepath.Join(built.dir, "behaviours.exe"), Dir: built.dir, Env: os.Environ()}
}

// job returns the benchmark with this name.
func job(t *testing.T, name string) *Job {
	return &Job{Package: "behaviours", Benchmark: name, Pattern: "^" + name + "$", Versions: []*gotest.Binary{behaviours(t)}}
}

var once = Settings{Benchtime: "10x", CPU: "2", Timeout: time.Minute}

func do(t *testing.T, s Settings, j *Job) *Outcome {
	t.Helper()
	o, err := s.Do(t.Context(), Run{Job: j})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func names(lines []gotest.Line) (names []string) {
	for _, l := range lines {
		names = append(names, l.Result.Name.String())
	}
	return names
}

// What the patterns of all top-level benchmarks mean together is what go test makes of the pattern.
func TestTogetherThePatternsMeanTheSameBenchmarks(t *testing.T) {
	binary := behaviours(t)
	run := func(which string) []string {
		out, _ := exec.Command(binary.Path, "-test.run=^$", "-test.benchtime=1x", "-test.bench="+which,
			"-test.skip=Exits|Hangs|Deadlocks|Panics|Missing|BenchmarkSubs/size").Output()
		lines, _, _ := gotest.ParseResults(string(out))
		return names(lines)
	}
	benchmarks, err := binary.Benchmarks(t.Context(), 0)
	if err != nil || len(benchmarks) != 12 || benchmarks[0] != "BenchmarkFine" {
		t.Fatalf("%q, %v", benchmarks, err)
	}
	for pattern, least := range map[string]int{
		".": 6, "Subs": 2, "Subs/d": 1, "Subs/a|Prints": 4, "Subs/(a|d)$|Metadata": 3, "Subs/d/1": 1, "Subs/d/x": 0, "Subs/[|/]": 0, `Subs/a\/b`: 0, "^BenchmarkS": 2, "nothing": 0,
	} {
		p, err := gotest.ParsePattern(pattern)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, name := range benchmarks {
			if one, ok := p.For(name); ok {
				got = append(got, run(one)...)
			}
		}
		if want := run(pattern); !slices.Equal(got, want) || len(got) < least {
			t.Errorf("%s: %q, go test runs %q", pattern, got, want)
		}
	}
}

func TestAnOutcomeHasResultsOrReasons(t *testing.T) {
	for _, c := range []struct {
		benchmark       string
		results         []string
		failed, skipped string // a regular expression of the reason
	}{
		{"BenchmarkFine", []string{"Fine-2"}, "", ""},
		{"BenchmarkReads", []string{"Reads-2"}, "", ""},
		{"BenchmarkMetadata", []string{"Metadata-2"}, "", ""},
		{"BenchmarkPrints", []string{"Prints/lines-2", "Prints/half-2", "Prints/long-2", "Prints/silent-2"}, "", ""},
		{"BenchmarkSkipped", nil, "", "not on this machine"},
		{"BenchmarkPanicsLate", nil, "^panic: assignment to entry in nil map\nat .*behaviours_test.go:", ""},
		{"BenchmarkDeadlocks", nil, "all goroutines are asleep(.|\n)*\nat .*behaviours_test.go:", ""},
		{"BenchmarkExits", nil, `unexpected call to os.Exit\(0\) during test`, ""},
		{"BenchmarkMissing", nil, "gave no reason", ""},
	} {
		j := job(t, c.benchmark)
		o := do(t, once, j)
		if got := names(o.Lines); !slices.Equal(got, c.results) || j.Over() != (c.results == nil) {
			t.Errorf("%s: results %q, over %v", c.benchmark, got, j.Over())
		}
		for _, l := range o.Lines {
			_, hasMemory := l.Result.Value("allocs/op")
			if r := l.Result; r.Iters != 10 || !hasMemory || r.GetConfig("pkg") != "behaviours" || r.GetConfig("goos") != runtime.GOOS {
				t.Errorf("%+v in %q", r, l.Text)
			}
		}
		for what, found := range map[string][]Failure{c.failed: o.Failed, c.skipped: o.Skipped} {
			if what == "" {
				continue
			}
			if len(o.Failed)+len(o.Skipped) != 1 || len(found) != 1 || found[0].Benchmark != c.benchmark ||
				!regexp.MustCompile(what).MatchString(found[0].Reason) || strings.Count(found[0].Reason, "\n") > 5 {
				t.Errorf("%s: failed %+v, skipped %+v, want %q", c.benchmark, o.Failed, o.Skipped, what)
			}
		}
		if c.benchmark == "BenchmarkMetadata" && (len(o.Units) == 0 || o.Units[0].Metadata.Key != "better" || o.Units[0].Metadata.Value != "higher") {
			t.Errorf("units %+v", o.Units)
		}
	}
}

func TestAPanicEndsTheWholeBenchmarkAndKeepsEarlierResults(t *testing.T) {
	j := job(t, "BenchmarkSubs")
	o := do(t, once, j)
	failed := map[string]string{}
	for _, f := range o.Failed {
		failed[f.Benchmark] = f.Reason
	}
	if len(failed) != 2 || !strings.Contains(failed["BenchmarkSubs/b"], "b does not work") || !strings.Contains(failed["BenchmarkSubs"], "panic: c is worse") ||
		!slices.Contains(names(o.Lines), "Subs/a-2") || !j.Over() {
		t.Errorf("results %q, failed %q, over %v", names(o.Lines), failed, j.Over())
	}
}

func TestWhatHasOnlyPartsThatFailIsOverWithoutAReport(t *testing.T) {
	j := job(t, "BenchmarkSubs")
	j.Pattern += "/^b$"
	if o := do(t, once, j); len(o.Failed) != 1 || o.Failed[0].Benchmark != "BenchmarkSubs/b" || j.Over() {
		t.Errorf("first: %+v, over %v", o, j.Over())
	}
	if o := do(t, once, j); len(o.Failed)+len(o.Skipped)+len(o.Lines) != 0 || !j.Over() {
		t.Errorf("then: %+v, over %v", o, j.Over())
	}
}

func TestABenchmarkThatHangsEndsAtTheTimeoutAndNamesItsLine(t *testing.T) {
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
			t.Fatalf("%s", o.Failed[0].Reason)
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
		j := &Job{Package: "p", Benchmark: "BenchmarkX", Pattern: "^BenchmarkX$", Versions: []*gotest.Binary{{Path: script, Dir: dir, Env: os.Environ()}}}
		o := do(t, once, j)
		if len(o.Lines) != 0 || len(o.Failed) != 1 || !strings.Contains(o.Failed[0].Reason, c.reason) || !j.Over() {
			t.Errorf("%s: %+v, over %v", name, o, j.Over())
		}
	}
}
