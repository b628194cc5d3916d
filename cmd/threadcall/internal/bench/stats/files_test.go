package stats_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// file writes one with these lines and returns its name.
func file(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// good is the output of go test -bench.
const good = "goos: linux\ngoarch: amd64\npkg: example.org/p\ncpu: Z80\nBenchmarkA-2  100  20 ns/op\nBenchmarkA-2  100  21 ns/op\nPASS\nok  \texample.org/p\t1.2s\n"

func TestFilesThatHoldNoResults(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":              {"", "is empty"},
		"binary":             {"\x7fELF\x00\x00", "is not text"},
		"UTF-16":             {"\xff\xfeB\x00e\x00", "UTF-16"},
		"a poem":             {"roses are red\n", "no benchmark result"},
		"tests only":         {"PASS\nok  \tp\t0.1s\n", "no benchmark result"},
		"JSON":               {`{"Time":"now","Action":"output","Output":"BenchmarkA 1 2 ns/op\n"}` + "\n", "without -json"},
		"cut in a number":    {strings.TrimSuffix(good, " ns/op\nPASS\nok  \texample.org/p\t1.2s\n"), ":6: the file is cut off"},
		"cut in a unit":      {strings.TrimSuffix(good, "op\nPASS\nok  \texample.org/p\t1.2s\n"), ":6: the file is cut off"},
		"cut at a line":      {strings.TrimSuffix(good, "\nPASS\nok  \texample.org/p\t1.2s\n"), ":6: the file is cut off"},
		"an overlong line":   {strings.Repeat("x", 1<<17) + "\n" + good, "token too long"},
		"a result that ends": {"BenchmarkA-2  100  20\n", "no benchmark result"},
	} {
		t.Run(name, func(t *testing.T) {
			broken := file(t, "broken.txt", c.text)
			_, err := stats.Read(file(t, "good.txt", good), broken)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "broken.txt") {
				t.Errorf("%v; want one with the file's name and %q", err, c.want)
			}
		})
	}
}

func TestLinesThatAreNotUnderstoodAreWarnings(t *testing.T) {
	d, err := stats.Read(file(t, "odd.txt", "BenchmarkB-2  many  20 ns/op\n--- FAIL: BenchmarkC-2\npanic: no\n"+good))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(d.Warnings, "\n")
	if !strings.Contains(text, "odd.txt:1: ") || !strings.Contains(text, "odd.txt:3: the program crashed") {
		t.Errorf("warnings: %s", text)
	}
	if len(d.Failures) != 1 || d.Failures[0].Name != "C-2" || !strings.Contains(d.Failures[0].Reason, "odd.txt:2") {
		t.Errorf("failures: %+v", d.Failures)
	}
	if d.Len() != 2 {
		t.Errorf("%d results", d.Len())
	}
}

// rounds is a file of a run as threadcall bench writes it, from the first round to the last.
func rounds(run string, values ...string) string {
	var b strings.Builder
	for i, v := range values {
		b.WriteString(stats.RoundLine(run, i, 0) + "\npkg: p\nBenchmarkA-2  100  " + v + " ns/op\n")
	}
	return b.String()
}

func TestRoundsSurviveInFiles(t *testing.T) {
	old := file(t, "old.txt", rounds("r1", "10", "20", "30", "40", "50", "60"))
	for run, want := range map[string]stats.Method{"r1": stats.Pairs, "r2": stats.Ranks} {
		d, err := stats.Read(old, file(t, "new.txt", rounds(run, "11", "22", "33", "44", "55", "66")))
		if err != nil {
			t.Fatal(err)
		}
		got := only(t, d)
		if got.Method != want {
			t.Errorf("the other file is of run %s: %s", run, got.Method)
		}
		if visible := want == stats.Pairs; got.Visible() != visible { // 10 % in each round, which is little next to the drift
			t.Errorf("%s: %+v", run, got)
		}
	}
}

