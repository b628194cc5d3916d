package allocs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/escape"
)

const fixture = "testdata/fixture"

func fixtureSettings() Settings {
	return Settings{
		Packages:   []string{"."},
		Dir:        fixture,
		Procs:      1,
		Timeout:    time.Minute,
		Operations: 1000,
		Count:      1,
		Progress:   func(string) {},
	}
}

// outsideWorkspace lets the go command work in modules of testdata.
func outsideWorkspace(t *testing.T) {
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
}

// runFixture runs what the settings say when they are changed.
func runFixture(t *testing.T, change func(*Settings)) *Report {
	t.Helper()
	outsideWorkspace(t)
	s := fixtureSettings()
	change(&s)
	r, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var fixtureReport = sync.OnceValues(func() (*Report, error) {
	s := fixtureSettings()
	s.Bench = "."
	return s.Run(context.Background())
})

func reportOfFixture(t *testing.T) *Report {
	t.Helper()
	outsideWorkspace(t)
	r, err := fixtureReport()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func runNamed(t *testing.T, r *Report, name string) Run {
	t.Helper()
	for _, run := range r.Runs {
		if run.Name == name {
			return run
		}
	}
	t.Fatalf("no run %s", name)
	return Run{}
}

var claimForm = regexp.MustCompile(`// (Benchmark\w+) (\w+) (\d+) (\S+) (.+)$`)

func TestRowsSayWhereHowMuchAndWhy(t *testing.T) {
	if strconv.IntSize != 64 {
		t.Skip("the fixture's sizes are those of 64 bits")
	}
	r := reportOfFixture(t)
	f, err := os.Open(fixture + "/fixture.go")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	claims := 0
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		m := claimForm.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		claims++
		t.Run(fmt.Sprintf("%s in line %d", m[1], n), func(t *testing.T) {
			objects, _ := strconv.ParseFloat(m[3], 64)
			var found *Row
			for _, row := range runNamed(t, r, m[1]).Rows {
				if row.Where.Line == n && strings.HasSuffix(row.Where.File, "fixture.go") && row.Kind == m[2] {
					found = &row
				}
			}
			if found == nil {
				t.Fatalf("no row in %+v", runNamed(t, r, m[1]).Rows)
			}
			tolerance := 0.0
			if m[1] == "BenchmarkWait" {
				tolerance = 0.05 // a goroutine may be preempted before it waits
			}
			want, err := strconv.ParseFloat(m[4], 64)
			if err == nil && found.Amount.Bytes != want && tolerance == 0 {
				t.Errorf("%v bytes, not %v", found.Amount.Bytes, want)
			}
			if err == nil && want < 16*objects {
				tolerance = 0.1 // tiny objects are counted together with the runtime's
			}
			if d := found.Amount.Objects - objects; d > tolerance || d < -tolerance {
				t.Errorf("%v objects, not %v", found.Amount.Objects, objects)
			}
			if !strings.Contains(found.Why, m[5]) {
				t.Errorf("why: %s", found.Why)
			}
		})
	}
	if claims < 16 {
		t.Errorf("only %d claims", claims)
	}
}

func TestAConstantIsNoReason(t *testing.T) {
	for _, kind := range []string{"new", "interface"} {
		found := []escape.Escape{{What: `"text"`}, {What: "append(list, n)"}}
		if some := suiting(found, kind); len(some) != 1 || some[0].What != "append(list, n)" {
			t.Errorf("%s: %+v", kind, some)
		}
	}
}

func TestRunsAndRowsAreThoseOfTheFixture(t *testing.T) {
	r := reportOfFixture(t)
	for _, run := range r.Runs {
		if d := run.Counted.Objects - run.Total.Objects; !run.shared() && math.Abs(d) > 0.1 {
			t.Errorf("%s: %v of the %v objects that the runtime counted", run.Name, run.Total.Objects, run.Counted.Objects)
		}
	}
	for name, bytes := range map[string]float64{"BenchmarkGroup/a/b": 80, "BenchmarkGroup/two_words": 160} {
		if run := runNamed(t, r, name); run.Total.Bytes != bytes || run.Total.Objects != 1 {
			t.Errorf("%s: %+v", name, run.Total)
		}
	}
	for _, row := range runNamed(t, r, "BenchmarkNothing").Rows {
		if !Negligible(row.Amount) {
			t.Errorf("nothing: %+v", row)
		}
	}
	if rows := runNamed(t, r, "BenchmarkWait").Rows; !slices.ContainsFunc(rows, func(row Row) bool {
		return row.Kind == "goroutine" && math.Abs(row.Amount.Objects-1) < 0.1 && row.Where.OfRuntime()
	}) {
		t.Errorf("no row of the runtime for a goroutine: %+v", rows)
	}
	if row := runNamed(t, r, "BenchmarkSend").Rows[0]; !slices.ContainsFunc(row.Source, func(l Line) bool {
		return l.Number == row.Where.Line && strings.Contains(l.Text, "to <- func()")
	}) {
		t.Errorf("source %+v", row.Source)
	}
}

func TestTestsAreReportedAltogether(t *testing.T) {
	r := runFixture(t, func(s *Settings) { s.Tests, s.Count = "Slice", 3 })
	run := runNamed(t, r, "tests")
	for _, row := range run.Rows {
		if strings.HasSuffix(row.Where.Function, ".slice") && row.Amount.Objects == 3000 && row.Rate.Objects > 0 &&
			row.Amount.Bytes == 3000*896 && row.Live.Objects == 1 {
			return
		}
	}
	for _, row := range run.Rows[:min(5, len(run.Rows))] {
		row.Stacks, row.Source = nil, nil
		t.Errorf("%+v", row)
	}
}

func TestAFailedBenchmarkIsNamedAndOthersAreKept(t *testing.T) {
	t.Setenv("FIXTURE_FAILS", "1")
	r := runFixture(t, func(s *Settings) { s.Bench = "Send|Panics|Fails" })
	runNamed(t, r, "BenchmarkSend")
	problems := map[string]string{}
	for _, f := range r.Failures {
		problems[f.Name] = f.Problem
	}
	if len(problems) != 2 || !strings.Contains(problems["BenchmarkPanics"], "told to panic") ||
		!strings.Contains(problems["BenchmarkFails"], "told to fail") {
		t.Errorf("%v", problems)
	}
}

func TestAModuleMayAskForAnOldGo(t *testing.T) {
	r := runFixture(t, func(s *Settings) { s.Dir, s.Bench = fixture+"/old", "." })
	run := runNamed(t, r, "BenchmarkKeep")
	if run.Total.Bytes != 8 || math.Abs(run.Total.Objects-1) > 0.1 { // tiny objects are counted together with the runtime's
		t.Errorf("%+v", run.Total)
	}
}

func TestReasonsDoNotDependOnTheEnvironment(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	blank := filepath.Join(t.TempDir(), "a directory")
	if err := os.Mkdir(blank, 0o700); err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(dir, blank)
	if err != nil {
		t.Skip(err) // another drive of Windows
	}
	t.Setenv("GOTMPDIR", relative)
	r := runFixture(t, func(s *Settings) { s.Bench = "Send"; t.Setenv("GOFLAGS", "-trimpath") })
	if why := runNamed(t, r, "BenchmarkSend").Rows[0].Why; !strings.Contains(why, "sent on a channel") {
		t.Error(why)
	}
}

func TestAnInterruptKeepsWhatWasMeasured(t *testing.T) {
	outsideWorkspace(t)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	s := fixtureSettings()
	s.Bench = "Send|Slice|Grow"
	s.Progress = func(text string) {
		if strings.Contains(text, "BenchmarkSlice, ") {
			interrupt()
		}
	}
	r, err := s.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Runs) != 1 || runNamed(t, r, "BenchmarkSend").Total.Bytes != 24 || len(r.Failures) != 1 ||
		!strings.Contains(r.Failures[0].Problem, "interrupted") {
		t.Errorf("%d runs, failures %+v", len(r.Runs), r.Failures)
	}
	if _, err := s.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
