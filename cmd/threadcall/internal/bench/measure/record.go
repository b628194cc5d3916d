package measure

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
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
	Load    string   `json:"load"`
	Seconds float64  `json:"seconds"` // that the rounds took
	Rounds  []Round  `json:"rounds"`
	Noisy   []Noisy  `json:"noisy"`   // processes, whose results are kept
	Stopped string   `json:"stopped"` // why there were no more rounds
	Notes   []string `json:"notes"`
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
	Round     int    `json:"round"`
	Package   string `json:"package"`
	Benchmark string `json:"benchmark"`
	Version   string `json:"version"`
	Taken     Taken  `json:"taken"`
}

// load returns the word for the machine during the run.
func (r *Record) load() string {
	processes := 0
	for _, round := range r.Rounds {
		processes += round.Processes
	}
	switch n := len(r.Noisy); {
	case processes == 0 || !r.Taken.Known:
		return "unknown"
	case 2*n > processes:
		return "loaded"
	case 20*n > processes:
		return "noisy"
	}
	return "quiet"
}

// What a process takes in addition to -benchtime: iterations beyond it, and to start.
const (
	overhead = 1.1
	starting = 30 * time.Millisecond
)

// estimate returns how long the rounds will take, if that is known: "about 3 min 20 s: 5 benchmarks
// × 2 versions × 20 rounds".
func (m *Measurement) estimate() string {
	processes, versions := 0., 0 // processes, each as long as on this machine it takes
	for _, j := range m.jobs {
		processes += float64(j.versions()) * max(1, j.Stretch)
		versions = max(versions, j.versions())
	}
	text := ui.Counted(len(m.jobs), "benchmark", "benchmarks")
	switch n := len(m.Set.Commands); {
	case n > 0:
		text = ui.Counted(n, "command", "commands")
	case versions > 1:
		text += fmt.Sprintf(" × %d versions", versions)
	}
	text += " × " + ui.Counted(m.Set.Count, "round", "rounds")
	each, err := time.ParseDuration(m.Set.Benchtime)
	if err != nil { // a number of iterations
		return text
	}
	total := processes * float64(m.Set.Count) * (overhead*float64(each) + float64(starting))
	return "about " + ui.Took(roughly(time.Duration(total))) + ": " + text
}

// roughly rounds to what an estimate can say.
func roughly(d time.Duration) time.Duration {
	switch {
	case d > time.Hour:
		return d.Round(10 * time.Minute)
	case d > 10*time.Minute:
		return d.Round(time.Minute)
	case d > time.Minute:
		return d.Round(10 * time.Second)
	}
	return d.Round(time.Second)
}

// left returns about how much time is left, if that is known, when a part of the work is done.
func left(began time.Time, done float64) string {
	if done == 0 || done == 1 {
		return ""
	}
	rest := time.Duration(float64(time.Since(began)) * (1 - done) / done)
	return ", about " + ui.Took(roughly(max(rest, time.Second))) + " left"
}

// progress shows a bar of the part that is done, from 0 to 1.
func (m *Measurement) progress(done float64, text string) {
	const cells = 20
	full := int(done * cells)
	m.Log.Progress(strings.Repeat("━", full) + strings.Repeat("─", cells-full) + " " + text)
}

// roundDone writes a line where there is no terminal for the bar, after the first round and each
// tenth of them.
func (m *Measurement) roundDone(r Round, left string) {
	n, of := r.Number, m.Set.Count
	if m.Log.Terminal || n > 1 && 10*n/of == 10*(n-1)/of {
		return
	}
	text := fmt.Sprintf("round %d of %d: %s in %.1f s", n, of, ui.Counted(r.Processes, "process",
		"processes"), r.Seconds)
	if r.Noisy > 0 {
		text += fmt.Sprintf(", %d of them noisy", r.Noisy)
	}
	fmt.Fprintln(m.Log, text+left)
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
