package bench

import (
	"fmt"
	"math"
	"strings"

	"golang.org/x/perf/benchunit"
)

// The units of time, and those that benchmarks report next to those of package testing.
const (
	WallTime = "sec/op"
	CPUTime  = "cpu-sec/op"
	Threads  = "runnable-threads" // how many ran or were ready to, on average
)

// Value returns x as people write it, with a prefix for the unit: 1.234µ.
func (t *Table) Value(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1000 { // a count
		return fmt.Sprintf("%.0f", x)
	}
	return benchunit.Scale(x, benchunit.ClassOf(t.Unit))
}

// Word returns what a visible change is called: slower, more, better. It is empty if none is
// visible.
func (t *Table) Word(d Delta) string {
	better, worse := "better", "worse"
	switch {
	case !d.Visible():
		return ""
	case d.Verdict == Changed || t.Counted():
		if d.Estimate > d.Neutral() {
			return "more"
		}
		return "less"
	case t.Unit == "B/s" || t.Unit == CPUTime || t.Unit == "sec" ||
		strings.HasPrefix(t.Unit, "sec/"):
		better, worse = "faster", "slower"
	}
	if d.Verdict == Better {
		return better
	}
	return worse
}

// PlusMinus returns how far the interval reaches from the median, relative to that: ±2.7%. It is ±?
// if there is no interval or no ratio, and nothing if all values are the same.
func (c Cell) PlusMinus() string {
	i := c.Interval
	switch {
	case c.N == 0 || c.Exact && c.N > 1:
		return ""
	case i == nil:
		return "±?"
	case i.Low == i.High:
		return "±0%"
	case c.Center <= 0 || i.Low <= 0:
		return "±∞"
	}
	return fmt.Sprintf("±%.1f%%", 100*max(i.High/c.Center-1, 1-i.Low/c.Center))
}

// Change returns the estimate as people write it: +5.4%, and ×12 or 1/12 where a percentage would
// be unreadable. Where no ratio makes sense it is the difference.
func (t *Table) Change(d Delta) string { return t.change(d, d.Estimate) }

// Range returns the interval in the same way: [+1.2%, +3.4%].
func (t *Table) Range(d Delta) string {
	if d.Interval == nil {
		return ""
	}
	return "[" + t.change(d, d.Interval.Low) + ", " + t.change(d, d.Interval.High) + "]"
}

func (t *Table) change(d Delta, x float64) string {
	switch {
	case d.Absolute && x > 0:
		return "+" + t.Value(x)
	case d.Absolute:
		return t.Value(x)
	case x >= manifold:
		return fmt.Sprintf("×%.3g", x)
	case x > 0 && x <= 1./manifold:
		return fmt.Sprintf("1/%.3g", 1/x)
	}
	places := 1
	if math.Abs(x-1) < 0.01 {
		places = 2
	}
	text := fmt.Sprintf("%+.*f%%", places, 100*(x-1))
	if strings.Trim(text, "+-0.%") == "" {
		return "0%"
	}
	return text
}

// manifold is the factor from which on percentages are unreadable: 1/212 says more than -99.53%.
const manifold = 5

// Probability returns the p-value, or nothing if the difference has none.
func (d Delta) Probability() string {
	switch {
	case d.Method == "" || d.Method == Exactly || d.Verdict == TooFew:
		return ""
	case d.P < 0.0005:
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", d.P)
}

// Written returns a tidied unit as testing writes it.
func Written(unit string) string {
	if clock, ok := strings.CutSuffix(unit, "sec/op"); ok { // and cpu-sec/op
		return clock + "ns/op"
	}
	if unit == "B/s" {
		return "MB/s"
	}
	return unit
}

// Counted reports whether the values are numbers of allocated things, which a benchmark repeats
// exactly as a rule.
func (t *Table) Counted() bool { return t.Unit == "B/op" || t.Unit == "allocs/op" }

// Neutral returns the estimate of no difference.
func (d Delta) Neutral() float64 {
	if d.Absolute {
		return 0
	}
	return 1
}

// String returns the benchmark, the unit, and the change.
func (c Case) String() string {
	how := fmt.Sprintf("%+.2f %%", c.Change*100)
	if c.FromZero {
		how = "from nothing"
	}
	return fmt.Sprintf("%s, %s: %s", c.Benchmark, c.Unit, how)
}
