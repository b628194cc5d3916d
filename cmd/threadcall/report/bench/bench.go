// Package bench has the JSON document of threadcall bench.
package bench

import (
	"slices"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/report"
)

// A Report is a run and what it shows.
type Report struct {
	Record
	Comparison *Comparison `json:"comparison"`
	Breaches   []Case      `json:"breaches"`  // of -fail-on
	Undecided  []Case      `json:"undecided"` // rows on which -fail-on could not decide
}

// A Record is what was measured, and how.
type Record struct {
	Began     time.Time `json:"began"`
	Module    string    `json:"module,omitempty"` // or several, with commas
	Versions  []Version `json:"versions"`
	Toolchain string    `json:"toolchain"`
	Settings  Settings  `json:"settings"`
	Seconds   float64   `json:"seconds"` // that all rounds took
	Rounds    int       `json:"rounds"`
	Stopped   string    `json:"stopped"` // why there were no more
	Notes     []string  `json:"notes"`
	// packages with identical test binaries, not measured
	Identical   []string `json:"identical"`
	Interrupted bool     `json:"interrupted"`
}

// Settings are what was measured, and how.
type Settings struct {
	Patterns  []string         `json:"patterns"`  // of packages
	Bench     string           `json:"bench"`     // which benchmarks, as for go test
	Benchtime report.Benchtime `json:"benchtime"` // of a process
	CPU       report.CPUs      `json:"cpu"`       // empty: as many as there are
	Timeout   time.Duration    `json:"timeout"`   // of a process; 0: none
	Count     int              `json:"count"`     // rounds
	For       time.Duration    `json:"for"`       // no later round begins; 0: no limit
	Command   string           `json:"command"`   // as the user has typed it
}

// A Version is one of the programs that are measured.
type Version struct {
	Name      string `json:"name"`
	What      string `json:"what"` // for people
	Commit    string `json:"commit,omitempty"`
	Changed   bool   `json:"changed,omitempty"` // files differ from the commit
	Toolchain string `json:"toolchain"`
	File      string `json:"file,omitempty"` // with the raw results
	Short     string `json:"short"`          // a few words
}

// A Comparison is what results of one or two versions show. Its lists are never nil.
type Comparison struct {
	Versions   []string         `json:"versions"`
	Confidence float64          `json:"confidence"` // of each interval, such as 0.95
	Tables     []Table          `json:"tables"`     // one a unit, time first
	Times      []Time           `json:"times"`      // of benchmarks whose CPU time is known
	Failures   []report.Failure `json:"failures"`
	Warnings   []string         `json:"warnings"`
}

// A Table is what the results show in one unit.
type Table struct {
	Unit   string `json:"unit"`            // tidied by benchunit: "sec/op", not "ns/op"
	Better int    `json:"better"`          // 1: higher values are better; -1: lower; 0: not known
	Rows   []Row  `json:"rows"`            // one a benchmark
	Exact  bool   `json:"exact,omitempty"` // by the unit's metadata, a value needs no repetition
}

// A Row is one benchmark.
type Row struct {
	Package string `json:"package,omitempty"`
	Name    string `json:"name"`  // without "Benchmark"
	Cells   []Cell `json:"cells"` // one a version
	Delta   Delta  `json:"delta"` // of the second version from the first; empty if there is one
}

// A Cell is one benchmark of one version.
type Cell struct {
	N        int       `json:"n"`                  // number of samples; 0: the rest is empty
	Center   float64   `json:"center"`             // median
	Interval *Interval `json:"interval,omitempty"` // of the median; nil: too few samples
	Exact    bool      `json:"exact,omitempty"`    // all samples are equal
	Samples  []Sample  `json:"samples,omitempty"`  // in the order of their measurement
}

// A Sample is one measurement.
type Sample struct {
	Round int     `json:"round"` // from 1
	Value float64 `json:"value"`
}

// A Delta is the difference of the second version of a benchmark from the first. The estimate,
// interval, p-value and verdict come from one test: the interval excludes "no difference" exactly
// if P <= 1-Confidence and exactly then the difference is visible. If Absolute is set, the estimate
// is new minus old, as a ratio makes no sense.
type Delta struct {
	Verdict  Verdict    `json:"verdict"`
	Own      Verdict    `json:"own,omitempty"` // with Aside: the verdict that the test gave
	Method   Method     `json:"method,omitempty"`
	Absolute bool       `json:"absolute,omitempty"`
	Estimate float64    `json:"estimate"`           // new divided by old
	Pair     [2]float64 `json:"pair"`               // old and new that show it, of two rounds
	Interval *Interval  `json:"interval,omitempty"` // of the Estimate; nil: see Needs
	P        float64    `json:"p"`                  // 0 with Exactly
	N        int        `json:"n"`                  // pairs
	// with TooFew: samples that can show anything
	Needs int     `json:"needs,omitempty"`
	MDE   float64 `json:"mde"`            // minimum detectable effect: 0.03 is 3 %
	Holm  bool    `json:"holm,omitempty"` // visible also if all verdicts are judged together
}

