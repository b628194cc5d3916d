package plan

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"
)

// A Limit is a change that must not be: as large as this or larger, and visible.
type Limit struct {
	Text string // as the user has written it
	Unit string // as the user writes it; empty: every unit of which it is known what is worse
	// relative to old: 0.05 is 5 % more, -0.05 is 5 % less; without a Unit, 0.05 is 5 % worse
	Change float64
	Less   bool // the direction, which a Change of zero has, too
}

// ParseLimit reads "+5%", which is for all units, or "ns/op:+5%".
func ParseLimit(text string) (Limit, error) {
	bad := func(why string) (Limit, error) {
		return Limit{}, fmt.Errorf("-fail-on %q: %s; write '+5%%' for anything 5 %% worse, "+
			"or 'ns/op:+5%%' for one unit", text, why)
	}
	l := Limit{Text: text}
	unit, number, ok := strings.Cut(text, ":")
	if l.Unit = unit; !ok {
		l.Unit, number = "", text
	} else if unit == "" {
		return bad("there is no unit before the colon")
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
