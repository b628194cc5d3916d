package judge

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/stats"
)

// add adds values in turn with their units, which are tidied, of a benchmark in a round.
func add(d *measure.Data, version, round int, name string, values ...any) {
	r := &benchfmt.Result{Name: benchfmt.Name(name), Iters: 1}
	for i := 0; i < len(values); i += 2 {
		r.Values = append(r.Values, benchfmt.Value{Value: values[i].(float64),
			Unit: values[i+1].(string)})
	}
	d.Add(version, measure.Place{Round: round}, r)
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

// only returns the difference of the only benchmark.
func only(t *testing.T, d *measure.Data) Delta {
	t.Helper()
	c := Compare(d)
	if len(c.Tables) != 1 || len(c.Tables[0].Rows) != 1 {
		t.Fatalf("%d tables", len(c.Tables))
	}
	return c.Tables[0].Rows[0].Deltas[1]
}

func TestCompare_drift(t *testing.T) {
	var old, new []float64
	apart := measure.New("old", "new")
	for i := range 10 {
		drift := math.Pow(1.3, float64(i)) // the machine slows down all the time
		old, new = append(old, drift), append(new, drift*(1.05+0.001*float64(i%3)))
		add(apart, 0, -1, "A", old[i], "sec/op")
		add(apart, 1, -1, "A", new[i], "sec/op")
	}
	pairs := paired("sec/op", old, new)
	add(pairs, 0, 10, "A", 100.0, "sec/op") // of a round that was interrupted
	d := only(t, pairs)
	if d.Verdict != Worse || d.Method != Pairs || d.N != 10 || math.Abs(d.Estimate-1.051) > 0.001 {
		t.Errorf("paired: %+v", d)
	}
	if d := only(t, apart); d.Verdict != Unseen || d.Method != Ranks {
		t.Errorf("not paired: %+v", d)
	}
}

func TestCompare_counts(t *testing.T) {
	for _, c := range []struct {
		unit     string
		n        int
		old, new float64
		verdict  Verdict
		method   Method
	}{
		{"allocs/op", 4, 3, 4, Worse, Exactly},
		{"B/op", 10, 64, 48, Better, Exactly},
		{"allocs/op", 10, 0, 3, Worse, Exactly},
		{"allocs/op", 1, 3, 3, Equal, Exactly},
		{"allocs/op", 10, 0, 0, Equal, Exactly},
		{"allocs/op", 3, 3, 4, TooFew, Pairs}, // three times 3 and three times 4 may be chance
		// so may five times, for what is not known to be exact
		{"retries", 5, 3, 4, TooFew, Pairs},
		{"retries", 6, 3, 4, Changed, Pairs},
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
	if !d.Absolute || d.Verdict != Changed || d.Estimate != 1.25 ||
		*d.Interval != (stats.Interval{Low: 1, High: 1.5}) {
		t.Errorf("without ratios: %+v %+v", d, d.Interval)
	}
	c := Compare(paired("sec/op", []float64{1, 2, 3, math.NaN(), math.Inf(1), 1e200, 1e-200},
		[]float64{2, 4, 6, 8, 10, 12, 14}))
	if n := c.Tables[0].Rows[0].Cells[0].N; n != 3 || len(c.Warnings) != 4 {
		t.Errorf("%d values, warnings %q", n, c.Warnings)
	}
	if _, err := json.Marshal(c); err != nil {
		t.Error(err)
	}
}

func TestDelta_mde(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	missed := 0
	for range 200 {
		var old, new []float64
		for range 6 + r.IntN(20) {
			old, new = append(old, math.Exp(0.1*r.NormFloat64())), append(new,
				math.Exp(0.1*r.NormFloat64()))
		}
		d := only(t, paired("sec/op", old, new))
		moved := func(estimate float64) bool {
			xs := slices.Clone(new)
			for i := range xs {
				xs[i] *= estimate / d.Estimate
			}
			return only(t, paired("sec/op", old, xs)).Visible()
		}
		size, less := 1+d.MDE, 1+0.99*d.MDE
		if !moved(size*1.0001) || !moved(1/size/1.0001) || moved(less) && moved(1/less) {
			missed++
		}
	}
	if missed > 30 { // with a change, the other test of pairs may be the one for their sizes
		t.Errorf("%d of 200", missed)
	}
}

func TestComparison_Family(t *testing.T) {
	// many returns benchmarks, of which the new version takes longer in all rounds but down.
	many := func(rounds int, down ...int) *measure.Data {
		d := measure.New("old", "new")
		for i, n := range down {
			for round := range rounds {
				factor := 1.1
				if round < n {
					factor = 0.9
				}
				if round >= rounds-3 { // so that the sign test decides
					factor = 10
				}
				base := 1 + 0.01*float64(round)
				add(d, 0, round, fmt.Sprint("B", i), base, "sec/op")
				add(d, 1, round, fmt.Sprint("B", i), base*factor, "sec/op")
			}
		}
		return d
	}
	for _, c := range []struct {
		d                         *measure.Data
		tests, visible, confirmed int
	}{
		// With ten rounds p is 0.002 if all agree and 0.021 if one does not.
		{many(10, 1), 1, 1, 1},
		{many(10, 0, 1), 2, 2, 2},       // 0.002 <= 0.05/2, 0.021 <= 0.05
		{many(10, 0, 1, 1), 3, 3, 3},    // 0.021 <= 0.05/2 and 0.05
		{many(10, 1, 5, 5, 5), 4, 1, 0}, // 0.021 > 0.05/4
		{many(10, 0, 5, 5, 5), 4, 1, 1},
		{many(5, 0, 0), 0, 0, 0},
	} {
		want := Family{c.tests, c.visible, 0.05 * float64(c.tests), c.confirmed}
		f := Compare(c.d).Family
		if math.Abs(f.Expected-want.Expected) < 1e-9 {
			f.Expected = want.Expected
		}
		if f != want {
			t.Errorf("%+v, want %+v", f, want)
		}
	}
}

func TestTable_Geomean(t *testing.T) {
	d := measure.New("old", "new")
	for round := range 6 {
		drift := math.Pow(2, float64(round))
		for name, ratio := range map[string]float64{"A": 2, "B": 8} {
			add(d, 0, round, name, drift, "sec/op", 2.0, "allocs/op")
			add(d, 1, round, name, drift*ratio*(1+0.001*float64(round)), "sec/op", 4.0, "allocs/op")
		}
		for v, allocs := range []float64{0, 3} { // without a ratio
			add(d, v, round, "C", allocs, "allocs/op")
			add(d, v, round, "D", 0.0, "allocs/op")
		}
	}
	add(d, 0, 6, "A", 1.0, "sec/op") // without B
	add(d, 1, 6, "A", 1.0, "sec/op")
	c := Compare(d)
	if m := c.Tables[0].Geomean[1]; m.N != 6 || m.Over != 2 || m.Verdict != Worse ||
		math.Abs(m.Estimate-4.01) > 1e-3 || math.Abs(m.Interval.Low-4) > 1e-9 ||
		math.Abs(m.Interval.High-4.02) > 1e-9 {
		t.Errorf("%+v %+v", m, m.Interval)
	}
	if m := c.Tables[1].Geomean[1]; m.Over != 3 || math.Abs(m.Estimate-math.Cbrt(4)) > 1e-9 ||
		m.Method != Exactly {
		t.Errorf("%+v", m)
	}
}

func TestAnalyse_columns(t *testing.T) {
	run, file := measure.New("now"), measure.New("now")
	// as chance has ordered them
	for _, name := range []string{"B/n=64", "B/n=8", "A", "B/n=008/x", "B"} {
		add(run, 0, 0, name, 1.0, "sec/op")
		add(file, 0, -1, name, 1.0, "sec/op")
	}
	for d, want := range map[*measure.Data]string{run: "[A B B/n=8 B/n=008/x B/n=64]",
		file: "[B/n=64 B/n=8 A B/n=008/x B]"} {
		var names []string
		for _, row := range Compare(d).Tables[0].Rows {
			names = append(names, row.Name)
		}
		if fmt.Sprint(names) != want {
			t.Errorf("%q, want %s", names, want)
		}
	}
	d, two := measure.New("now"), measure.New("a", "b")
	for round := range 6 {
		for i, subject := range []string{"threadcall", "channel"} {
			value := float64(30+round) * math.Pow(10, float64(i))
			for v, data := range []*measure.Data{two, two, d} {
				add(data, v%2, round, "Call/subject="+subject+"/load=hot-2", value, "sec/op")
			}
		}
		add(d, 0, round, "Other-2", 5.0, "sec/op")
	}
	for _, c := range []struct {
		d           *measure.Data
		col, filter string
		want        string // the versions, or an error
	}{
		{d, "/subject", "", "[channel threadcall]"},
		{d, "/subject@(threadcall channel)", "", "[threadcall channel]"},
		{two, ".file,/subject", "", "[a channel a threadcall b channel b threadcall]"},
		{d, "", "/subject:channel", "[now]"},
		{d, "/nothing", "", "no result has that; the keys are .name, /subject, /load, /gomaxprocs"},
		{d, "/load", "", "the same value, hot"},
		{d, "/subject@", "", "-col: "},
		{two, "/subject", "", "-col '.file,/subject'"},
		{d, "", ".name:Nothing", "matches none of the 18 results"},
	} {
		got, err := Analyse(c.d, &plan.Settings{Col: c.col, Filter: c.filter})
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("-col %s -filter %s: %v", c.col, c.filter, err)
			}
		} else if fmt.Sprint(got.Versions) != c.want {
			t.Errorf("-col %s -filter %s: %q", c.col, c.filter, got.Versions)
		} else if c.col == "/subject" {
			row := got.Tables[0].Rows[0]
			if row.Name != "Call/load=hot-2" || row.Deltas[1].Verdict != Better ||
				row.Deltas[1].Method != Pairs || !strings.Contains(strings.Join(got.Warnings, ""),
				"6 results have no /subject") {
				t.Errorf("%+v, %q", row, got.Warnings)
			}
		}
	}
}

