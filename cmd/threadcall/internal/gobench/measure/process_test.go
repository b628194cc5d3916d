package measure

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/report"
	"github.com/threadcall/threadcall/cmd/threadcall/report/bench"
)

// built returns the directory with the test binary of testdata, which TestMain removes.
var built = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "behaviours"); err != nil {
		return "", err
	}
	text, err := os.ReadFile("testdata/behaviours_test.go.txt")
	for name, text := range map[string]string{"behaviours_test.go": string(text),
		"go.mod": "module behaviours\n\ngo 1.26\n", "input.txt": "here\n"} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-o", "behaviours.exe")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	if out, e := cmd.CombinedOutput(); e != nil {
		err = errors.Join(err, errors.New(string(out)))
	}
	return dir, err
})

func TestMain(m *testing.M) {
	status := m.Run()
	if dir, err := built(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(status)
}

// behaviours returns the test binary of testdata.
func behaviours(t *testing.T) *gotest.Binary {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return &gotest.Binary{Path: filepath.Join(dir, "behaviours.exe"), Dir: dir, Env: os.Environ()}
}

// job returns the benchmark with this name.
func job(t *testing.T, name string) *Job {
	return &Job{CPU: report.CPUs{2}, Benchmark: plan.Benchmark{Package: "behaviours", Name: name,
		Pattern: "^" + name + "$", Binaries: []*gotest.Binary{behaviours(t)}}}
}

func do(t *testing.T, j *Job, timeout time.Duration) *Outcome {
	t.Helper()
	o, err := start(t.Context(), &plan.Settings{Settings: bench.Settings{Timeout: timeout,
		Benchtime: report.Benchtime{N: 10}}}, Process{Job: j})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func names(lines []*benchfmt.Result) (names []string) {
	for _, l := range lines {
		names = append(names, l.Name.String())
	}
	return names
}

// summary returns what is to be known of an outcome.
func summary(o *Outcome) string {
	text := fmt.Sprint(names(o.Lines))
	for _, f := range o.Failed {
		text += fmt.Sprintf(" failed Benchmark%s: %s;", f.Name, f.Reason)
	}
	if len(o.Failed)+len(o.Lines) == 0 {
		text += " empty"
	}
	if o.Job.over {
		text += " over"
	}
	return text
}

func TestRun(t *testing.T) {
	const at = `\nat .*behaviours_test.go:\d+`
	for pattern, want := range map[string]string{
		"Fine":    `\[Fine-2\]`,
		"Reads":   `\[Reads-2\]`,
		"Prints":  `\[Prints/lines-2 Prints/half-2 Prints/long-2 Prints/silent-2\]`,
		"Skipped": `\[\] empty over`,
		"PanicsLate": `\[\] failed BenchmarkPanicsLate: panic: assignment to entry in nil map` +
			at + `; over`,
		"Deadlocks": `\[\] failed BenchmarkDeadlocks: .*all goroutines are asleep(.|\n)*` + at +
			`; over`,
		"Exits":        `\[\] failed BenchmarkExits: .*unexpected call to os.Exit(.|\n)*; over`,
		"Missing":      `\[\] failed BenchmarkMissing: it gave no reason; over`,
		"Subs/^(a|b)$": `\[Subs/a-2\] failed BenchmarkSubs/b: .*b does not work; over`,
		"Subs": `\[Subs/a-2\] failed BenchmarkSubs: panic: c is worse(.|\n)*; ` +
			`failed BenchmarkSubs/b: .*; over`,
	} {
		name, _, _ := strings.Cut(pattern, "/")
		j := job(t, "Benchmark"+name)
		j.Pattern = "^" + strings.Replace("Benchmark"+pattern, name, name+"$", 1)
		o := do(t, j, time.Minute)
		if got := summary(o); !regexp.MustCompile("^" + want + "$").MatchString(got) {
			t.Errorf("%s: %s, want %s", pattern, got, want)
		}
		for _, l := range o.Lines {
			_, memory := l.Value("allocs/op")
			if l.Iters != 10 || !memory || l.GetConfig("pkg") != "behaviours" {
				t.Errorf("%+v in %q", l, l.Name)
			}
		}
	}
	o := do(t, job(t, "BenchmarkMetadata"), 0)
	if len(o.Lines) != 1 || len(o.Units) == 0 || o.Units[0].Value != "higher" {
		t.Errorf("%+v", o)
	}
	j := job(t, "BenchmarkSubs") // of which the only part fails
	j.Pattern += "/^b$"
	if got := summary(do(t, j, 0)); !strings.HasPrefix(got, "[] failed BenchmarkSubs/b") {
		t.Error(got)
	}
	j = job(t, "BenchmarkNames") // which can have anything in them
	o = do(t, j, 0)
	jobs := j.split([]*Outcome{o}, 0)
	if len(jobs) != 8 || len(o.Lines) != 8 {
		t.Fatalf("%v of %q", jobs, names(o.Lines))
	}
	for i, one := range jobs {
		if got := names(do(t, one, 0).Lines); len(got) != 1 || got[0] != names(o.Lines)[i] {
			t.Errorf("%s runs %q", one.Pattern, got)
		}
	}
}

func TestRun_timeout(t *testing.T) {
	got := summary(do(t, job(t, "BenchmarkHangs"), 300*time.Millisecond))
	want := "[] failed BenchmarkHangs: it took longer than -timeout 300ms; over"
	if got != want {
		t.Fatalf("%s, want %s", got, want)
	}
}

func TestOrder(t *testing.T) {
	var jobs []*Job
	for _, name := range []string{"X/0", "1", "2", "X/3", "4", "5", "6"} {
		jobs = append(jobs, &Job{Benchmark: plan.Benchmark{Name: name,
			Binaries: []*gotest.Binary{{}, nil, {}}}})
	}
	jobs[5].over = true
	first, order := 0, map[string]bool{}
	for range 400 {
		all, groups := Order(jobs), ""
		if len(all) != 12 {
			t.Fatalf("%d processes", len(all))
		}
		for i := 0; i < len(all); i += 2 { // the versions next to each other
			a, b := all[i], all[i+1]
			if a.Job != b.Job || a.Version+b.Version != 2 || a.Job == jobs[5] {
				t.Fatalf("%v", all)
			}
			first += b.Version / 2
			groups += a.Job.Name
		}
		if !strings.Contains(groups, "X/0X/3") && !strings.Contains(groups, "X/3X/0") {
			t.Fatalf("the sub-benchmarks of a benchmark are apart: %s", groups)
		}
		order[groups] = true
	}
	if first < 960 || first > 1440 || len(order) < 100 { // of 2400, it is 1200 ± 25
		t.Errorf("the old version was first %d times, in %d orders", first, len(order))
	}
}

func TestJob_split(t *testing.T) {
	old, new := &gotest.Binary{Path: "old"}, &gotest.Binary{Path: "new"}
	j := &Job{CPU: report.CPUs{2}, Benchmark: plan.Benchmark{Package: "p", Name: "BenchmarkX",
		Binaries: []*gotest.Binary{old, new}}}
	outcome := func(version int, output string) *Outcome {
		o := outcome(output)
		o.Process = Process{j, version}
		return o
	}
	a := outcome(0, "BenchmarkX/a.b-2 10 1000 ns/op\nBenchmarkX/slow/1-2 1 2e9 "+
		"ns/op\nBenchmarkX/gone-2 1 1e6 ns/op\nBenchmarkX/bad-2 1 1 ns/op\nBenchmarkX/none-2 10 "+
		"7 x/op\n")
	b := outcome(1, "BenchmarkX/a.b-2 10 3000 ns/op\nBenchmarkX/slow/1-2 1 2e9 "+
		"ns/op\nBenchmarkX/fast-2 1 0.1 ns/op\nBenchmarkX/bad-2 1 1 ns/op\nBenchmarkX/none-2 10 "+
		"7 x/op\n")
	b.Failed = []report.Failure{{Name: "X/bad", Reason: "it fails"}}
	got := ""
	for _, one := range j.split([]*Outcome{a, b}, time.Second) {
		got += fmt.Sprintln(one, one.Pattern, one.CPU, one.Iterations, one.Binaries[0] == old,
			one.Binaries[1] == new)
	}
	const want = `p.BenchmarkX/a.b ^BenchmarkX$/^a\.b$ 2 500000 true true
p.BenchmarkX/slow/1 ^BenchmarkX$/^slow$/^1$ 2 1 true true
p.BenchmarkX/gone ^BenchmarkX$/^gone$ 2 1000 true false
p.BenchmarkX/none ^BenchmarkX$/^none$ 2 0 true true
p.BenchmarkX/fast ^BenchmarkX$/^fast$ 2 1000000000 false true
`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for times, want := range map[string]int{ // do not depend on other processes
		"1000 ns/op": 1000000, // nothing else is known
		// it is ready for three quarters of the time
		"4000 ns/op 1000 cpu-ns/op 1.002 runnable-threads": 1000000,
		"10000 ns/op 1000 cpu-ns/op 1 runnable-threads":    500000, // for too long
		// it waits for something else
		"4000 ns/op 1000 cpu-ns/op 0.5 runnable-threads": 333333,
		"1000 ns/op 2000 cpu-ns/op 2 runnable-threads":   1000000, // two CPUs
	} {
		one := j.split([]*Outcome{outcome(0, "BenchmarkX-2 10 "+times+"\n")}, time.Second)[0]
		if one.Iterations != want {
			t.Errorf("%s: %d, want %d", times, one.Iterations, want)
		}
	}
}
