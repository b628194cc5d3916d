package present

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/judge"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/report"
	"github.com/threadcall/threadcall/cmd/threadcall/report/bench"
)

// add adds values in turn with their units, which are tidied, of a benchmark in a round.
func add(d *measure.Data, version, round int, name string, values ...any) {
	r := &benchfmt.Result{Name: benchfmt.Name(name), Iters: 1}
	for i := 0; i < len(values); i += 2 {
		r.Values = append(r.Values, benchfmt.Value{Value: values[i].(float64),
			Unit: values[i+1].(string)})
	}
	d.Add(version, round, "", r)
}

// simulated returns rounds of benchmarks of which the ratios of the versions' times are known.
func simulated(rounds int, versions ...string) *measure.Data {
	r := rand.New(rand.NewPCG(1, 2))
	d := measure.New(versions...)
	for round := range rounds {
		for _, b := range []struct {
			name          string
			ns            float64
			ratio         float64
			bytes, allocs [2]float64
		}{
			{"Decode/size=1k-8", 1234, 1.10, [2]float64{48, 64}, [2]float64{3, 4}},
			{"Decode/a|b_*c*-8", 81234, 1.00, [2]float64{48, 48}, [2]float64{3, 3}},
			{"Encode-8", 17.2, 0.7, [2]float64{0, 16}, [2]float64{0, 1}},
		} {
			for v := range versions {
				i := min(v, 1)
				ns := b.ns * math.Pow(b.ratio, float64(i)) * math.Exp(0.02*r.NormFloat64())
				add(d, v, round, b.name, ns*1e-9, "sec/op", b.bytes[i], "B/op", b.allocs[i],
					"allocs/op")
			}
		}
	}
	return d
}

// changed returns benchmarks of which the ratios within rounds are 1.1, too far apart, and so many
// times 1.
func changed(rounds, same int) *measure.Data {
	d := measure.New("old", "new")
	ratios := map[string][]float64{"Slower-8": {1.09, 1.10, 1.11}, "Noisy-8": {0.3, 3}}
	for i := range same {
		ratios[fmt.Sprintf("Same%d-8", i)] = []float64{0.98, 1.02}
	}
	for round := range rounds {
		for name, ratio := range ratios {
			for v, ns := range []float64{100, 100 * ratio[round%len(ratio)]} {
				add(d, v, round, name, ns*1e-9, "sec/op", 1e9/ns, "B/s", 3.0, "allocs/op")
			}
		}
	}
	return d
}

// hidden returns a benchmark whose ratio is 1.1, and chance hides it; one that has become slower
// by its CPU time, while its time varies; and one with both measures, which agree.
func hidden() *measure.Data {
	d := measure.New("old", "new")
	for round := range 12 {
		wide := []float64{1.0, 1.2, 1.1, 0.97, 1.18, 1.12, 0.99, 1.21}[round%8]
		load := []float64{1, 3, 0.5, 2, 0.4, 1.5}[round%6]
		for v, x := range []float64{1, 1.1} {
			add(d, v, round, "JSON-8", 100e-9*math.Pow(wide, float64(v)), "sec/op")
			wall := 100e-9 * x * math.Pow(load, float64(v))
			add(d, v, round, "Busy-8", wall, "sec/op", 90e-9*x, bench.CPUTime,
				1.0, bench.Threads)
			add(d, v, round, "Calm-8", 100e-9*x, "sec/op", 99e-9*x, bench.CPUTime,
				1.0, bench.Threads)
		}
	}
	return d
}

// written returns what is printed to a file.
func written(t *testing.T, d *measure.Data, width int) string {
	t.Helper()
	var text strings.Builder
	s := ui.To(&text)
	s.Width = width
	Print(s, judge.Judge(&bench.Record{}, d, nil))
	for line := range strings.Lines(text.String()) {
		line = strings.TrimSuffix(line, "\n")
		if ui.Columns(line) > width || strings.HasSuffix(line, " ") ||
			strings.Contains(line, "\x1b") {
			t.Errorf("%d columns, a blank at the end, or a colour: %q", ui.Columns(line), line)
		}
	}
	return text.String()
}

