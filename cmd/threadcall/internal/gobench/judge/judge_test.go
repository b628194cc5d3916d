package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
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

// paired returns results of benchmark A in one unit: in each round old[i] and new[i].
func paired(unit string, old, new []float64) *measure.Data {
	d := measure.New("old", "new")
	for i := range old {
		add(d, 0, i, "A", old[i], unit)
		add(d, 1, i, "A", new[i], unit)
	}
	return d
}

func comparison(d *measure.Data) *bench.Comparison {
	return Judge(&bench.Record{}, d, nil).Comparison
}

// only returns the difference of the only benchmark.
func only(t *testing.T, d *measure.Data) bench.Delta {
	t.Helper()
	c := comparison(d)
	if len(c.Tables) != 1 || len(c.Tables[0].Rows) != 1 {
		t.Fatalf("%d tables", len(c.Tables))
	}
	return c.Tables[0].Rows[0].Delta
}

func TestCompare_drift(t *testing.T) {
	var old, new []float64
	for i := range 10 {
		drift := math.Pow(1.3, float64(i)) // the machine slows down all the time
		old, new = append(old, drift), append(new, drift*(1.05+0.001*float64(i%3)))
	}
	pairs := paired("sec/op", old, new)
	add(pairs, 0, 10, "A", 100.0, "sec/op") // of a round that was interrupted
	d := only(t, pairs)
	if d.Verdict != bench.Worse || d.Method != bench.Pairs || d.N != 10 ||
		math.Abs(d.Estimate-1.051) > 0.001 {
		t.Errorf("paired: %+v", d)
	}
}

func TestCompare_counts(t *testing.T) {
	for _, c := range []struct {
		unit     string
		n        int
		old, new float64
		verdict  bench.Verdict
		method   bench.Method
	}{
		{"allocs/op", 4, 3, 4, bench.Worse, bench.Exactly},
		{"B/op", 10, 64, 48, bench.Better, bench.Exactly},
		{"allocs/op", 10, 0, 3, bench.Worse, bench.Exactly},
		{"allocs/op", 1, 3, 3, bench.Equal, bench.Exactly},
		{"allocs/op", 10, 0, 0, bench.Equal, bench.Exactly},
		{"allocs/op", 3, 3, 4, bench.TooFew, bench.Pairs}, // which may be chance
		// so may five times, for what is not known to be exact
		{"retries", 5, 3, 4, bench.TooFew, bench.Pairs},
		{"retries", 6, 3, 4, bench.Changed, bench.Pairs},
	} {
		d := only(t, paired(c.unit, slices.Repeat([]float64{c.old}, c.n),
			slices.Repeat([]float64{c.new}, c.n)))
		if d.Verdict != c.verdict || d.Method != c.method {
			t.Errorf("%d times %v and %v %s: %s by %s, want %s by %s", c.n, c.old, c.new, c.unit,
				d.Verdict, d.Method, c.verdict, c.method)
		}
		if zero := c.old == 0; d.Absolute != zero || zero && d.Estimate != c.new-c.old {
			t.Errorf("%v → %v: %+v", c.old, c.new, d)
		}
	}
}

func TestCompare_odd(t *testing.T) {
	d := only(t, paired("balance", []float64{-3, -2, -1, 0, 1, 2}, []float64{-2, -0.5, 0.5, 1, 2.5,
		3}))
	if !d.Absolute || d.Verdict != bench.Changed || d.Estimate != 1.25 ||
		*d.Interval != (bench.Interval{Low: 1, High: 1.5}) {
		t.Errorf("without ratios: %+v %+v", d, d.Interval)
	}
	c := comparison(paired("sec/op", []float64{1, 2, 3, math.NaN(), math.Inf(1), 1e200, 1e-200},
		[]float64{2, 4, 6, 8, 10, 12, 14}))
	if n := c.Tables[0].Rows[0].Cells[0].N; n != 3 || len(c.Warnings) != 4 {
		t.Errorf("%d values, warnings %q", n, c.Warnings)
	}
	if _, err := json.Marshal(c); err != nil {
		t.Error(err)
	}
}

