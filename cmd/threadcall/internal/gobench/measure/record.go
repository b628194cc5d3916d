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
	Module    string         `json:"module,omitempty"` // or several, with commas
	Versions  []plan.Version `json:"versions"`
	Toolchain string         `json:"toolchain"`
	Settings  plan.Settings  `json:"settings"`
	Seconds   float64        `json:"seconds"` // that all rounds took
	Rounds    int            `json:"rounds"`
	Stopped   string         `json:"stopped"` // why there were no more
	Notes     []string       `json:"notes"`
	// packages with identical test binaries, not measured
	Identical   []string `json:"identical"`
	Interrupted bool     `json:"interrupted"`
}

// left returns about how much time is left when a part of the work is done, of which all is
// expected to take so many seconds.
func left(began time.Time, done, all float64) string {
	if done >= 1 {
		return ""
	}
	if done > 0 { // the machine may be slower than it was
		all = time.Since(began).Seconds() / done
	}
	rest := time.Duration(all * (1 - done) * float64(time.Second))
	precision := time.Second
	if rest > time.Minute {
		precision = 10 * time.Second
	}
	return ", about " + ui.Duration(max(rest, time.Second).Round(precision)) + " left"
}

// roundDone writes a line where there is no terminal for the progress: after the first round, and
// after each tenth of them.
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
		if f.Name == plan.Whole {
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
