package digest

import (
	"fmt"
	"math"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// A rest is the rows of a unit that have no visible change.
type rest struct {
	same     int     // whose change would have been visible
	mde      float64 // the largest of theirs
	worst    string  // the benchmark that has it
	noisy    []string
	detected string // the largest one that is no ratio, in the unit
}

func (r *rest) add(t *stats.Table, name string, d stats.Delta) {
	switch {
	case d.Verdict == stats.Unseen && !d.Absolute && d.MDE > TooNoisy:
		r.noisy = append(r.noisy, name)
	default:
		r.same++
		if d.Verdict == stats.Unseen && d.Absolute && d.MDE > 0 {
			r.detected = t.Detectable(d)
		} else if d.Verdict == stats.Unseen && d.MDE > r.mde {
			r.mde, r.worst = d.MDE, name
		}
	}
}

// quiet reports whether all are unchanged.
func (r *rest) quiet() bool { return len(r.noisy) == 0 }

// largest returns the largest minimum detectable effect, in parentheses.
func (r *rest) largest() string {
	switch {
	case r.mde > 0 && r.same > 1:
		return fmt.Sprintf(" (minimum detectable effect up to %s, %s)", Blank(stats.Percent(ceil(r.mde))), r.worst)
	case r.mde > 0:
		return fmt.Sprintf(" (minimum detectable effect %s)", Blank(stats.Percent(ceil(r.mde))))
	case r.detected != "":
		return " (minimum detectable effect " + r.detected + ")"
	}
	return ""
}

// ceil rounds up to a tenth of a percent: the effect is an upper bound.
func ceil(x float64) float64 { return math.Ceil(x*1000-1e-9) / 1000 }

// lines reports the rest. Others says that there are rows above.
func (r *rest) lines(others bool) (lines []string) {
	count := func(n int) string {
		switch {
		case !others:
			return fmt.Sprint(n)
		case n == 1:
			return "1 other"
		}
		return fmt.Sprintf("%d others", n)
	}
	if r.same > 0 {
		lines = append(lines, count(r.same)+" unchanged"+r.largest())
	}
	if n := len(r.noisy); n > 0 {
		lines = append(lines, fmt.Sprintf("%d inconclusive, too noisy (minimum detectable effect above %.0f %%): %s", n, 100*TooNoisy, some(r.noisy, 6)))
	}
	return lines
}

func some(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
