package judge

import (
	"fmt"
	"math"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/measure"
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
	if !d.Visible() {
		return ""
	}
	pick := func(better, worse string) string {
		if d.Verdict == Better {
			return better
		}
		return worse
	}
	per := func(prefix string) bool {
		return t.Unit == prefix || strings.HasPrefix(t.Unit, prefix+"/")
	}
	switch {
	case d.Verdict != Changed && (per("sec") || t.Unit == "B/s"):
		return pick("faster", "slower")
	case d.Verdict == Changed || t.counted() || t.Unit == measure.CPUTime ||
		t.Unit == "user+sys-sec/op":
		if d.Estimate > neutral(d.Absolute) {
			return "more"
		}
		return "less"
	}
	return pick("better", "worse")
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
	if spread := max(i.High/c.Center-1, 1-i.Low/c.Center); spread >= 0.0005 {
		return "±" + Roughly(spread)
	}
	return "±0%"
}

// Change returns the estimate as people write it: +5.4%, and ×12 or 1/12 where a percentage would
// be unreadable. Where no ratio makes sense it is the difference.
func (t *Table) Change(d Delta) string { return t.change(d, d.Estimate, Percent) }

// Range returns the interval in the same way, with fewer digits: [+1.2%, +3.4%].
func (t *Table) Range(d Delta) string {
	if d.Interval == nil {
		return ""
	}
	return "[" + t.change(d, d.Interval.Low, Roughly) + ", " + t.change(d, d.Interval.High,
		Roughly) + "]"
}

func (t *Table) change(d Delta, x float64, percent func(float64) string) string {
	switch {
	case d.Absolute && x == 0:
		return "0"
	case d.Absolute && x > 0:
		return "+" + t.Value(x)
	case d.Absolute:
		return t.Value(x)
	case x >= manifold:
		return "×" + factor(x)
	case x > 0 && x <= 1./manifold:
		return "1/" + factor(1/x)
	}
	return signed(x-1, percent)
}

// manifold is the factor from which on percentages are unreadable: 1/212 says more than -99.53%.
const manifold = 5

func factor(x float64) string {
	if x < 9.95 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

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

// Percent returns 0.0123 as 1.2%.
func Percent(x float64) string { return percent(x, 0.995, 99.5) }

// Roughly is Percent with at most two digits, more only close to -100%.
func Roughly(x float64) string { return percent(x, 0.095, 9.95) }

// percent has two places below the first limit, and one below the second, in percent.
func percent(x, two, one float64) string {
	p := math.Abs(100 * x)
	switch {
	case math.IsInf(p, 0):
		return "∞"
	case p < two || x < 0 && p >= 99.5 && p < 100:
		return fmt.Sprintf("%.2f%%", p)
	case p < one:
		return fmt.Sprintf("%.1f%%", p)
	}
	return fmt.Sprintf("%.0f%%", p)
}

func signed(x float64, percent func(float64) string) string {
	text := percent(x)
	switch {
	case strings.Trim(text, "0.%") == "":
		return "0%"
	case x < 0:
		return "-" + text
	}
	return "+" + text
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

// Procs returns the end of a name such as "-8", which is the number of CPUs.
func Procs(name string) string {
	i := strings.LastIndexByte(name, '-')
	if i < 0 || i+1 == len(name) || strings.Trim(name[i+1:], "0123456789") != "" {
		return ""
	}
	return name[i:]
}
