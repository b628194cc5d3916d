package measure

import (
	"slices"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/machine"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
)

// A Run is what was measured, and how.
type Run struct {
	Began       time.Time         `json:"began"`
	Command     string            `json:"command"`
	ID          string            `json:"id"`               // the one in the files
	Module      string            `json:"module,omitempty"` // or several, with commas
	Versions    []plan.Version    `json:"versions"`
	Toolchain   string            `json:"toolchain"`
	Settings    Chosen            `json:"settings"`
	Machine     []machine.Finding `json:"machine"` // before the first round
	During      []machine.Finding `json:"during"`  // while benchmarks ran
	Load        string            `json:"load"`    // the machine in one word: quiet, noisy, loaded, or unknown
	Seconds     float64           `json:"seconds"` // that the rounds took
	Rounds      []Round           `json:"rounds"`
	Noisy       []Noisy           `json:"noisy"`   // processes, whose results are kept
	Stopped     string            `json:"stopped"` // why there were no more rounds
	Notes       []string          `json:"notes"`
	Identical   []string          `json:"identical"` // packages whose test binaries are, so that they were not measured
	Interrupted bool              `json:"interrupted"`
}

// Chosen is how the run measured.
type Chosen struct {
	Bench     string `json:"bench,omitempty"`
	Benchtime string `json:"benchtime,omitempty"`
	CPU       string `json:"cpu,omitempty"`
	Count     int    `json:"count"`
	Layouts   int    `json:"layouts,omitempty"`
}

// A Round is one pass over all benchmarks.
type Round struct {
	Number    int       `json:"number"` // from 1
	Began     time.Time `json:"began"`
	Seconds   float64   `json:"seconds"`
	Processes int       `json:"processes"`
	Noisy     int       `json:"noisy"`
}

// Noisy is a process from which much was taken.
type Noisy struct {
	Round     int           `json:"round"`
	Package   string        `json:"package"`
	Benchmark string        `json:"benchmark"`
	Version   string        `json:"version"`
	Taken     machine.Taken `json:"taken"`
}

// The words for how busy the machine was while benchmarks ran.
const (
	Quiet   = "quiet"   // at most a twentieth of the processes were noisy
	Shared  = "noisy"   // more
	Loaded  = "loaded"  // more than half
	Unknown = "unknown" // the system does not report it
)

// load returns the word for the machine during the run.
func (r *Run) load() string {
	processes := 0
	for _, round := range r.Rounds {
		processes += round.Processes
	}
	unknown := func(f machine.Finding) bool { return f.Name == "noisy" && f.Value == "not known" }
	switch n := len(r.Noisy); {
	case processes == 0 || slices.ContainsFunc(r.During, unknown):
		return Unknown
	case 2*n > processes:
		return Loaded
	case 20*n > processes:
		return Shared
	}
	return Quiet
}
