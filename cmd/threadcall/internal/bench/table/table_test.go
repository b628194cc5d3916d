package table_test

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/table"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// simulated returns ten rounds of benchmarks of which the ratios of the versions' times are known.
func simulated(rounds int, versions ...string) *stats.Data {
	r := rand.New(rand.NewPCG(1, 2))
	d := stats.New(versions...)
	for round := range rounds {
		for _, b := range []struct {
			name          string
			ns            float64
			ratio         float64
			bytes, allocs [2]float64
		}{
			{"Decode/size=1k-8", 1234, 1.10, [2]float64{48, 64}, [2]float64{3, 4}},
			{"Decode/size=64k-8", 81234, 1.00, [2]float64{48, 48}, [2]float64{3, 3}},
			{"Encode-8", 17.2, 0.7, [2]float64{0, 16}, [2]float64{0, 1}},
		} {
			for v := range versions {
				i := min(v, 1)
				ns := b.ns * math.Pow(b.ratio, float64(i)) * math.Exp(0.02*r.NormFloat64())
				res := &benchfmt.Result{Name: benchfmt.Name(b.name), Iters: 1, Values: []benchfmt.Value{
					{Value: ns * 1e-9, Unit: "sec/op"}, {Value: b.bytes[i], Unit: "B/op"}, {Value: b.allocs[i], Unit: "allocs/op"}}}
				d.Add(v, round, res)
			}
		}
	}
	return d
}

// written returns what Write writes to a file.
func written(t *testing.T, c *stats.Comparison) string {
	t.Helper()
	return onFile(t, 80, func(s *ui.Screen) { table.Write(s, c, false) })
}

func onFile(t *testing.T, width int, write func(*ui.Screen)) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := ui.On(f)
	s.Width = width
	write(s)
	if s.Err != nil {
		t.Fatal(s.Err)
	}
	text, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); ui.Columns(line) > width || strings.HasSuffix(line, " ") || strings.Contains(line, "\x1b") {
			t.Errorf("%d columns, a blank at the end, or a colour: %q", ui.Columns(line), line)
		}
	}
	return string(text)
}