func TestTheUnitsMetadataSayWhatIsBetter(t *testing.T) {
	const head = "Unit hits/op better=higher\nUnit size/op assume=exact better=lower\n"
	d, err := stats.Read(
		file(t, "a.txt", head+strings.Repeat("BenchmarkA 1 5 hits/op 7 size/op\n", 6)),
		file(t, "b.txt", head+strings.Repeat("BenchmarkA 1 6 hits/op 8 size/op\n", 6)))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []stats.Delta{{Verdict: stats.Better, Method: stats.Ranks}, {Verdict: stats.Worse, Method: stats.Exactly}} {
		table := d.Compare().Tables[i]
		if got := table.Rows[0].Deltas[1]; got.Verdict != want.Verdict || got.Method != want.Method {
			t.Errorf("%s: %+v", table.Unit, got)
		}
	}
}

func TestColumnsThatAreSubBenchmarks(t *testing.T) {
	var b strings.Builder
	for i := range 6 {
		b.WriteString(stats.RoundLine("r", i, 0) + "\n")
		b.WriteString("BenchmarkCall/subject=channel/load=hot-2 1 " + []string{"300", "310", "320", "330", "340", "350"}[i] + " ns/op\n")
		b.WriteString("BenchmarkCall/subject=threadcall/load=hot-2 1 " + []string{"30", "31", "32", "33", "34", "35"}[i] + " ns/op\n")
		b.WriteString("BenchmarkOther-2 1 5 ns/op\n")
	}
	d, err := stats.Read(file(t, "a.txt", b.String()))
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Project("/subject")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(p.Versions(), " "); got != "channel threadcall" {
		t.Errorf("versions %s", got)
	}
	row := p.Compare().Tables[0].Rows[0]
	if row.Name != "Call/load=hot-2" || row.Deltas[1].Verdict != stats.Better || row.Deltas[1].Method != stats.Pairs {
		t.Errorf("%+v", row)
	}
	if text := strings.Join(p.Warnings, ""); !strings.Contains(text, "6 results have no /subject") {
		t.Errorf("warnings %q", text)
	}

	if p, err = d.Project("/subject@(threadcall channel)"); err != nil || p.Versions()[0] != "threadcall" {
		t.Errorf("an order that the user chooses: %v", err)
	}
	for col, want := range map[string]string{
		"/nothing":  "no result has that; the keys are .name, /subject, /load, /gomaxprocs",
		"/load":     "the same value, hot",
		"/subject@": "-col: ",
	} {
		if _, err := d.Project(col); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("-col %s: %v; want %q", col, err, want)
		}
	}
	if f, err := d.Filter("/subject:channel"); err != nil || f.Len() != 6 {
		t.Errorf("filtered: %v", err)
	}
	if _, err := d.Filter(".name:Nothing"); err == nil || !strings.Contains(err.Error(), "matches none of the 18 results") {
		t.Error(err)
	}
	two, err := stats.Read(file(t, "a.txt", b.String()), file(t, "b.txt", b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := two.Project("/subject"); err == nil || !strings.Contains(err.Error(), "-col '.file,/subject'") {
		t.Error(err)
	}
	if p, err := two.Project(".file,/subject"); err != nil || len(p.Versions()) != 4 {
		t.Errorf("%v: %q", err, p.Versions())
	}
}

// FuzzRead: whatever is in a file, there is a comparison that can be written, or an error that names the file.
func FuzzRead(f *testing.F) {
	f.Add(good)
	f.Add(rounds("r", "1", "0", "-1", "NaN", "1e400", "+Inf"))
	f.Add("Unit ns/op assume=exact\nUnit x better=up\nBenchmarkA/x=1 1 1 ns/op 2 MB/s 3 x 3 x\r\nBenchmark 1 1 x\n")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := stats.Read(file(t, "good.txt", good), file(t, "fuzz.txt", text))
		if err != nil {
			if !strings.Contains(err.Error(), "fuzz.txt") {
				t.Errorf("%v", err)
			}
			return
		}
		if _, err := json.Marshal(d.Compare()); err != nil {
			t.Error(err)
		}
	})
}

func TestColumnsOfARunAreInTheOrderOfTheirNames(t *testing.T) {
	d := stats.New("now")
	for _, name := range []string{"X/size=100", "X/size=8", "X/size=9"} { // as chance has ordered them
		d.Add(0, 0, &benchfmt.Result{Name: benchfmt.Name(name), Iters: 1, Values: []benchfmt.Value{{Value: 1, Unit: "sec/op"}}})
	}
	if p, err := d.Project("/size"); err != nil || !slices.Equal(p.Versions(), []string{"8", "9", "100"}) {
		t.Errorf("%v, %v", p, err)
	}
}
