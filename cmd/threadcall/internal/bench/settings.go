// Package bench measures Go benchmarks: in one version, in a revision and the working tree, or twice in the same binary.
// It ties together what builds (build), runs (rounds), looks at the machine (host, lock, cpufreq) and judges (stats).
package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/host"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/rounds"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// Settings say what to measure, and how.
type Settings struct {
	Dir      string   // where the go command and git run
	Patterns []string // of packages
	Bench    string   // which benchmarks, as for go test
	Flags    []string // of go build

	Count  int           // rounds; without Budget
	Budget time.Duration // rounds go on for this time, or until their intervals are narrow enough; 0: Count decides
	Until  float64       // how wide an interval may be to be narrow enough: 0.01 is 1 %
	Seed   uint64        // of the order; 0: the order of the source
	Each   rounds.Settings

	VS    string // the revision to compare with
	Dirty bool   // measure a working tree with changes against a revision that is not its own
	AA    bool   // compare each binary with itself

	Col        string // compare these parts of the benchmarks' names, as benchstat's flag does
	Filter     string // of results, as benchstat's
	Confidence float64
	FailOn     []Limit

	Pin     host.CPUs
	Procs   []int // of Each.CPU
	CPUFreq int   // percentage of the frequency range; negative: as it is
	Shared  bool  // share the machine with others that do

	Output  string // where to save results; empty: a name with the time
	Command string // what the user has typed
}

// MinRounds is how many rounds a budget buys in any case.
const MinRounds = 6

// Validate says what makes no sense.
func (s *Settings) Validate() error {
	switch {
	case s.Budget < 0:
		return fmt.Errorf("-budget must be more than nothing, not %v", s.Budget)
	case s.Budget == 0 && s.Count < 1:
		return fmt.Errorf("-count must be at least 1, not %d", s.Count)
	case s.Until <= 0 || s.Until >= 1:
		return fmt.Errorf("-until must be between 0%% and 100%%, not %v%%", s.Until*100)
	case s.Confidence <= 0.5 || s.Confidence >= 1:
		return fmt.Errorf("-confidence must be between 50%% and 100%%, not %v%%", s.Confidence*100)
	case s.AA && s.VS != "":
		return errors.New("-aa compares a binary with itself, -vs with another: give one of them")
	case s.Col != "" && (s.AA || s.VS != ""):
		return errors.New("-col compares benchmarks of one version, so neither -vs nor -aa goes with it")
	case s.Dirty && s.VS == "":
		return errors.New("-dirty is about -vs")
	case s.Each.Timeout < 0:
		return fmt.Errorf("-timeout must not be negative; 0 means none")
	case len(s.FailOn) > 0 && s.VS == "" && !s.AA && s.Col == "":
		return errors.New("-fail-on is about a comparison: -vs, -aa, -col or files")
	case s.CPUFreq >= 0 && s.Shared:
		return errors.New("-cpufreq changes the machine for those with whom -shared shares it: give one of them")
	case s.CPUFreq > 100:
		return fmt.Errorf("-cpufreq is a percentage of the frequency range, from 0 to 100, not %d", s.CPUFreq)
	}
	if s.Output != "" {
		if at, err := os.Stat(s.Output); err == nil && at.IsDir() {
			return fmt.Errorf("-o %s is a directory; give a file", s.Output)
		}
		if at, err := os.Stat(filepath.Dir(s.Output)); err != nil || !at.IsDir() {
			return fmt.Errorf("-o %s: %s is no directory", s.Output, filepath.Dir(s.Output))
		}
	}
	if s.Pin != nil {
		if err := host.CanPin(s.Pin); err != nil {
			return fmt.Errorf("-pin %v: %w", s.Pin, err)
		}
	}
	if s.Bench == "" {
		return errors.New("-bench must not be empty; a point means all benchmarks")
	}
	if _, err := gotest.ParsePattern(s.Bench); err != nil {
		return fmt.Errorf("-bench %q: %w", s.Bench, err)
	}
	return nil
}
