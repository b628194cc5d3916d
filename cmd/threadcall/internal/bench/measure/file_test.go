package measure

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	f.add(0, outcome(header+"Unit frames/s better=higher\nBenchmarkA-2 \t 100\t 5.0 ns/op\n"))
	f.add(0, outcome("goos: linux\npkg: example.com/q\nBenchmarkB-2 \t 100\t 6.0 ns/op\n"))
	f.comment("noisy: B")
	f.add(1, outcome(header+"note: only here\nUnit frames/s better=higher\nBenchmarkA-2 \t 100\t "+
		"7.0 ns/op\n"))
	f.add(1, outcome("goos: linux\npkg: example.com/q\nBenchmarkB-2 \t 100\t 8.0 ns/op\n"))
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	const want = `# about: a b
Unit frames/s better=higher
# threadcall run run round 0
goos: linux
pkg: example.com/p

BenchmarkA-2 100 5 ns/op

pkg: example.com/q

BenchmarkB-2 100 6 ns/op
# noisy: B
# threadcall run run round 1

pkg: example.com/p
note: only here

BenchmarkA-2 100 7 ns/op

pkg: example.com/q
note:

BenchmarkB-2 100 8 ns/op
`
	if string(text) != want || err != nil {
		t.Errorf("%v %s\nwant\n%s", err, text, want)
	}
	d, err := Read(name)
	if err != nil || len(d.Results) != 4 || d.Results[3].Place != (Place{"run", 1}) ||
		d.Results[3].GetConfig("pkg") != "example.com/q" {
		t.Errorf("%+v, %v", d, err)
	}
	if f, err := createFile(name, false, "run", nil); err == nil {
		t.Errorf("a file that is there is replaced: %+v", f)
	}
	f, err = createFile(name, true, "run", []string{"about"})
	if err := errors.Join(err, f.close()); err != nil {
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
	dir := filepath.Join(top, DirName)
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name string) {
		if err := os.WriteFile(filepath.Join(top, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("module/go.mod")
	write(".git")
	if got, err := resultsDir(sub); got != dir || err != nil {
		t.Fatalf("%s, %v", got, err)
	}
	write(DirName + "/before.txt")
	for i := range KeepRuns + 3 {
		for _, version := range []string{"new", "old"} {
			write(fmt.Sprintf("%s/20260101T0000%02d-%s.txt", DirName, i, version))
		}
	}
	err := prune(dir)
	left, _ := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(left) != 2*KeepRuns+1 ||
		filepath.Base(left[0]) != "20260101T000003-new.txt" {
		t.Errorf("%v, left %q", err, left)
	}
}