func TestCompare_holm(t *testing.T) {
	// With ten rounds p is 0.002 if all agree and 0.021 if one does not.
	for _, c := range []struct {
		down []int  // of each benchmark, the rounds in which the new version is faster
		want [2]int // visible, and with the others
	}{
		{[]int{1}, [2]int{1, 1}},
		{[]int{0, 1}, [2]int{2, 2}},       // 0.002 <= 0.05/2, 0.021 <= 0.05
		{[]int{0, 1, 1}, [2]int{3, 3}},    // 0.021 <= 0.05/2 and 0.05
		{[]int{1, 5, 5, 5}, [2]int{1, 0}}, // 0.021 > 0.05/4
		{[]int{0, 5, 5, 5}, [2]int{1, 1}},
	} {
		d := measure.New("old", "new")
		for i, down := range c.down {
			for round := range 10 {
				factor := 1.1
				if round < down {
					factor = 0.9
				}
				if round >= 7 { // so that the sign test decides
					factor = 10
				}
				add(d, 0, round, fmt.Sprint("B", i), 1+0.01*float64(round), "sec/op")
				add(d, 1, round, fmt.Sprint("B", i), factor*(1+0.01*float64(round)), "sec/op")
			}
		}
		var got [2]int
		for _, r := range comparison(d).Tables[0].Rows {
			if r.Delta.Visible() {
				got[0]++
			}
			if r.Delta.Holm {
				got[1]++
			}
		}
		if got != c.want {
			t.Errorf("%v: %v, want %v", c.down, got, c.want)
		}
	}
}

func TestCompare_order(t *testing.T) {
	d := measure.New("now")
	for _, name := range []string{"B/n=64", "B/n=8", "A", "B/n=008/x", "B"} {
		add(d, 0, 0, name, 1.0, "sec/op")
	}
	var names []string
	for _, row := range comparison(d).Tables[0].Rows {
		names = append(names, row.Name)
	}
	if fmt.Sprint(names) != "[A B B/n=8 B/n=008/x B/n=64]" {
		t.Errorf("%q", names)
	}
}

func TestTable_words(t *testing.T) {
	interval := func(low, high float64) *bench.Interval {
		return &bench.Interval{Low: low, High: high}
	}
	for _, c := range []struct {
		unit   string
		better int
		d      bench.Delta
		want   string
	}{
		{"sec/op", -1, bench.Delta{Verdict: bench.Worse, Estimate: 1.054,
			Interval: interval(1.04, 1.131)},
			"+5.4% [+4.0%, +13.1%] slower"},
		{"sec/op", -1, bench.Delta{Verdict: bench.Better, Estimate: 0.005,
			Interval: interval(0.004, 0.006)},
			"1/200 [1/250, 1/167] faster"},
		{"sec/op", -1, bench.Delta{Verdict: bench.Worse, Estimate: 212, Interval: interval(9, 230)},
			"×212 [×9, ×230] slower"},
		{"B/s", 1, bench.Delta{Verdict: bench.Better, Estimate: 1.2, Interval: interval(1.1, 1.3)},
			"+20.0% [+10.0%, +30.0%] faster"},
		{"allocs/op", -1, bench.Delta{Verdict: bench.Worse, Absolute: true, Estimate: 3}, "+3  more"},
		{"B/op", -1, bench.Delta{Verdict: bench.Better, Estimate: 0.75}, "-25.0%  less"},
		{"hits/op", 1, bench.Delta{Verdict: bench.Better, Estimate: 1.1}, "+10.0%  better"},
		{"hits/op", 0, bench.Delta{Verdict: bench.Changed, Estimate: 1.1}, "+10.0%  more"},
		{"sec/op", -1, bench.Delta{Verdict: bench.Unseen, Estimate: 1.00001, Interval: interval(0.98, 1)},
			"0% [-2.0%, 0%] "},
	} {
		table := bench.Table{Unit: c.unit, Better: c.better}
		if got := table.Change(c.d) + " " + table.Range(c.d) + " " +
			table.Word(c.d); got != c.want {
			t.Errorf("%+v: %q, want %q", c.d, got, c.want)
		}
	}
}