func TestPrint(t *testing.T) {
	t.Setenv("GOMAXPROCS", "8")
	failed := simulated(6, "old.txt", "new.txt")
	add(failed, 0, 0, "Gone-8", 1.0, "sec/op", 1.0, "B/op")
	add(failed, 1, 0, "Fresh-8", 1.0, "sec/op")
	failed.Failures = []report.Failure{{Version: "new.txt", Package: "example.org/p", Name: "Panics-8",
		Reason: "panic: index out of range"}}
	failed.Warnings = []string{"something is odd"}
	for _, c := range []struct {
		d    *measure.Data
		want string
	}{
		{simulated(12, "HEAD~1", "new"), `
Of 3 benchmarks: 1 slower, 1 faster, 2 with more B/op, 2 with more allocs/op.

                     HEAD~1      new            change      95% interval       p
  sec/op
    Decode/a|b_*c*  81.37µs  81.64µs  +0.35% not shown    [-2.1%, +2.9%]   0.677
    Decode/size=1k  1.243µs  1.359µs      +9.3% slower   [+8.0%, +11.4%]  <0.001
    Encode          17.37ns  12.02ns     -30.9% faster  [-32.1%, -29.5%]  <0.001
  B/op
    Decode/size=1k       48       64       +33.3% more
    Encode                0       16              more
    1 other: no change
  allocs/op
    Decode/size=1k        3        4       +33.3% more
    Encode                0        1              more
    1 other: no change

`},
		{simulated(12, "now"), `                        sec/op  B/op  allocs/op   n
  Decode/a|b_*c*  81.59µ ±0.8%    48          3  12
  Decode/size=1k  1.218µ ±2.7%    48          3  12
  Encode          17.27n ±3.0%     0          0  12

`},
		{failed, "Only in old.txt: Gone.\nOnly in new.txt: Fresh.\n"},
		{failed, "Failed\n  example.org/p.Panics-8 (new.txt): panic: index out " +
			"of range\n"},
		{failed, "Note: something is odd\n"},
		{changed(20, 1), "Of 3 benchmarks: 1 slower; 1 inconclusive.\n"},
		// throughput is the same finding
		{changed(20, 1), `  sec/op
    Noisy   100.0ns  94.87ns   -5.1% too noisy  [-70.0%, +200.0%]   0.064
    Same0   100.0ns  99.98ns  -0.02% not shown     [-2.0%, +2.0%]   0.064
    Slower  100.0ns  110.0ns     +10.0% slower    [+9.5%, +10.5%]  <0.001

No change shown: allocs/op of 3.
`},
		{hidden(), "Of 3 benchmarks: 2 slower.\n"},
		{hidden(), `  sec/op
    Busy (CPU)  90.00ns  99.00ns    +10.0% slower  [+10.0%, +10.0%]  <0.001
    Calm        100.0ns  110.0ns    +10.0% slower  [+10.0%, +10.0%]  <0.001
    JSON        100.0ns  108.6ns  +8.5% not shown      [0%, +15.4%]   0.064

(CPU): by CPU time, because the time varies more.
`},
		// p is 0.03 and 0.000002, of 32 verdicts
		{changed(6, 30), "0.031*\n"},
		{changed(6, 30), "\n" + asterisk + "\n"},
		{changed(20, 30), "  <0.001\n"},
	} {
		if got := "\n" + written(t, c.d, 100); !strings.Contains(got, c.want) {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
	if got := written(t, simulated(3, "old", "new"),
		70); !strings.Contains(got, "needs 6 values") {
		t.Errorf("got\n%s", got)
	}
}

// What is the same within 1 % is no row of its own.
func TestPrint_hardlyAllocated(t *testing.T) {
	d := measure.New("old", "new")
	for round := range 12 {
		for v := range 2 {
			n := 18850 + float64((round*7+v*5)%9)
			add(d, v, round, "Send-8", n, "B/op", 3.0, "allocs/op")
		}
	}
	got := written(t, d, 80)
	if !strings.Contains(got, "No change shown: B/op of 1, allocs/op of 1.\n") {
		t.Errorf("got\n%s", got)
	}
}

func TestPrinter_name(t *testing.T) {
	for _, c := range []struct{ cpu, module, packages, want string }{
		{"8", "m", "m/a m/a", "X X"},
		{"4,8", "m", "m/a m/a", "X-8 X-8"},
		{"1", "m", "m/a m/a", "X-8 X-8"},
		{"8", "m", "m/a m/b/c", "a.X b/c.X"},
		{"8", "h/m", "h/m h/m/b", "m.X b.X"},
		{"8", "one, other", "one other", "one.X other.X"},
	} {
		table, got := bench.Table{Unit: "sec/op"}, []string{}
		for _, pkg := range strings.Fields(c.packages) {
			table.Rows = append(table.Rows, bench.Row{Package: pkg, Name: "X-8"})
		}
		r := bench.Report{Comparison: &bench.Comparison{Tables: []bench.Table{table}}}
		r.Module = c.module
		if err := r.Settings.CPU.Set(c.cpu); err != nil {
			t.Fatal(err)
		}
		for _, row := range table.Rows {
			got = append(got, printer{Report: &r}.name(row))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
