package allocs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// printed returns what tell writes to a pipe's eighty columns.
func printed(t *testing.T, tell func(Text)) string {
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
	tell(Text{Screen: ui.On(f), Dir: dir, Top: 20})
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

func TestTheTableHasOneRowAPlace(t *testing.T) {
	r := reportOfFixture(t)
	run := runNamed(t, r, "BenchmarkSend")
	out := printed(t, func(text Text) { text.Report(&Report{Runs: []Run{run}}) })
	for _, want := range []string{
		"BenchmarkSend  example.com/fixture\n",
		"24 B and 1 object an operation: the difference of 1000 and 2000 operations.",
		"       24         1         0  fixture.go:26 fixture.send\n",
		"new: func literal escapes to heap: sent on a",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if n := strings.Count(out, "fixture"); n != 4 {
		t.Errorf("fixture %d times in\n%s", n, out)
	}
}

func TestStacksAreShownOnDemand(t *testing.T) {
	run := runNamed(t, reportOfFixture(t), "BenchmarkInlined")
	out := printed(t, func(text Text) {
		text.Stacks = true
		text.Report(&Report{Runs: []Run{run}})
	})
	for _, want := range []string{"runtime.newobject", "fixture.helper fixture.go:", "fixture.inlined fixture.go:", "fixture.BenchmarkInlined fixt"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
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

func TestInANarrowTerminalThePlaceHasALine(t *testing.T) {
	run := runNamed(t, reportOfFixture(t), "BenchmarkSend")
	out := printed(t, func(text Text) {
		narrow := *text.Screen
		narrow.Width = 40
		text.Screen = &narrow
		text.Report(&Report{Runs: []Run{run}})
	})
	if !strings.Contains(out, "       24         1         0\n   fixture.go:26 fixture.send\n    new: func literal") {
		t.Error(out)
	}
}

func TestRowsBeyondTheTopAreSummedUp(t *testing.T) {
	run := runNamed(t, reportOfFixture(t), "BenchmarkPrint")
	out := printed(t, func(text Text) {
		text.Top = 1
		text.Report(&Report{Runs: []Run{run}})
	})
	if !strings.Contains(out, "more rows (-top 0 shows all)") && !strings.Contains(out, "1 more row") {
		t.Error(out)
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
