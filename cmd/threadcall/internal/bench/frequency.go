package bench

import (
	"errors"
	"fmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/cpufreq"
)

// frequency fixes the CPU frequency if that is wanted. In any case it restores what a run that was killed has left.
func (s *Session) frequency() (restore func() error, err error) {
	nothing := func() error { return nil }
	notes, err := cpufreq.Recover()
	s.noteAll(notes)
	if err != nil {
		if s.CPUFreq >= 0 {
			return nil, err
		}
		s.note("%v.", err)
	}
	if s.CPUFreq < 0 {
		return nothing, nil
	}
	fixed, err := cpufreq.Fix(s.CPUFreq)
	switch {
	case errors.Is(err, cpufreq.ErrNone):
		s.note("-cpufreq: %v.", err)
		return nothing, nil
	case err != nil:
		return nil, fmt.Errorf("-cpufreq: %w", err)
	}
	s.noteAll(fixed.Notes)
	s.note("The CPU frequency is fixed: %s.", fixed.What)
	s.report.Settings.Frequency = fixed.What
	return func() error {
		notes, err := fixed.Restore()
		s.noteAll(notes)
		if err != nil {
			return fmt.Errorf("the CPU frequency is not what it was: %w", err)
		}
		return nil
	}, nil
}

func (s *Session) noteAll(notes []string) {
	for _, n := range notes {
		s.note("%s", n)
	}
}
