package stats_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// result returns one of a benchmark with values in turn with their units, which are tidied.
func result(name string, values ...any) *benchfmt.Result {
	r := &benchfmt.Result{Name: benchfmt.Name(name), Iters: 1}
	for i := 0; i < len(values); i += 2 {
		r.Values = append(r.Values, benchfmt.Value{Value: values[i].(float64), Unit: values[i+1].(string)})
	}
	return r
}

// paired returns results of benchmark A in one unit: in each round old[i] and new[i].
func paired(unit string, old, new []float64) *stats.Data {
	d := stats.New("old", "new")
	for i := range old {
		d.Add(0, i, result("A", old[i], unit))
		d.Add(1, i, result("A", new[i], unit))
	}
	return d
}

// apart returns the same without rounds.
func apart(unit string, old, new []float64) *stats.Data {
	d := stats.New("old", "new")
	for _, x := range old {
		d.Add(0, -1, result("A", x, unit))
	}
	for _, x := range new {
		d.Add(1, -1, result("A", x, unit))
	}
	return d
}

// only returns the difference of the only benchmark.
func only(t *testing.T, d *stats.Data) stats.Delta {
	t.Helper()
	c := d.Compare()
	if len(c.Tables) != 1 || len(c.Tables[0].Rows) != 1 {
		t.Fatalf("%d tables", len(c.Tables))
	}
	return c.Tables[0].Rows[0].Deltas[1]
}

func TestPairsSeeThroughDrift(t *testing.T) {
	var old, new []float64
	for i := range 10 {
		drift := math.Pow(1.3, float64(i)) // the machine slows down all the time
		old, new = append(old, drift), append(new, drift*(1.05+0.001*float64(i%3)))
	}
	if d := only(t, paired("sec/op", old, new)); d.Verdict != stats.Worse || d.Method != stats.Pairs || math.Abs(d.Estimate-1.051) > 0.001 {
		t.Errorf("paired: %+v", d)
	}
	if d := only(t, apart("sec/op", old, new)); d.Verdict != stats.Unseen || d.Method != stats.Ranks {
		t.Errorf("not paired: %+v", d)
	}
}

func TestTheSameResultsToAnotherVersion(t *testing.T) {
	values := [3][]float64{{1, 2, 3, 4, 5, 6}, {1.1, 2.3, 3.2, 4.5, 5.3, 6.7}, {0.9, 1.9, 2.5, 4.1, 4.7, 5.8}}
	d, want := stats.New("a", "b", "c"), stats.New("b", "a", "c")
	for round := range 6 {
		for v, w := range []int{1, 0, 2} {
			d.Add(v, round, result("A", values[v][round], "sec/op"))
			want.Add(w, round, result("A", values[v][round], "sec/op"))
		}
	}
	c := d.Compare()
	got := c.To("b")
	if b := want.Compare(); !slices.Equal(got.Versions, b.Versions) || !reflect.DeepEqual(got.Tables, b.Tables) || got.Family != b.Family {
		t.Errorf("%+v, want %+v", got, b)
	}
	if again := d.Compare(); !reflect.DeepEqual(c, again) {
		t.Errorf("it has changed what it was asked about: %+v, was %+v", c, again)
	}
	if c.To("d") != nil {
		t.Error("there is no d")
	}
}
