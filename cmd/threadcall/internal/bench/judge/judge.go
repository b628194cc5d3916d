// Package judge compares what was measured, and decides about limits.
package judge

import (
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
)

// A Compared is what results show, and the document of a comparison of files.
type Compared struct {
	Comparison *Comparison `json:"comparison"` // of all versions with the first
	Breaches   []Case      `json:"breaches"`   // of -fail-on
	Undecided  []Case      `json:"undecided"`  // rows on which -fail-on could not decide
}

// A Report is a run and what it shows.
type Report struct {
	measure.Record
	Compared
}

// Analyse compares the data as the settings ask for.
func Analyse(d *measure.Data, s *plan.Settings) (c *Comparison, err error) {
	if s.Filter != "" {
		if d, err = filter(d, s.Filter); err != nil {
			return nil, err
		}
	}
	if s.Col != "" {
		if d, err = project(d, s.Col); err != nil {
			return nil, err
		}
	}
	return Compare(d), nil
}

// Judge compares the results of a run. The error is what is wrong with them; there is no report if
// nothing can be compared.
func Judge(run *measure.Record, d *measure.Data, s *plan.Settings) (*Report, error) {
	c, err := Analyse(d, s)
	if err != nil {
		return nil, err
	}
	r := &Report{Record: *run, Compared: Compared{c, []Case{}, []Case{}}}
	if len(d.Results) == 0 { // all is identical
		return r, nil
	}
	r.Breaches, r.Undecided, err = Check(c, s.FailOn)
	return r, err
}
