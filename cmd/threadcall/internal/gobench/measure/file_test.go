package measure

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/report/bench"
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
	r := &bench.Record{Settings: bench.Settings{Command: "a\nb"},
		Versions: []bench.Version{{Name: "v"}}}
	f, err := createFiles(name, r)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		f.add(outcome(header+"Unit frames/s better=higher\nBenchmarkA-2 \t 100\t 5.0 ns/op\n")),
		f.add(outcome("goos: linux\npkg: example.com/q\nBenchmarkB-2 \t 100\t 6.0 ns/op\n")),
		f.add(outcome(header+"note: only here\nBenchmarkA-2 \t 100\t 7.0 ns/op\n")),
		f.add(outcome("goos: linux\npkg: example.com/q\nBenchmarkB-2 \t 100\t 8.0 ns/op\n")),
		f.Close())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	const want = `# threadcall bench, 0001-01-01T00:00:00Z
# version: v, 
# command: a b
# toolchain: 
Unit frames/s better=higher
goos: linux
pkg: example.com/p

BenchmarkA-2 100 5 ns/op

pkg: example.com/q

BenchmarkB-2 100 6 ns/op

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
	if f.add(outcome(header+"BenchmarkA-2 \t 100\t 5.0 ns/op\n")) == nil {
		t.Error("no error from a closed file")
	}
}
