// Package judge compares what was measured, and decides about limits.
package judge

import (
	"errors"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
)

// A Compared is what results show, and the document of a comparison of files.
type Compared struct {
	Comparison *Comparison `json:"comparison"` // of all versions with the first
	// the working tree with each of several revisions
	Against   []*Comparison `json:"against,omitempty"`
	Breaches  []Case        `json:"breaches"`  // of -fail-on
	Undecided []Case        `json:"undecided"` // rows on which -fail-on could not decide
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

// Compares returns an error if the data cannot be compared as the settings ask for, or have nothing
// that a limit is about.
func Compares(d *measure.Data, s *plan.Settings) error {
	c, err := Analyse(d, s)
	if err == nil {
		err = Found(c, s.FailOn)
	}
	return err
}

// Judge compares the results of a run. The error is what is wrong with them; there is no report if
// nothing can be compared.
func Judge(run *measure.Record, d *measure.Data, s *plan.Settings) (*Report, error) {
	c, err := Analyse(d, s)
	if err != nil {
		return nil, err
	}
	r := &Report{Record: *run, Compared: Compared{c, nil, []Case{}, []Case{}}}
	if len(d.Results) == 0 { // all is identical
		return r, nil
	}
	if old := s.VS; len(old) > 1 && s.Col == "" {
		for _, v := range run.Versions[:len(old)] {
			r.Against = append(r.Against, c.Arranged(v.Name, run.Versions[len(old)].Name))
		}
	}
	var errs []error
	for _, pair := range r.Pairs() {
		breaches, undecided, err := Check(pair, s.FailOn)
		for _, cases := range [][]Case{breaches, undecided} {
			for i := range cases {
				cases[i].Old = pair.Versions[0]
			}
		}
		r.Breaches, r.Undecided = append(r.Breaches, breaches...), append(r.Undecided, undecided...)
		errs = append(errs, err)
	}
	return r, errors.Join(errs...)
}

// Pairs returns what is to be shown one after the other.
func (r Compared) Pairs() []*Comparison {
	if len(r.Against) > 0 {
		return r.Against
	}
	return []*Comparison{r.Comparison}
}
