package session

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// A Limit is a change that must not be: as large as this or larger, and visible.
type Limit struct {
	Unit   string  // as the user writes it; empty: every unit of which it is known what is worse
	Change float64 // relative to old: 0.05 is 5 % more, -0.05 is 5 % less; without a Unit, 0.05 is 5 % worse
	Less   bool    // the direction, which a Change of zero has, too
}

// ParseLimit reads "+5%", which is for all units, or "ns/op:+5%".
func ParseLimit(text string) (Limit, error) {
	bad := func(why string) (Limit, error) {
		return Limit{}, fmt.Errorf("-fail-on %q: %s; write '+5%%' for anything 5 %% worse, or 'ns/op:+5%%' for one unit", text, why)
	}
	var l Limit
	number := text
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		l.Unit, number = text[:i], text[i+1:]
		if l.Unit == "" {
			return bad("there is no unit before the colon")
		}
	}
	digits, ok := strings.CutSuffix(strings.TrimSpace(number), "%")
	if !ok {
		return bad("there is no % sign")
	}
	percent, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if err != nil || math.IsNaN(percent) || math.IsInf(percent, 0) {
		return bad(fmt.Sprintf("%q is not a number", digits))
	}
	l.Change, l.Less = percent/100, strings.HasPrefix(digits, "-")
	if l.Unit == "" {
		if l.Less {
			return bad("without a unit, + means worse, and - makes no sense")
		}
		return l, nil
	}
	if l.Change <= -1 {
		return bad("nothing can become less by so much")
	}
	switch better := (benchfmt.UnitMetadataMap{}).GetBetter(l.Unit); {
	case better < 0 && l.Less:
		return bad(fmt.Sprintf("fewer %s are better, so the sign must be +", l.Unit))
	case better > 0 && !l.Less:
		return bad(fmt.Sprintf("more %s are better, so the sign must be -", l.Unit))
	}
	return l, nil
}

// String returns the limit as ParseLimit reads it.
func (l Limit) String() string {
	sign := "+"
	if l.Less {
		sign = "-"
	}
	text := fmt.Sprintf("%s%s%%", sign, strconv.FormatFloat(math.Abs(l.Change)*100, 'g', 6, 64))
	if l.Unit != "" {
		text = l.Unit + ":" + text
	}
	return text
}

// tidy returns the unit as stats has it.
func (l Limit) tidy() string {
	_, unit := benchunit.Tidy(1, l.Unit)
	return unit
}

// A Case is a row in which a limit is broken, or in which that is undecided.
type Case struct {
	Limit     string  `json:"limit"`
	Unit      string  `json:"unit"`
	Benchmark string  `json:"benchmark"`
	Version   string  `json:"version"`
	Old       string  `json:"old,omitempty"` // the version that it was compared with
	Change    float64 `json:"change"`        // relative; of no meaning with FromZero
	FromZero  bool    `json:"from_zero,omitempty"`
	MDE       float64 `json:"mde,omitempty"` // of an undecided one, the minimum detectable effect, if there is one
}

// units returns an error if a limit is about a unit that is not there.
func units(c *stats.Comparison, limits []Limit) error {
	for _, l := range limits {
		if l.Unit == "" || slices.ContainsFunc(c.Tables, func(t stats.Table) bool { return t.Unit == l.tidy() }) {
			continue
		}
		var have []string
		for _, t := range c.Tables {
			have = append(have, written(t.Unit))
		}
		return fmt.Errorf("-fail-on %s: no benchmark reports %s; they report %s", l, l.Unit, strings.Join(have, ", "))
	}
	return nil
}

// written returns a tidied unit as testing writes it.
func written(unit string) string {
	switch unit {
	case "sec/op":
		return "ns/op"
	case "B/s":
		return "MB/s"
	}
	return unit
}

// Check returns the rows that break the limits: changes that are visible and whose estimate reaches a limit. In undecided
// rows such a change would not have been visible. The error names what broke a limit, or a unit of a limit that nothing was
// measured in.
func Check(c *stats.Comparison, limits []Limit) (breaches, undecided []Case, err error) {
	breaches, undecided = []Case{}, []Case{}
	if err := units(c, limits); err != nil {
		return breaches, undecided, err
	}
	var errs []error
	for _, l := range limits {
		var broken []string
		for _, t := range c.Tables {
			less := l.Less
			if l.Unit == "" {
				less = t.Better > 0
			}
			if l.Unit == "" && t.Better == 0 || l.Unit != "" && t.Unit != l.tidy() {
				continue
			}
			for _, row := range t.Rows {
				for v := 1; v < len(row.Deltas); v++ {
					at := Case{Limit: l.String(), Unit: written(t.Unit), Benchmark: c.FullName(row), Version: c.Versions[v]}
					switch l.judge(&at, row, v, less) {
					case isBroken:
						how := fmt.Sprintf("%+.2f %%", at.Change*100)
						if at.FromZero {
							how = "from nothing"
						}
						broken = append(broken, fmt.Sprintf("%s, %s: %s", at.Benchmark, at.Unit, how))
						breaches = append(breaches, at)
					case isUndecided:
						undecided = append(undecided, at)
					}
				}
			}
		}
		if broken != nil {
			errs = append(errs, fmt.Errorf("-fail-on %s: %s", l, strings.Join(broken, "; ")))
		}
	}
	return breaches, undecided, errors.Join(errs...)
}

const (
	isKept = iota
	isBroken
	isUndecided
)

// rounding is an error that a change may have: 23/20-1 is a little less than 0.15.
const rounding = 1e-12

// judge looks at one version of a row, of which less is worse or more.
func (l Limit) judge(at *Case, row stats.Row, version int, less bool) int {
	d, limit := row.Deltas[version], math.Abs(l.Change)
	change, mde := d.Estimate-1, d.MDE
	if d.Absolute { // relative to what there was, unless that was nothing
		old := row.Cells[0].Center
		at.FromZero = old == 0
		change, mde = d.Estimate/math.Abs(old), d.MDE/math.Abs(old)
	}
	switch {
	case d.Verdict == stats.None || d.Verdict == stats.Equal:
	case d.Verdict == stats.Aside && l.Unit == "": // another unit decides
	case d.Verdict == stats.TooFew:
		return isUndecided
	case d.Visible() && at.FromZero:
		if (d.Estimate < 0) == less {
			return isBroken
		}
	case d.Visible():
		if at.Change = change; (change < 0) == less && math.Abs(change) >= limit-rounding {
			return isBroken
		}
	case at.FromZero && d.MDE > 0:
		return isUndecided
	case !at.FromZero && mde > limit:
		at.MDE = mde
		return isUndecided
	}
	return isKept
}
