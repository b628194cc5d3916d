// Package plan has what a run is to measure, and how: the settings, the limits, and the versions with their trees.
package plan

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/program"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/rounds"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// Settings are what to measure, and how.
type Settings struct {
	Dir      string   // where the go command and git run
	Patterns []string // of packages
	Bench    string   // which benchmarks, as for go test
	Count    int      // rounds
	Each     rounds.Settings

	VS []string // the revisions to compare with
	AA bool     // compare each binary with itself

	Layouts int    // of the code; 0: the one of the linker
	Tests   string // "new": the working tree's tests on the code of VS as well; empty: each version has its own

	Bisect string // the range of commits to search; empty: none
	Unit   string // by which Bisect judges; empty: time

	Col    string // compare these parts of the benchmarks' names, as benchstat's flag does
	Filter string // of results, as benchstat's
	FailOn []Limit

	Commands Commands // to measure in place of benchmarks, if there are any

	Procs []int // of Each.CPU

	Verbose bool   // print everything
	Output  string // where to save results; empty: a name with the time
	Command string // as the user has typed it
}

// Validate returns an error for settings that contradict each other or cannot be.
func (s *Settings) Validate() error {
	switch {
	case s.Count < 1:
		return fmt.Errorf("-count must be at least 1, not %d", s.Count)
	case s.AA && len(s.VS) > 0:
		return errors.New("-aa compares a binary with itself, -vs with another: give one of them")
	case s.Col != "" && (s.AA || len(s.VS) > 0):
		return errors.New("-col compares benchmarks of one version, so neither -vs nor -aa goes with it")
	case s.Tests != "" && s.Tests != "new":
		return fmt.Errorf("-tests can be new, not %q", s.Tests)
	case s.Tests != "" && len(s.VS) == 0:
		return errors.New("-tests is about the revision that -vs names")
	case s.Layouts != 0 && (s.Layouts < stats.Rounds() || s.Layouts > s.Count):
		return fmt.Errorf("-layouts must be at least %d, the fewest from which anything can be concluded, and at most the number of rounds, %d", stats.Rounds(), s.Count)
	case s.Layouts > 0 && strings.Contains(os.Getenv("GOFLAGS"), "-ldflags"):
		return errors.New("-layouts needs -ldflags, which GOFLAGS sets")
	case s.Each.Timeout < 0:
		return fmt.Errorf("-timeout must not be negative; 0 means none")
	case len(s.FailOn) > 0 && len(s.VS) == 0 && !s.AA && s.Col == "" && len(s.Commands.List) < 2:
		return errors.New("-fail-on is about a comparison: -vs, -aa, -col, several commands, or files")
	}
	if s.Output != "" {
		if at, err := os.Stat(s.Output); err == nil && at.IsDir() {
			return fmt.Errorf("-o %s is a directory; give a file", s.Output)
		}
		if at, err := os.Stat(filepath.Dir(s.Output)); err != nil || !at.IsDir() {
			return fmt.Errorf("-o %s: %s is not a directory", s.Output, filepath.Dir(s.Output))
		}
	}
	if err := s.Commands.validate(); err != nil {
		return err
	}
	if s.Bench == "" {
		return errors.New("-bench must not be empty; a point means all benchmarks")
	}
	if _, err := gotest.ParsePattern(s.Bench); err != nil {
		return fmt.Errorf("-bench %q: %w", s.Bench, err)
	}
	return nil
}

// Commands are what a run measures in place of benchmarks.
type Commands struct {
	List    []program.Command
	Prepare []string // runs before each run of a command, not measured: one for all, or one for each, or none
}

func (c *Commands) validate() error {
	if n := len(c.Prepare); n > 1 && n != len(c.List) {
		return fmt.Errorf("-prepare was given %d times, and there are %d commands", n, len(c.List))
	}
	return nil
}

// BuildFlags returns those of the go command, which takes others from GOFLAGS. With the default -trimpath, the length of a
// directory's name does not move code.
func BuildFlags() []string {
	if strings.Contains(os.Getenv("GOFLAGS"), "-trimpath") {
		return nil
	}
	return []string{"-trimpath"}
}
