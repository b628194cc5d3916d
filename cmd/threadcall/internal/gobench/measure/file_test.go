package measure

import (
	"errors"
	"os"
	"path/filepath"
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
	f, err := createFile(name, "run", []string{"about: a\nb"})
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
	f, err = createFile(name, "run", []string{"about"})
	if err := errors.Join(err, f.close()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("a file without results is there")
	}
}