// TestCheck compares ten rounds of an old and a new version, in which the question mark is the
// number of the round, and the exclamation mark another order of these.
func TestCheck(t *testing.T) {
	for _, c := range []struct{ old, new, limits, want string }{
		{"10? ns/op", "12? ns/op", "+5%", "X-2, ns/op: +19"},
		{"10? ns/op", "12? ns/op", "ns/op:+5%", "X-2, ns/op: +19"},
		{"12? ns/op", "10? ns/op", "+5%", ""},
		{"12? MB/s", "10? MB/s", "+5%", "MB/s: -16"},
		{"12? MB/s", "10? MB/s", "MB/s:-5%", "MB/s: -16"},
		{"10? things", "12? things", "+5%", ""}, // it is not known whether that is worse
		{"10? things", "12? things", "things:+5%", "things: +19"},
		{"0 allocs/op", "3 allocs/op", "allocs/op:+0%", "allocs/op: from nothing"},
		{"20 allocs/op", "23 allocs/op", "allocs/op:+15%", "allocs/op: +15.00 %"},
		{"1?1 ns/op", "1!1 ns/op", "+5%", "undecided"},
		{"10? ns/op 10 MB/s", "12? ns/op 8 MB/s", "+10%", "+10%: X-2, ns/op: +19"},
		{"10? ns/op", "12? ns/op", "allocs/op:+0%", "they report ns/op"},
		{"10? ns/op 10? instructions/op", "10? ns/op 12? instructions/op", "+5%", ""},
		{"10? ns/op 10? instructions/op", "10? ns/op 12? instructions/op", "instructions/op:+5%",
			"X-2, instructions/op: +19"},
		// the verdict about the time rests on CPU time
		{"1?0 ns/op 50 cpu-ns/op 1 runnable-threads", "1!00 ns/op 500 cpu-ns/op 1 runnable-threads",
			"+100%", "X-2, cpu-ns/op: +900"},
		{"1?0 ns/op 50 cpu-ns/op 1 runnable-threads", "1!00 ns/op 500 cpu-ns/op 1 runnable-threads",
			"ns/op:+100%", "X-2, ns/op: +900"},
		{"1?0 ns/op 50 cpu-ns/op 1 runnable-threads", "1!0 ns/op 50 cpu-ns/op 1 runnable-threads",
			"ns/op:+100%", ""},
		// a limit of the unit replaces one of all
		{"10? ns/op", "12? ns/op", "ns/op:+30% +5%", ""},
	} {
		d := measure.New("old", "new")
		for round := range 10 {
			for v, text := range []string{c.old, c.new} {
				text = strings.NewReplacer("?", fmt.Sprint(round), "!", fmt.Sprint(7*round%10)).Replace(text)
				lines, _, _ := gotest.ParseResults("BenchmarkX-2 100 " + text + "\n")
				d.Add(v, round, "", lines[0])
			}
		}
		var limits []plan.Limit
		for _, text := range strings.Fields(c.limits) {
			l, err := plan.ParseLimit(text)
			if err != nil {
				t.Fatal(err)
			}
			limits = append(limits, l)
		}
		r := Judge(&bench.Record{}, d, limits)
		got := fmt.Sprint(errors.Join(Broken(r.Breaches), d.Lacks(limits)))
		if len(r.Undecided) > 0 {
			got += "undecided"
		}
		if !strings.Contains(got, c.want) || c.want == "" && got != "<nil>" {
			t.Errorf("%s → %s, %s: %s, want %s", c.old, c.new, c.limits, got, c.want)
		}
	}
}
