package digest_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/digest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// A change is what happens to the time of a benchmark: each round's ratio is one of these, in turn.
type change struct {
	name   string
	ratios []float64
}

// results returns twenty rounds of these.
func results(pkg string, rounds int, changes ...change) *stats.Data {
	d := stats.New("old", "new")
	for round := range rounds {
		for _, c := range changes {
			for v, ns := range []float64{100, 100 * c.ratios[round%len(c.ratios)]} {
				r := &benchfmt.Result{Name: benchfmt.Name(c.name), Iters: 1, Values: []benchfmt.Value{
					{Value: ns * 1e-9, Unit: "sec/op"}, {Value: 1e9 / ns, Unit: "B/s"}, {Value: 3, Unit: "allocs/op"}}}
				r.SetConfig("pkg", pkg)
				d.Add(v, round+1, r)
			}
		}
	}
	return d
}

var (
	slower = change{"Slower-8", []float64{1.09, 1.10, 1.11}}
	same   = change{"Same-8", []float64{0.98, 1.02}}
	noisy  = change{"Noisy-8", []float64{0.3, 3}}
)

func TestWhatHasChangedHasRowsAndTheRestALine(t *testing.T) {
	x := digest.Of(results("p", 20, slower, same, noisy).Compare(), 1, false)
	if want := "Of 3 benchmarks: 1 slower; 1 inconclusive."; x.Headline != want {
		t.Errorf("%q, want %q", x.Headline, want)
	}
	if len(x.Sections) != 1 || x.Sections[0].Unit != "sec/op" {
		t.Fatalf("sections %+v: throughput is the same finding as the time", x.Sections)
	}
	s := x.Sections[0]
	if len(s.Rows) != 2 || s.Rows[0].Name != "Slower" || s.Rows[0].Word != "slower" || s.Rows[0].Note != "9.537Mi → 8.670Mi B/s" ||
		!s.Rows[1].Mean {
		t.Errorf("rows %+v", s.Rows)
	}
	want := []string{"1 other unchanged (minimum detectable effect 2.1 %)", "1 inconclusive, too noisy (minimum detectable effect above 50 %): Noisy"}
	if len(s.Rest) != 2 || s.Rest[1] != want[1] || !strings.HasPrefix(s.Rest[0], "1 other unchanged (minimum detectable effect ") {
		t.Errorf("rest %q, want such as %q", s.Rest, want)
	}
	if x.Unchanged != "Unchanged: allocs/op of 3." {
		t.Errorf("unchanged: %q", x.Unchanged)
	}
}

func TestWithAllEveryRowIsThere(t *testing.T) {
	x := digest.Of(results("p", 20, slower, same, noisy).Compare(), 1, true)
	var words []string
	for _, s := range x.Sections {
		for _, r := range s.Rows {
			if r.Name != "Slower" && !r.Mean {
				words = append(words, strings.Fields(r.Word)[0])
			}
		}
	}
	if got, want := fmt.Sprint(words), "[too MDE too MDE equal equal]"; got != want {
		t.Errorf("%s, want %s: %+v", got, want, x.Sections)
	}
}

func TestTooFewValuesAreShownWithoutAVerdict(t *testing.T) {
	x := digest.Of(results("p", 3, slower).Compare(), 1, false)
	if r := x.Sections[0].Rows[0]; r.Word != "needs 6 values" || r.Change != "" || r.Old != "100.0ns" || !strings.HasSuffix(x.Headline, "inconclusive.") {
		t.Errorf("%q, %+v", x.Headline, r)
	}
}

func TestAnAsteriskMarksWhatDoesNotHoldTogether(t *testing.T) {
	all := []change{slower}
	for i := range 30 {
		all = append(all, change{fmt.Sprintf("Same%d-8", i), []float64{0.98, 1.02}})
	}
	for rounds, want := range map[int]bool{6: true, 20: false} { // p is 0.03 and 0.000002, of 31 verdicts
		x := digest.Of(results("p", rounds, all...).Compare(), 1, false)
		if got := strings.HasSuffix(x.Sections[0].Rows[0].P, "*"); got != want || x.Asterisks != want {
			t.Errorf("%d rounds: asterisk %v, want %v", rounds, got, want)
		}
	}
}

func TestNamesAreShort(t *testing.T) {
	for _, c := range []struct{ packages, names, want []string }{
		{[]string{"m/a", "m/a"}, []string{"X-8", "Y/n=1-8"}, []string{"X", "Y/n=1"}},
		{[]string{"m/a", "m/a"}, []string{"X-8", "X-4"}, []string{"X-8", "X-4"}},
		{[]string{"m/a", "m/b/c"}, []string{"X", "X"}, []string{"a.X", "b/c.X"}},
		{[]string{"h/m", "h/m/b"}, []string{"X-2", "X-2"}, []string{"m.X", "b.X"}},
		{[]string{"one", "other"}, []string{"X-2", "X-2"}, []string{"one.X", "other.X"}},
	} {
		comparison := &stats.Comparison{Versions: []string{"now"}, Tables: []stats.Table{{Unit: "sec/op"}}}
		for i := range c.names {
			comparison.Tables[0].Rows = append(comparison.Tables[0].Rows, stats.Row{Package: c.packages[i], Name: c.names[i]})
		}
		name := digest.Names(comparison)
		for i, row := range comparison.Tables[0].Rows {
			if got := name(row); got != c.want[i] {
				t.Errorf("%s.%s is %q, want %q", row.Package, row.Name, got, c.want[i])
			}
		}
	}
}
