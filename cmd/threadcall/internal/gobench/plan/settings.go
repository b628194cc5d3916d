// Package plan has what a run measures and how: settings, limits, and versions with their trees.
package plan

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// Confidence is that of each interval and verdict.
const Confidence = 0.95

// LeastRounds returns how many rounds a run needs at least to show anything.
func LeastRounds() int { return stats.MinPairs(1 - Confidence) }

// Settings are what to measure, and how.
type Settings struct {
	Dir       string        `json:"-"`         // where the go command and git run
	Patterns  []string      `json:"patterns"`  // of packages
	Bench     string        `json:"bench"`     // which benchmarks, as for go test
	Benchtime string        `json:"benchtime"` // of a process, as for go test
	CPU       string        `json:"cpu"`       // as for go test; empty: as many as there are
	Timeout   time.Duration `json:"timeout"`   // of a process; 0: none
	Count     int           `json:"count"`     // rounds
	For       time.Duration `json:"for"`       // no later round begins but LeastRounds; 0: no limit

	VS     string  `json:"-"` // the revision to compare with; empty: none
	FailOn []Limit `json:"-"`

	Output  string `json:"-"`       // where to save results; empty: nowhere
	Command string `json:"command"` // as the user has typed it
}

// Validate returns an error for settings that contradict each other or cannot be.
func (s *Settings) Validate() error {
	switch {
	case s.Count < 1:
		return fmt.Errorf("-count must be at least 1, not %d", s.Count)
	case s.For < 0:
		return fmt.Errorf("-for must not be negative; 0 means no limit")
	case s.Timeout < 0:
		return fmt.Errorf("-timeout must not be negative; 0 means none")
	case len(s.FailOn) > 0 && s.VS == "":
		return errors.New("-fail-on is about a comparison: give -vs, too")
	case s.Bench == "":
		return errors.New("-bench must not be empty; a point means all benchmarks")
	}
	if _, err := gotest.ParsePattern(s.Bench); err != nil {
		return fmt.Errorf("-bench %q: %w", s.Bench, err)
	}
	return nil
}

// BuildFlags returns those of the go command, which takes others from GOFLAGS. With the default
// -trimpath, the length of a directory's name does not move code.
func BuildFlags() []string {
	if strings.Contains(os.Getenv("GOFLAGS"), "-trimpath") {
		return nil
	}
	return []string{"-trimpath"}
}

// A Log is where a run reports how it goes on. The notes become a part of its results.
type Log struct {
	*ui.Screen
	Terminal bool // progress can be replaced
	Notes    []string
}

// Trouble writes what the results, or the error, contain as well.
func (l *Log) Trouble(text string) {
	l.Progress("")
	l.Paragraph("", text)
}

// Note adds a note.
func (l *Log) Note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	l.Notes = append(l.Notes, text)
	l.Trouble(text)
}

// A Failure is a benchmark that failed, or a package, whose Name is Whole.
type Failure struct {
	Version string `json:"version"`
	Package string `json:"package,omitempty"`
	Name    string `json:"name"` // without "Benchmark"
	Reason  string `json:"reason"`
}

// Whole is in place of the name of a benchmark where the test binary does not build or start.
const Whole = "*"
