package measure

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// outcome returns what a process would have measured that writes this.
func outcome(output string) *Outcome {
	o := &Outcome{}
	o.Lines, o.Units, _ = gotest.ParseResults(output)
	return o
}

const header = "goos: linux\npkg: example.com/p\n"

func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.txt")
	f, err := createFile(name, false, "run", []string{"about: a\nb"})
	if err != nil {
		t.Fatal(err)
	}
	f.add(0, outcome(header+"Unit frames/s better=higher\nBenchmarkA-2 \t 100\t 5.0 ns/op\t 3 "+
		"frames/s\n"))
	f.add(0, outcome("goos: linux\npkg: example.com/q\nBenchmarkB-2 \t 100\t 6.0 ns/op\n"))
	f.comment("noisy: B")
	f.add(1, outcome(header+"note: only here\nUnit frames/s better=higher\nBenchmarkA-2 \t 100\t "+
		"7.0 ns/op\t 4 frames/s\n"))
	f.add(1, outcome("goos: linux\npkg: example.com/q\nBenchmarkB-2 \t 100\t 8.0 ns/op\n"))
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := "# about: a b\nUnit frames/s better=higher\ngoos: linux\npkg: example.com/p\n# " +
		"threadcall run run round 0\nBenchmarkA-2 \t 100\t 5.0 ns/op\t 3 frames/s\npkg: " +
		"example.com/q\nBenchmarkB-2 \t 100\t 6.0 ns/op\n# noisy: B\npkg: " +
		"example.com/p\nnote: only here\n# threadcall run run round 1\nBenchmarkA-2 \t " +
		"100\t 7.0 ns/op\t 4 frames/s\npkg: example.com/q\nnote:\nBenchmarkB-2 \t " +
		"100\t 8.0 ns/op\n"
	if string(text) != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
	var seen []string // by other readers
	for r := benchfmt.NewReader(strings.NewReader(string(text)), name); r.Scan(); {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			name := rec.GetConfig("pkg") + "." + rec.Name.String()
			seen = append(seen, name+" "+rec.GetConfig("note"))
		case *benchfmt.SyntaxError:
			t.Error(rec)
		}
	}
	if got := strings.Join(seen, ", "); got != "example.com/p.A-2 , example.com/q.B-2 , "+
		"example.com/p.A-2 only here, example.com/q.B-2 " {
		t.Error(got)
	}
	d, err := Read("old=" + name)
	if err != nil || len(d.Results) != 4 || d.Results[3].Place != (Place{"run", 1}) ||
		d.Versions[0] != "old" {
		t.Errorf("%+v, %v", d, err)
	}
	if f, err := createFile(name, false, "run", nil); err == nil {
		t.Errorf("a file that is there is replaced: %+v", f)
	}
}

func TestFile_empty(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.txt")
	f, err := createFile(name, false, "run", []string{"about"})
	if err != nil {
		t.Fatal(err)
	}
	f.comment("failed: A")
	if err := f.close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("a file without results is there")
	}
}

// good is the output of go test -bench.
const good = "goos: linux\ngoarch: amd64\npkg: example.org/p\ncpu: Z80\nBenchmarkA-2  100  20 " +
	"ns/op\nBenchmarkA-2  100  21 ns/op\nPASS\nok  \texample.org/p\t1.2s\n"

func TestRead_refused(t *testing.T) {
	end := " ns/op\nPASS\nok  \texample.org/p\t1.2s\n"
	dir := t.TempDir()
	for text, want := range map[string]string{
		"":                        "is empty",
		"\x7fELF\x00\x00":         "is not text",
		"\xff\xfeB\x00e\x00":      "UTF-16",
		"roses are red\n":         "no benchmark result",
		"PASS\nok  \tp\t0.1s\n":   "no benchmark result",
		"BenchmarkA-2  100  20\n": "no benchmark result",
		`{"Time":"now","Action":"output","Output":"BenchmarkA 1 2 ns/op\n"}` +
			"\n": "without -json",
		strings.TrimSuffix(good, end):            ":6: the file is cut off",
		strings.TrimSuffix(good, end[6:]):        ":6: the file is cut off",
		strings.Repeat("x", 1<<17) + "\n" + good: "token too long",
	} {
		broken := filepath.Join(dir, "broken.txt")
		if err := os.WriteFile(broken, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(broken); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "broken.txt") {
			t.Errorf("%.40q: %v; want one with the file's name and %q", text, err, want)
		}
	}
}

// FuzzRead: whatever is in a file, there are results, or an error that names the file.
func FuzzRead(f *testing.F) {
	f.Add(good)
	f.Add(roundLine("r", 1) + "\nBenchmarkA 1 NaN ns/op 1e400 B/s\n")
	f.Add("Unit ns/op assume=exact\nUnit x better=up\nBenchmarkA/x=1 1 1 ns/op 2 MB/s 3 x 3 " +
		"x\r\nBenchmark 1 1 x\n")
	f.Fuzz(func(t *testing.T, text string) {
		d := New("fuzz")
		if err := d.readText(0, "fuzz.txt", []byte(text)); err != nil &&
			!strings.Contains(err.Error(), "fuzz.txt") {
			t.Errorf("%v", err)
		}
	})
}

func TestRead_warnings(t *testing.T) {
	d := New("odd")
	err := d.readText(0, "odd.txt", []byte("BenchmarkB-2  many  20 ns/op\n--- FAIL: "+
		"BenchmarkC-2\npanic: no\n"+good))
	text := strings.Join(d.Warnings, "\n")
	if err != nil || !strings.Contains(text, "odd.txt:1: ") ||
		!strings.Contains(text, "odd.txt:3: the program crashed") {
		t.Errorf("%v, warnings: %s", err, text)
	}
	if len(d.Failures) != 1 || d.Failures[0].Name != "C-2" ||
		!strings.Contains(d.Failures[0].Reason, "odd.txt:2") || len(d.Results) != 2 {
		t.Errorf("failures: %+v, %d results", d.Failures, len(d.Results))
	}
}

func TestResultsDir(t *testing.T) {
	top := t.TempDir()
	sub := filepath.Join(top, "module", "package")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	for mark, want := range map[string]string{"module/go.mod": "module", ".git": ""} {
		if err := os.WriteFile(filepath.Join(top, mark), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := resultsDir(sub); mark == ".git" &&
			got != filepath.Join(top, want, DirName) || err != nil {
			t.Errorf("with %s: %s, %v", mark, got, err)
		}
	}
	dir := filepath.Join(top, DirName)
	write := func(name string) {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{".gitignore", "before.txt"}
	for _, name := range want[1:] {
		write(name)
	}
	for i := range KeepRuns + 3 {
		for _, version := range []string{"new", "old"} {
			name := fmt.Sprintf("20260101T0000%02d-%s.txt", i, version)
			if write(name); i >= 3 {
				want = append(want, name)
			}
		}
	}
	if err := prune(dir); err != nil {
		t.Error(err)
	}
	var got []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("left %q", got)
	}
}
