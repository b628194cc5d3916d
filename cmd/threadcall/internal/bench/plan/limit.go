package plan

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"
)

// A Limit is a change that must not be: as large as this or larger, and visible.
type Limit struct {
	Text string // as the user has written it
	// of the benchmarks, a regular expression as for -bench without its levels; empty: all
	Name  string
	Match *regexp.Regexp
	Unit  string // as the user writes it; empty: every unit of which it is known what is worse
	// relative to old: 0.05 is 5 % more, -0.05 is 5 % less; without a Unit, 0.05 is 5 % worse
	Change float64
	Less   bool // the direction, which a Change of zero has, too
}

// ParseLimit reads "+5%", which is for all units, "ns/op:+5%", or "Parse:ns/op:+5%" and
// "Parse::+5%", which are for some benchmarks.
func ParseLimit(text string) (Limit, error) {
	bad := func(why string) (Limit, error) {
		return Limit{}, fmt.Errorf("-fail-on %q: %s; write '+5%%' for anything 5 %% worse, "+
			"'ns/op:+5%%' for one unit, or 'Parse:ns/op:+5%%' for some benchmarks", text, why)
	}
	l := Limit{Text: text}
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
		if l.Match, err = regexp.Compile(l.Name); err != nil {
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

// Tidy returns the unit as stats has it.
func (l Limit) Tidy() string {
	_, unit := benchunit.Tidy(1, l.Unit)
	return unit
}

// Precision orders limits: one for a benchmark replaces those for all, and one for a unit those for
// all units.
func (l Limit) Precision() (p int) {
	if l.Name != "" {
		p += 2
	}
	if l.Unit != "" {
		p++
	}
	return p
}