// Visible reports whether the difference is one that noise does not explain at the Comparison's
// confidence.
func (d Delta) Visible() bool {
	return d.Verdict == Better || d.Verdict == Worse || d.Verdict == Changed
}

// A Verdict is what a Delta means.
type Verdict string

const (
	None    Verdict = "" // there is nothing to compare
	Better  Verdict = "better"
	Worse   Verdict = "worse"
	Changed Verdict = "changed" // and it is not known which direction is better
	Equal   Verdict = "equal"   // all samples of both versions are the same number
	Unseen  Verdict = "unseen"  // no difference that these results show
	TooFew  Verdict = "too few" // samples; no difference could have been shown
	Aside   Verdict = "aside"   // no verdict: that about the time rests on another unit; see Time
)

// A Method is how a Delta was found.
type Method string

const (
	Pairs   Method = "pairs" // sign test or signed-rank test on the pairs of a round
	Exactly Method = "exact" // by the unit's metadata, a value needs no repetition
)

// A Time is what is found out about the time of a benchmark, and from which measure:
// wall time (sec/op), or the CPU time of the process (cpu-sec/op), which hardly depends on what
// else the machine does.
//
// The measure is chosen without knowledge of which of the two values of a round belongs to which
// version. Such a choice does not change how often the test of the chosen measure is wrong. The
// Delta of the other one has the verdict Aside.
type Time struct {
	Package string `json:"package,omitempty"`
	Name    string `json:"name"`
	Basis   Basis  `json:"basis"`
	Runs    Runs   `json:"runs"`
}

// A Basis is the measure of time on which a verdict rests.
type Basis string

const (
	Wall   Basis = "wall"
	CPU    Basis = "cpu"
	Either Basis = "either" // both are tested, each with half of the error rate
)

// Runs is how a benchmark uses CPUs, which decides whether its CPU time stands for its time.
type Runs string

const (
	OnOne   Runs = "on one CPU"
	OnMany  Runs = "on several CPUs" // the garbage collector's work counts
	Waits   Runs = "waiting"         // for something else than a CPU
	Unknown Runs = ""                // waiting, or not getting a CPU: the system does not report it
)

// A Case is a row in which a limit is broken, or in which that is undecided.
type Case struct {
	Limit     string  `json:"limit"`
	Unit      string  `json:"unit"`
	Benchmark string  `json:"benchmark"`
	Change    float64 `json:"change"` // relative; of no meaning with FromZero
	FromZero  bool    `json:"from_zero,omitempty"`
	// of an undecided one, the minimum detectable effect, if there is one
	MDE float64 `json:"mde,omitempty"`
}

// An Interval holds the true value with the Comparison's confidence.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// FullName returns the name of a row, with its package if there are several.
func (c *Comparison) FullName(r Row) string {
	if r.Package != "" && c.SeveralPackages() {
		return r.Package + "." + r.Name
	}
	return r.Name
}

// SeveralPackages reports whether the rows are of more than one package.
func (c *Comparison) SeveralPackages() bool {
	for _, t := range c.Tables {
		for _, row := range t.Rows {
			if row.Package != c.Tables[0].Rows[0].Package {
				return true
			}
		}
	}
	return false
}

// Find returns the row of the same benchmark in a unit, or nil.
func (c *Comparison) Find(unit string, of *Row) *Row { return c.Table(unit).Row(of) }

// Table returns the one of a unit, or nil.
func (c *Comparison) Table(unit string) *Table {
	i := slices.IndexFunc(c.Tables, func(t Table) bool { return t.Unit == unit })
	if i < 0 {
		return nil
	}
	return &c.Tables[i]
}

// Row returns the one of the same benchmark, or nil.
func (t *Table) Row(of *Row) *Row {
	if t == nil {
		return nil
	}
	for i := range t.Rows {
		if r := &t.Rows[i]; r.Package == of.Package && r.Name == of.Name {
			return r
		}
	}
	return nil
}

// Throughput reports whether the row of t is the rate of a benchmark whose time is known as well:
// MB/s is bytes divided by that time, so what it shows is not a second finding.
func (c *Comparison) Throughput(t *Table, r *Row) bool {
	return t.Unit == "B/s" && c.Find(WallTime, r) != nil
}
