package allocs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// printed returns what write writes to a pipe's eighty columns.
func printed(t *testing.T, write func(Text)) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dir, err := filepath.Abs(fixture)
	if err != nil {
		t.Fatal(err)
	}
	screen := ui.On(f)
	screen.Width = 80
	write(Text{Screen: screen, Dir: dir, Top: 20})
	text, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if ui.Columns(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("wide: %s", line)
		}
	}
	return string(text)
}

func TestTheTextOfARun(t *testing.T) {
	r := reportOfFixture(t)
	for _, c := range []struct {
		benchmark string
		change    func(*Text)
		want      []string
	}{
		{"Send", func(*Text) {}, []string{
			"BenchmarkSend  example.com/fixture\n",
			"24 B/op, 1 allocs/op: what go test -benchmem prints, in 3 runs.",
			"24 B and 1 object an operation in the rows: the difference of 1000 and 2000",
			"       24         1         0  fixture.go:26 fixture.send\n",
			"new: func literal escapes to heap: sent on a",
		}},
		{"Send", func(text *Text) { text.Width = 40 }, []string{
			"       24         1         0\n   fixture.go:26 fixture.send\n    new: func literal",
		}},
		{"Inlined", func(text *Text) { text.Stacks = true }, []string{
			"runtime.newobject", "fixture.helper fixture.go:", "fixture.inlined fixture.go:", "fixture.BenchmarkInlined fixt",
		}},
		{"Print", func(text *Text) { text.Top = 1 }, []string{" more row"}},
	} {
		out := printed(t, func(text Text) {
			c.change(&text)
			text.Report(&Report{Runs: []Run{runNamed(t, r, "Benchmark"+c.benchmark)}})
		})
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s", c.benchmark, want, out)
			}
		}
	}
}

func TestAPlaceThatIsTooLongIsNotMadeLonger(t *testing.T) {
	dir, err := filepath.Abs(fixture)
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"fixture.go": "  fixture.go:1 ", "promises/callee/callee.go": "  callee/callee.go:1 "} {
		row := Row{Where: heap.Frame{Function: "example.com/fixture." + strings.Repeat("long", 10), File: filepath.Join(dir, file), Line: 1}}
		row.Site = row.Where
		if out := printed(t, func(text Text) { text.row(&Run{}, row) }); !strings.Contains(filepath.ToSlash(out), want) {
			t.Error(out)
		}
	}
}

func TestBenchmarksThatAllocateNothingAreOneParagraph(t *testing.T) {
	send := runNamed(t, reportOfFixture(t), "BenchmarkSend")
	quiet := Run{Name: "BenchmarkQuiet", Package: "example.com/fixture", PerOp: true, Operations: []int{10, 20}}
	still := Run{Name: "BenchmarkStill", Package: "example.com/fixture", PerOp: true, Operations: []int{10, 20}}
	out := printed(t, func(text Text) { text.Report(&Report{Runs: []Run{quiet, send, still}}) })
	if !strings.HasSuffix(out, "Nothing an operation  example.com/fixture\nBenchmarkQuiet BenchmarkStill\n\n") ||
		strings.Count(out, "BenchmarkQuiet") != 1 || !strings.Contains(out, "24 B and 1 object an operation") {
		t.Error(out)
	}
	if out := printed(t, func(text Text) { text.Report(&Report{Runs: []Run{quiet}}) }); !strings.Contains(out, "0 B and 0 objects an operation") {
		t.Error(out)
	}
}