func TestTable_words(t *testing.T) {
	interval := func(low, high float64) *stats.Interval {
		return &stats.Interval{Low: low, High: high}
	}
	for _, c := range []struct {
		unit   string
		better int
		d      Delta
		want   string
	}{
		{"sec/op", -1, Delta{Verdict: Worse, Estimate: 1.054, Interval: interval(1.04, 1.131)},
			"+5.4% [+4.0%, +13%] slower"},
		{"sec/op", -1, Delta{Verdict: Better, Estimate: 0.005, Interval: interval(0.004, 0.006)},
			"1/200 [1/250, 1/167] faster"},
		{"sec/op", -1, Delta{Verdict: Worse, Estimate: 212, Interval: interval(9, 230)},
			"×212 [×9.0, ×230] slower"},
		{"B/s", 1, Delta{Verdict: Better, Estimate: 1.2, Interval: interval(1.1, 1.3)},
			"+20.0% [+10%, +30%] faster"},
		{"allocs/op", -1, Delta{Verdict: Worse, Absolute: true, Estimate: 3}, "+3  more"},
		{"B/op", -1, Delta{Verdict: Better, Estimate: 0.75}, "-25.0%  less"},
		{"hits/op", 1, Delta{Verdict: Better, Estimate: 1.1}, "+10.0%  better"},
		{"hits/op", 0, Delta{Verdict: Changed, Estimate: 1.1}, "+10.0%  more"},
		{"sec/op", -1, Delta{Verdict: Unseen, Estimate: 1.00001, Interval: interval(0.98, 1)},
			"0% [-2.0%, 0%] "},
	} {
		table := Table{Unit: c.unit, Better: c.better}
		if got := table.Change(c.d) + " " + table.Range(c.d) + " " +
			table.Word(c.d); got != c.want {
			t.Errorf("%+v: %q, want %q", c.d, got, c.want)
		}
	}
}
