package measure

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A Record is what was measured, and how.
type Record struct {
	Began     time.Time      `json:"began"`
	Command   string         `json:"command"`
	ID        string         `json:"id"`               // the one in the files
	Module    string         `json:"module,omitempty"` // or several, with commas
	Versions  []plan.Version `json:"versions"`
	Toolchain string         `json:"toolchain"`
	Settings  Chosen         `json:"settings"`
	Taken     Taken          `json:"taken"` // from all processes
	// the machine in one word: quiet, noisy, loaded, or unknown
	Load      string   `json:"load"`
	Seconds   float64  `json:"seconds"` // that the rounds took
	Rounds    int      `json:"rounds"`
	Processes int      `json:"processes"` // in all rounds
	Noisy     int      `json:"noisy"`     // processes from which much was taken
	Stopped   string   `json:"stopped"`   // why there were no more rounds
	Notes     []string `json:"notes"`
	// packages with identical test binaries, not measured
	Identical   []string `json:"identical"`
	Interrupted bool     `json:"interrupted"`
}

// Chosen is how the run measured.
type Chosen struct {
	Bench     string `json:"bench,omitempty"`
	Benchtime string `json:"benchtime,omitempty"`
	CPU       string `json:"cpu,omitempty"`
	Count     int    `json:"count"`
}

// load returns the word for the machine during the run.
func (r *Record) load() string {
	switch {
	case r.Processes == 0 || !r.Taken.Known:
		return "unknown"
	case 2*r.Noisy > r.Processes:
		return "loaded"
	case 20*r.Noisy > r.Processes:
		return "noisy"
	}
	return "quiet"
}

// left returns about how much time is left, if that is known, when a part of the work is done.
func left(began time.Time, done float64) string {
	if done == 0 || done == 1 {
		return ""
	}
	rest := time.Duration(float64(time.Since(began)) * (1 - done) / done)
	precision := time.Second
	if rest > time.Minute {
		precision = 10 * time.Second
	}
	return ", about " + ui.Duration(max(rest, time.Second).Round(precision)) + " left"
}

// progress shows a bar of the part that is done, from 0 to 1.
func (m *Measurement) progress(done float64, text string) {
	const cells = 20
	full := int(done * cells)
	m.Log.Progress(strings.Repeat("━", full) + strings.Repeat("─", cells-full) + " " + text)
}

// roundDone writes a line where there is no terminal for the bar, after the first round and each
// tenth of them.
func (m *Measurement) roundDone(n int, left string) {
	if of := m.Set.Count; !m.Log.Terminal && (n == 1 || 10*n/of != 10*(n-1)/of) {
		fmt.Fprintf(m.Log, "round %d of %d%s\n", n, of, left)
	}
}

// Err returns an error that names the benchmarks, and the packages, that have failed.
func (d *Data) Err() error {
	var names []string
	for _, f := range d.Failures {
		name := "Benchmark" + f.Name
		if f.Name == whole {
			name = f.Package
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if names == nil {
		return nil
	}
	return fmt.Errorf("%s failed", strings.Join(names, ", "))
}

// whole is in place of the name of a benchmark where the test binary does not even start.
const whole = "*"
