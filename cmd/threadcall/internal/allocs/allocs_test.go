package allocs

import (
	"bufio"
	"context"
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
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/report"
	"github.com/threadcall/threadcall/cmd/threadcall/report/alloc"
)

const fixture = "testdata/fixture"

func settings(dir string) Settings {
	return Settings{Packages: []string{"."}, Dir: dir, Bench: ".",
		Benchtime: report.Benchtime{N: 1000},
		Progress:  func(string) {}}
}

// outsideWorkspace lets the go command work in modules of testdata.
func outsideWorkspace(t *testing.T) {
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOMAXPROCS", "1")
}

// run runs the module in a directory, with changed settings.
func run(t *testing.T, dir string, change func(*Settings)) *alloc.Report {
	t.Helper()
	outsideWorkspace(t)
	s := settings(dir)
	change(&s)
	r, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var fixtureReport = sync.OnceValues(func() (*alloc.Report, error) {
	return settings(fixture).Run(context.Background())
})

// reportOfFixture returns that of all benchmarks of the fixture.
func reportOfFixture(t *testing.T) *alloc.Report {
	t.Helper()
	outsideWorkspace(t)
	r, err := fixtureReport()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func runNamed(t *testing.T, r *alloc.Report, name string) alloc.Run {
	t.Helper()
	i := slices.IndexFunc(r.Runs, func(run alloc.Run) bool { return run.Name == name })
	if i < 0 {
		t.Fatalf("no run %s", name)
	}
	return r.Runs[i]
}

// writeFiles writes files into a directory.
func writeFiles(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var claimForm = regexp.MustCompile(`// (Benchmark\w+) (\w+) (\d+) (\S+) (.+)$`)

// Comments of the fixture have the amount and the reason for each place.
func TestReport_Rows(t *testing.T) {
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
			rows := runNamed(t, r, m[1]).Rows
			i := slices.IndexFunc(rows, func(row alloc.Row) bool {
				return row.Where.Line == n && strings.HasSuffix(row.Where.File, "fixture.go") &&
					row.Kind == m[2]
			})
			if i < 0 {
				t.Fatal("no row")
			}
			row := rows[i]
			objects, _ := strconv.ParseFloat(m[3], 64)
			tolerance := 0.0
			if m[1] == "BenchmarkWait" {
				tolerance = 0.05 // a goroutine may be preempted before it waits
			}
			want, err := strconv.ParseFloat(m[4], 64)
			if err == nil && row.Amount.Bytes != want && tolerance == 0 {
				t.Errorf("%v bytes, not %v", row.Amount.Bytes, want)
			}
			if err == nil && want < 16*objects {
				tolerance = 0.1 // tiny objects are counted together with the runtime's
			}
			if math.Abs(row.Amount.Objects-objects) > tolerance {
				t.Errorf("%v objects, not %v", row.Amount.Objects, objects)
			}
			if !strings.Contains(row.Why, m[5]) {
				t.Errorf("why: %s", row.Why)
			}
		})
	}
	if claims < 13 {
		t.Errorf("only %d claims", claims)
	}
}

func TestReport_Runs(t *testing.T) {
	r := reportOfFixture(t)
	for _, run := range r.Runs {
		if d := run.Counted.Objects - run.Total.Objects; math.Abs(d) > 0.1 {
			t.Errorf("%s: %v of %v objects", run.Name, run.Total.Objects, run.Counted.Objects)
		}
	}
	for name, bytes := range map[string]float64{"BenchmarkGroup/a/b": 80,
		"BenchmarkGroup/two_words": 160,
		"BenchmarkStops":           160, "BenchmarkResets": 160, "BenchmarkStopsAtItsEnd": 160} {
		run := runNamed(t, r, name)
		if run.Total != (alloc.Amount{Objects: 1, Bytes: bytes}) {
			t.Errorf("%s: %+v", name, run.Total)
		}
	}
	if rows := runNamed(t, r, "BenchmarkNothing").Rows; len(rows) > 0 {
		t.Errorf("nothing: %+v", rows)
	}
	rows := runNamed(t, r, "BenchmarkWait").Rows
	if !slices.ContainsFunc(rows, func(row alloc.Row) bool {
		return row.Kind == "goroutine" && math.Abs(row.Amount.Objects-1) < 0.1 && row.Where.OfRuntime()
	}) {
		t.Errorf("no row of the runtime for a goroutine: %+v", rows)
	}
}

