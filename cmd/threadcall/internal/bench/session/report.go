package session

import (
	"cmp"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/machine"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// A Report is all results of a run.
type Report struct {
	Began      time.Time         `json:"began"`
	Command    string            `json:"command"`
	ID         string            `json:"id"`               // the one in the files
	Module     string            `json:"module,omitempty"` // or several, with commas
	Versions   []Version         `json:"versions"`
	Toolchain  string            `json:"toolchain"`
	Settings   Chosen            `json:"settings"`
	Machine    []machine.Finding `json:"machine"` // before the first round
	During     []machine.Finding `json:"during"`  // while benchmarks ran
	Load       string            `json:"load"`    // the machine in one word: quiet, noisy, loaded, or unknown
	Seconds    float64           `json:"seconds"` // that the rounds took
	Rounds     []Round           `json:"rounds"`
	Noisy      []Noisy           `json:"noisy"`   // processes, whose results are kept
	Stopped    string            `json:"stopped"` // why there were no more rounds
	Notes      []string          `json:"notes"`
	Identical  []string          `json:"identical"`  // packages whose test binaries are, so that they were not measured
	Comparison *stats.Comparison `json:"comparison"` // of all versions with the first

	// The working tree with each of several revisions.
	Against []*stats.Comparison `json:"against,omitempty"`

	Breaches  []Case `json:"breaches"`  // of -fail-on
	Undecided []Case `json:"undecided"` // rows on which -fail-on could not decide

	Interrupted bool `json:"interrupted"`
}

// A Compared is the document of a comparison of files.
type Compared struct {
	Comparison *stats.Comparison `json:"comparison"`
	Breaches   []Case            `json:"breaches"`  // of -fail-on
	Undecided  []Case            `json:"undecided"` // rows on which -fail-on could not decide
}

// A Version is one of the programs that are measured.
type Version struct {
	Name      string `json:"name"`
	What      string `json:"what"` // for people
	Commit    string `json:"commit,omitempty"`
	Changed   bool   `json:"changed,omitempty"` // files differ from the commit
	Toolchain string `json:"toolchain"`
	Runs      int    `json:"runs,omitempty"` // of a command, in a round
	File      string `json:"file,omitempty"` // with the raw results

	goroot string // of the toolchain
	title  string // a few words; empty: Name
}

// short returns a few words that name the version.
func (v Version) short() string { return cmp.Or(v.title, v.Name) }

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
