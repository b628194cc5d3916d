// Package host looks at the machine that a benchmark runs on, before and during the run, and says what it found and what
// that means for the figures.
//
// Most of it is for Linux, where the system tells it in files. On other systems Look says what it has not looked at.
package host

import (
	"context"
	"fmt"
	"io/fs"
	"time"
)

// A Level says how much a finding matters.
type Level int

const (
	Fine    Level = iota // as a measurement wants it
	Note                 // worth knowing when one reads the figures
	Warning              // likely to be seen in the figures
)

func (l Level) String() string {
	switch l {
	case Fine:
		return "fine"
	case Note:
		return "note"
	case Warning:
		return "warning"
	}
	return fmt.Sprintf("Level(%d)", int(l))
}

// MarshalText returns the level as String has it.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads what MarshalText has written.
func (l *Level) UnmarshalText(text []byte) error {
	for level := Fine; level <= Warning; level++ {
		if level.String() == string(text) {
			*l = level
			return nil
		}
	}
	return fmt.Errorf("no level %q", text)
}

// A Finding is one thing seen of the machine.
type Finding struct {
	Name    string `json:"name"`              // what was looked at: "governor"
	Value   string `json:"value"`             // what was seen: "powersave (intel_pstate)"
	Meaning string `json:"meaning,omitempty"` // sentences: what it does to the figures, and what one can do
	Level   Level  `json:"level"`
}

// A Machine is what to look at, and what is going to run there. The zero Machine is this one, with benchmarks that are not
// pinned and use as many threads as the Go runtime chooses.
type Machine struct {
	FS    fs.FS         // has proc, sys and run; the root directory if nil
	Pin   CPUs          // those on which the benchmarks will run, if not on all
	Procs []int         // the values of go test's -cpu flag, if any
	While time.Duration // how long Look watches what others do; a second if it is zero

	// For tests, instead of the system's.
	self  int
	pause func()
	now   func() time.Time
	usage func() time.Duration
}

// Look looks at the machine before a run. It takes m.While, in which this process does nothing, to see what other processes
// use; so call it when nothing of your own runs, after building. What cannot be found out is left out or said so; there is
// no error. It returns early if ctx is done.
//
// The findings are in a fixed order. At least one is returned.
func (m Machine) Look(ctx context.Context) []Finding { return m.look(ctx) }