func TestSettings_Run(t *testing.T) {
	t.Run("failures", func(t *testing.T) {
		t.Setenv("FIXTURE_FAILS", "1")
		r := run(t, fixture, func(s *Settings) { s.Bench = "Send|Panics|Fails" })
		runNamed(t, r, "BenchmarkSend")
		problems := map[string]string{}
		for _, f := range r.Failures {
			problems[f.Name] = f.Reason
		}
		if len(problems) != 2 || !strings.Contains(problems["Panics"], "requested to panic") ||
			!strings.Contains(problems["Fails"], "requested to fail") {
			t.Errorf("%v", problems)
		}
	})
	t.Run("old Go, other environment", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "a directory")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		wd, _ := os.Getwd()
		relative, err := filepath.Rel(wd, dir)
		if err != nil {
			t.Skip(err) // another drive of Windows
		}
		t.Setenv("GOTMPDIR", relative)
		writeFiles(t, dir, map[string]string{"go.mod": "module example.com/old\n\ngo 1.12\n",
			"old.go": "package old\n\nvar kept *[4]int\n\nfunc keep() { kept = new([4]int) }\n",
			"old_test.go": "package old\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\n" +
				"func TestMain(m *testing.M) { os.Exit(run(m)) }\n\n" +
				"func run(m *testing.M) int { return m.Run() }\n\n" +
				"func BenchmarkKeep(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tkeep()\n\t}\n}\n"})
		r := run(t, dir, func(*Settings) { t.Setenv("GOFLAGS", "-trimpath") })
		row := runNamed(t, r, "BenchmarkKeep").Rows[0]
		if row.Amount.Bytes != 32 || !strings.Contains(row.Why, "new([4]int) escapes to heap") {
			t.Errorf("%+v", row)
		}
	})
}

// What goroutines of a benchmark need to start and to wait is not the operation's. If the machine
// is busy, a run may take the operation for a long one, but not each run.
func TestSettings_Run_parallel(t *testing.T) {
	var seen []int
	for range 20 {
		r := run(t, fixture, func(s *Settings) {
			t.Setenv("GOMAXPROCS", "2")
			s.Bench, s.Benchtime = "Shared", report.Benchtime{Time: 50 * time.Millisecond}
		})
		one := runNamed(t, r, "BenchmarkShared")
		if math.Abs(one.Total.Objects-4) > 0.02 {
			t.Fatalf("%+v", one)
		}
		if seen = append(seen, one.Operations[0]); one.Operations[0] > most/2 {
			return
		}
	}
	t.Errorf("as many operations fit the time: %d", seen)
}

func TestSession_rows(t *testing.T) {
	cgo := heap.Stack{{Function: "runtime.gostring", Standard: true},
		{Function: "example.com/p._Cfunc_GoString"}, {Function: "example.com/p.name"}}
	for i, file := range []string{"/go/src/runtime/string.go", "_cgo_gotypes.go", "/p/p.go"} {
		cgo[i].Position = report.Position{File: file, Line: 12}
	}
	p := report.Position{File: "/p/p.go", Line: 15}
	log := escape.New()
	if err := log.Read("escape/testdata/go1.24"); err != nil {
		t.Fatal(err)
	}
	for why, stack := range map[string]heap.Stack{
		"cgo allocates what C.GoString returns": cgo,
		"n escapes to heap: assigned (list[0] = &n at p.go:14)": {{Function: "example.com/p.passed",
			Position: p}},
	} {
		s := &session{log: log, report: &alloc.Report{}}
		rows := s.rows(heap.Samples{Samples: []heap.Sample{{Stack: stack, Size: 16,
			Each: alloc.Amount{Objects: 1, Bytes: 16}}}})
		if len(rows) != 1 || rows[0].Where != stack[len(stack)-1] || rows[0].Why != why {
			t.Errorf("%+v", rows)
		}
	}
}

// printed returns what write writes to a file of eighty columns.
func printed(t *testing.T, dir string, write func(Text)) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dir, err = filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	screen := ui.On(f)
	screen.Width = 80
	write(Text{Screen: screen, Dir: dir})
	text, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// contains fails the test if the text lacks one of the parts.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}