func TestTwoVersions(t *testing.T) {
	const want = `Of 3 benchmarks: 1 slower, 1 faster, 2 with more B/op, 2 with more allocs/op.

                     HEAD~1  working tree         change    95% interval       p
  sec/op
    Decode/size=1k  1.244µs       1.361µs   +9.3% slower   [+8.0%, +11%]  <0.001
    Encode          17.25ns       11.98ns  -30.9% faster    [-32%, -30%]  <0.001
    geomean of 3                            -8.7% faster  [-9.6%, -8.0%]  <0.001
    1 other unchanged (minimum detectable effect 2.6 %)
  B/op
    Decode/size=1k       48            64    +33.3% more
    Encode                0            16           more
    1 other unchanged
  allocs/op
    Decode/size=1k        3             4    +33.3% more
    Encode                0             1           more
    1 other unchanged

`
	if got := written(t, simulated(12, "HEAD~1", "working tree").Compare()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAVerboseTableHasAllRowsAndWhatTheyMean(t *testing.T) {
	const want = `old → new  12 values each
Of 3 benchmarks: 1 slower, 1 faster, 2 with more B/op, 2 with more allocs/op.

                               old            new         change    95% interval       p
  sec/op
    Decode/size=1k   1.244µs ±2.6%  1.361µs ±2.0%   +9.3% slower   [+8.0%, +11%]  <0.001
    Decode/size=64k  81.19µs ±1.5%  81.65µs ±2.5%      MDE 2.5 %  [-2.1%, +2.9%]   0.677
    Encode           17.25ns ±0.9%  11.98ns ±2.4%  -30.9% faster    [-32%, -30%]  <0.001
    geomean of 3                                    -8.7% faster  [-9.6%, -8.0%]  <0.001
  B/op
    Decode/size=1k              48             64    +33.3% more
    Decode/size=64k             48             48          equal
    Encode                       0             16           more
    geomean of 2                                     +15.5% more
  allocs/op
    Decode/size=1k               3              4    +33.3% more
    Decode/size=64k              3              3          equal
    Encode                       0              1           more
    geomean of 2                                     +15.5% more

2 of 3 comparisons in which chance plays a part show a change. If nothing had changed, up to 0.2
would. All of them hold when they are judged together.

`
	got := onFile(t, 100, func(s *ui.Screen) { table.Write(s, simulated(12, "old", "new").Compare(), true) })
	if tables, _, _ := strings.Cut(got, "±: "); tables != want {
		t.Errorf("got\n%s\nwant\n%s", tables, want)
	}
	for _, explained := range []string{"±: how far the 95% interval", "a row shows one with a probability of at most 5%", "and the sign test", "MDE is the minimum detectable effect"} {
		if !strings.Contains(strings.Join(strings.Fields(got), " "), explained) {
			t.Errorf("nothing says %q", explained)
		}
	}
}

func TestOneVersion(t *testing.T) {
	got := written(t, simulated(12, "now").Compare())
	const want = `                         sec/op  B/op  allocs/op   n
  Decode/size=1k   1.218µ ±2.7%    48          3  12
  Decode/size=64k  81.59µ ±0.8%    48          3  12
  Encode           17.27n ±3.0%     0          0  12

`
	if !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s", got)
	}
}

func TestRatiosHaveWhatIsWorseAtTheTop(t *testing.T) {
	const want = `                            to old                   to new
                            sec/op  B/op  allocs/op  sec/op  B/op  allocs/op
  newer  Decode/size=1k-8     1.09  1.33       1.33  ~0.995     1          1
  newer  Encode-8            0.692   +16         +1      ~1     1          1
  no visible change for the worse
  newer  Decode/size=64k-8  ~0.996     1          1  ~0.988     1          1

~: inconclusive; the ratio may be 1.
`
	c := simulated(12, "old", "new", "newer").Compare()
	if got := onFile(t, 80, func(s *ui.Screen) { table.Ratios(s, c, c.To("new")) }); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWhatCouldNotBeComparedIsListed(t *testing.T) {
	d := simulated(6, "old.txt", "new.txt")
	one := func(v int, name string) {
		r := &benchfmt.Result{Name: benchfmt.Name(name), Values: []benchfmt.Value{{Value: 1, Unit: "sec/op"}, {Value: 1, Unit: "B/op"}}}
		r.SetConfig("pkg", "example.org/p")
		d.Add(v, 0, r)
	}
	one(0, "Gone-8")
	one(1, "Fresh-8")
	d.Fail(1, "example.org/p", "Panics-8", "panic: index out of range")
	d.Warnings = append(d.Warnings, "something is odd")
	got := written(t, d.Compare())
	for _, want := range []string{"Only in old.txt: example.org/p.Gone.\n", "Only in new.txt: example.org/p.Fresh (1s a call).\n", "Failed\n  example.org/p.Panics-8 (new.txt): panic: index out of range\n", "Note: something is odd\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestValuesThatDoNotComeInRoundsHaveAnotherLegend(t *testing.T) {
	d := stats.New("old", "new")
	for i := range 6 {
		for v := range 2 {
			d.Add(v, -1, &benchfmt.Result{Name: benchfmt.Name("X"), Values: []benchfmt.Value{{Value: 1 + 0.01*float64(i+6*v), Unit: "sec/op"}}})
		}
	}
	got := strings.Join(strings.Fields(onFile(t, 80, func(s *ui.Screen) { table.Write(s, d.Compare(), true) })), " ")
	if !strings.Contains(got, "slower") || !strings.Contains(got, "the Mann-Whitney U-test. If one version was measured after the other") || strings.Contains(got, "sign test") {
		t.Errorf("got %s", got)
	}
}

func TestAUnitInWhichNothingDiffersIsOneLine(t *testing.T) {
	d := stats.New("a", "b", "c")
	for round := range 6 {
		for v := range 3 {
			for _, name := range []string{"X", "Y", "Z"} {
				d.Add(v, round, &benchfmt.Result{Name: benchfmt.Name(name), Values: []benchfmt.Value{{Value: 7, Unit: "allocs/op"}}})
			}
		}
	}
	got := written(t, d.Compare())
	const one = "  6 values each\nNo visible change in 3 benchmarks.\n\nUnchanged: allocs/op of 3.\n\n"
	const want = "a → b" + one + "a → c" + one
	if got != want {
		t.Errorf("got %q", got)
	}
}
