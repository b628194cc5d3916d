package rounds

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// outcome returns what a process would have measured that writes this.
func outcome(output string) *Outcome {
	o := &Outcome{}
	o.Lines, o.Units, _ = gotest.ParseResults(output)
	return o
}

const header = "goos: linux\npkg: example.com/p\n"

func TestAFileIsWhatBenchstatReads(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.txt")
	f, err := CreateFile(name, false, "run", []string{"about: a\nb"})
	if err != nil {
		t.Fatal(err)
	}
	f.Add(0, outcome(header+"Unit frames/s better=higher\nBenchmarkA-2 \t 100\t 5.0 ns/op\t 3 frames/s\n"))
	f.Add(0, outcome("goos: linux\npkg: example.com/q\nBenchmarkB-2 \t 100\t 6.0 ns/op\n"))
	f.Comment("noisy: B")
	f.Add(1, outcome(header+"note: only here\nUnit frames/s better=higher\nBenchmarkA-2 \t 100\t 7.0 ns/op\t 4 frames/s\n"))
	f.Add(1, outcome("goos: linux\npkg: example.com/q\nBenchmarkB-2 \t 100\t 8.0 ns/op\n"))
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := "# about: a b\nUnit frames/s better=higher\ngoos: linux\npkg: example.com/p\n" + stats.RoundLine("run", 0, 0) + "\n" +
		"BenchmarkA-2 \t 100\t 5.0 ns/op\t 3 frames/s\npkg: example.com/q\nBenchmarkB-2 \t 100\t 6.0 ns/op\n# noisy: B\n" +
		"pkg: example.com/p\nnote: only here\n" + stats.RoundLine("run", 1, 0) + "\nBenchmarkA-2 \t 100\t 7.0 ns/op\t 4 frames/s\n" +
		"pkg: example.com/q\nnote:\nBenchmarkB-2 \t 100\t 8.0 ns/op\n"
	if string(text) != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
	var seen []string
	for r := benchfmt.NewReader(strings.NewReader(string(text)), name); r.Scan(); {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			seen = append(seen, rec.GetConfig("pkg")+"."+rec.Name.String()+" "+rec.GetConfig("note"))
		case *benchfmt.SyntaxError:
			t.Error(rec)
		}
	}
	if got := strings.Join(seen, ", "); got != "example.com/p.A-2 , example.com/q.B-2 , example.com/p.A-2 only here, example.com/q.B-2 " {
		t.Error(got)
	}
}

func TestAFileThatIsThereStays(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.txt")
	if err := os.WriteFile(name, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if f, err := CreateFile(name, false, "run", nil); err == nil {
		t.Errorf("%+v", f)
	}
	if text, _ := os.ReadFile(name); string(text) != "mine" {
		t.Errorf("%q", text)
	}
}

func TestAFileWithoutResultsIsRemoved(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.txt")
	f, err := CreateFile(name, false, "run", []string{"about"})
	if err != nil {
		t.Fatal(err)
	}
	f.Comment("failed: A")
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("it is there")
	}
}

func TestAnErrorOfWritingIsTheLastThingThatIsWritten(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.txt")
	f, err := CreateFile(name, false, "run", nil)
	if err != nil {
		t.Fatal(err)
	}
	f.Add(0, outcome(header+"BenchmarkA-2 \t 100\t 5.0 ns/op\n"))
	f.file.Close()
	f.Add(1, outcome(header+"BenchmarkA-2 \t 100\t 6.0 ns/op\n"))
	first := f.Err()
	if first == nil {
		t.Fatal("no error")
	}
	f.Add(2, outcome(header+"BenchmarkA-2 \t 100\t 7.0 ns/op\n"))
	if f.Err() != first {
		t.Errorf("%v, then %v", first, f.Err())
	}
	if text, _ := os.ReadFile(name); !strings.HasSuffix(string(text), "BenchmarkA-2 \t 100\t 5.0 ns/op\n") {
		t.Errorf("%q", text)
	}
}
