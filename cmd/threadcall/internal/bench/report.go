package bench

import (
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/host"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// A Report is all that a run has found out.
type Report struct {
	Began      time.Time         `json:"began"`
	Command    string            `json:"command"`
	ID         string            `json:"id"` // the one that stands in the files
	Versions   []Version         `json:"versions"`
	Toolchain  string            `json:"toolchain"`
	Settings   Chosen            `json:"settings"`
	Machine    []host.Finding    `json:"machine"` // before the first round
	During     []host.Finding    `json:"during"`  // while benchmarks ran, and what had changed afterwards
	Rounds     []Round           `json:"rounds"`
	Disturbed  []Disturbed       `json:"disturbed"` // processes, whose results are kept
	Stopped    string            `json:"stopped"`   // why there were no more rounds
	Notes      []string          `json:"notes"`
	Comparison *stats.Comparison `json:"comparison"`
	Breaches   []Breach          `json:"breaches"` // of -fail-on
	Blind      []Blind           `json:"blind"`    // limits of -fail-on below the minimum detectable effect

	Interrupted bool `json:"interrupted"`
}

// A Version is what was measured.
type Version struct {
	Name      string `json:"name"`
	What      string `json:"what"` // for people
	Commit    string `json:"commit,omitempty"`
	Changed   bool   `json:"changed,omitempty"` // files differ from the commit
	Toolchain string `json:"toolchain"`
	File      string `json:"file,omitempty"` // with the raw results

	goroot string // of the toolchain
}

// Chosen is how it was measured.
type Chosen struct {
	Bench      string   `json:"bench"`
	Benchtime  string   `json:"benchtime,omitempty"`
	CPU        string   `json:"cpu,omitempty"`
	Count      int      `json:"count,omitempty"`
	Budget     string   `json:"budget,omitempty"`
	Until      float64  `json:"until,omitempty"`
	Seed       uint64   `json:"seed"`
	Confidence float64  `json:"confidence"`
	BuildFlags []string `json:"build_flags,omitempty"`
	Pin        string   `json:"pin,omitempty"`
	Frequency  string   `json:"frequency,omitempty"` // what -cpufreq has fixed
}

// A Round is one pass over all benchmarks.
type Round struct {
	Number    int       `json:"number"` // from 1
	Began     time.Time `json:"began"`
	Seconds   float64   `json:"seconds"`
	Processes int       `json:"processes"`
	Disturbed int       `json:"disturbed"`
}

// Disturbed is a process from which much was taken.
type Disturbed struct {
	Round     int              `json:"round"`
	Package   string           `json:"package"`
	Benchmark string           `json:"benchmark"`
	Version   string           `json:"version"`
	Taken     host.Disturbance `json:"taken"`
}
