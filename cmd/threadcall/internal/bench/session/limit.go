package session

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// A Limit is a change that must not be: as large as this or larger, and visible.
type Limit struct {
	Name   string // of the benchmarks, a regular expression as for -bench without its levels; empty: all
	match  *regexp.Regexp
	Unit   string  // as the user writes it; empty: every unit of which it is known what is worse
	Change float64 // relative to old: 0.05 is 5 % more, -0.05 is 5 % less; without a Unit, 0.05 is 5 % worse
	Less   bool    // the direction, which a Change of zero has, too
}

// ParseLimit reads "+5%", which is for all units, "ns/op:+5%", or "Parse:ns/op:+5%" and "Parse::+5%", which are for some
// benchmarks.
func ParseLimit(text string) (Limit, error) {
	bad := func(why string) (Limit, error) {
		return Limit{}, fmt.Errorf("-fail-on %q: %s; write '+5%%' for anything 5 %% worse, 'ns/op:+5%%' for one unit, or 'Parse:ns/op:+5%%' for some benchmarks", text, why)
	}
	var l Limit
	number := text
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		l.Unit, number = text[:i], text[i+1:]
		if k := strings.LastIndexByte(l.Unit, ':'); k >= 0 {
			l.Name, l.Unit = l.Unit[:k], l.Unit[k+1:]
		}
		if l.Name == "" && l.Unit == "" {
			return bad("there is no unit before the colon")
		}
		var err error
		if l.match, err = regexp.Compile(l.Name); err != nil {
			return bad(err.Error())
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
	switch {
	case l.Name != "":
		text = l.Name + ":" + l.Unit + ":" + text
	case l.Unit != "":
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

// is reports whether the limit is for this benchmark, under any of the names that people write.
func (l Limit) is(row *stats.Row) bool {
	if l.Name == "" {
		return true
	}
	name := row.Name
	if i := strings.LastIndexByte(name, '-'); i >= 0 && strings.Trim(name[i+1:], "0123456789") == "" {
		name = name[:i] // without the number of CPUs
	}
	return slices.ContainsFunc([]string{name, row.Name, "Benchmark" + name, row.Package + "." + name}, l.match.MatchString)
}

// covers reports whether the limit is for this row of t: that of its unit, or if it names no unit one of which it is known
// what is worse. Throughput is a second view of the time, to which a limit for all units applies already.
func (l Limit) covers(c *stats.Comparison, t *stats.Table, row *stats.Row) bool {
	switch {
	case !l.is(row):
		return false
	case l.Unit == "":
		return t.Better != 0 && !c.Throughput(t, row)
	}
	return t.Unit == l.tidy()
}

// precision orders limits: one for a benchmark replaces those for all, and one for a unit those for all units.
func (l Limit) precision() (p int) {
	if l.Name != "" {
		p += 2
	}
	if l.Unit != "" {
		p++
	}
	return p
}

// found returns an error if a limit is about something that is not there.
func found(c *stats.Comparison, limits []Limit) error {
	for _, l := range limits {
		var units []string
		any, named := false, false
		for i := range c.Tables {
			t := &c.Tables[i]
			units = append(units, written(t.Unit))
			for j := range t.Rows {
				named = named || l.is(&t.Rows[j])
				any = any || l.is(&t.Rows[j]) && (l.Unit == "" || t.Unit == l.tidy())
			}
		}
		switch {
		case any:
		case !named:
			return fmt.Errorf("-fail-on %s: no benchmark matches %s", l, l.Name)
		default:
			return fmt.Errorf("-fail-on %s: no benchmark reports %s; they report %s", l, l.Unit, strings.Join(units, ", "))
		}
	}
	return nil
}

// written returns a tidied unit as testing writes it.
func written(unit string) string {
	if clock, ok := strings.CutSuffix(unit, "sec/op"); ok { // and cpu-sec/op
		return clock + "ns/op"
	}
	if unit == "B/s" {
		return "MB/s"
	}
	return unit
}

// Check returns the rows that break the limits: changes that are visible and whose estimate reaches a limit. In undecided
// rows such a change would not have been visible. The most precise limits for a row decide about it. It is an error if
// nothing was measured that a limit is about.
func Check(c *stats.Comparison, limits []Limit) (breaches, undecided []Case, err error) {
	breaches, undecided = []Case{}, []Case{}
	if err := found(c, limits); err != nil {
		return breaches, undecided, err
	}
	for i := range c.Tables {
		t := &c.Tables[i]
		for j := range t.Rows {
			row := &t.Rows[j]
			for _, l := range decisive(c, t, row, limits) {
				less := l.Less
				if l.Unit == "" {
					less = t.Better > 0
				}
				for v := 1; v < len(row.Deltas); v++ {
					at := Case{Limit: l.String(), Unit: written(t.Unit), Benchmark: c.FullName(*row), Version: c.Versions[v]}
					switch l.judge(&at, *row, v, less) {
					case isBroken:
						breaches = append(breaches, at)
					case isUndecided:
						undecided = append(undecided, at)
					}
				}
			}
		}
	}
	return breaches, undecided, nil
}

// decisive returns the most precise of the limits for a row.
func decisive(c *stats.Comparison, t *stats.Table, row *stats.Row, limits []Limit) (these []Limit) {
	for _, l := range limits {
		switch {
		case !l.covers(c, t, row):
		case len(these) > 0 && these[0].precision() > l.precision():
		case len(these) > 0 && these[0].precision() == l.precision():
			these = append(these, l)
		default:
			these = []Limit{l}
		}
	}
	return these
}

// Broken returns an error that names the limits and what broke each, or nil.
func Broken(breaches []Case) error {
	var limits []string
	cases := map[string][]string{}
	for _, at := range breaches {
		if cases[at.Limit] == nil {
			limits = append(limits, at.Limit)
		}
		cases[at.Limit] = append(cases[at.Limit], at.String())
	}
	var errs []error
	for _, l := range limits {
		errs = append(errs, fmt.Errorf("-fail-on %s: %s", l, strings.Join(cases[l], "; ")))
	}
	return errors.Join(errs...)
}

// String returns the benchmark, the unit, and the change.
func (c Case) String() string {
	how := fmt.Sprintf("%+.2f %%", c.Change*100)
	if c.FromZero {
		how = "from nothing"
	}
	return fmt.Sprintf("%s, %s: %s", c.Benchmark, c.Unit, how)
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
