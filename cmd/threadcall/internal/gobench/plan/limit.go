package plan

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"

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

var limit = regexp.MustCompile(`^(?:([^:\s]+):)?([+-]?\d+(?:\.\d+)?) ?%$`)

// ParseLimit reads "+5%", which is for all units, or "ns/op:+5%".
func ParseLimit(text string) (Limit, error) {
	m := limit.FindStringSubmatch(text)
	if m == nil {
		return Limit{}, errors.New("write '+5%' for anything 5 % worse, or 'ns/op:+5%' for one unit")
	}
	percent, err := strconv.ParseFloat(m[2], 64)
	l := Limit{Text: text, Unit: m[1], Change: percent / 100, Less: m[2][0] == '-'}
	switch better := (benchfmt.UnitMetadataMap{}).GetBetter(l.Unit); {
	case l.Unit == "" && l.Less:
		err = errors.New("without a unit, + means worse, and - makes no sense")
	case l.Change <= -1:
		err = errors.New("nothing can become less by so much")
	case better < 0 && l.Less:
		err = fmt.Errorf("fewer %s are better, so the sign must be +", l.Unit)
	case better > 0 && !l.Less:
		err = fmt.Errorf("more %s are better, so the sign must be -", l.Unit)
	}
	return l, err
}

// Tidy returns the unit as stats has it.
func (l Limit) Tidy() string {
	_, unit := benchunit.Tidy(1, l.Unit)
	return unit
}
