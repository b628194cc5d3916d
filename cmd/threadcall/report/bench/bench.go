// Package bench has the JSON document of threadcall bench.
package bench

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchunit"

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

// A Time is what is found out about the time of a benchmark, and from which measure: wall time
// (sec/op), or the CPU time of the process (cpu-sec/op), which hardly depends on what else the
// machine does. The Delta of the other one has the verdict Aside.
type Time struct {
	Package string `json:"package,omitempty"`
	Name    string `json:"name"`
	Basis   Basis  `json:"basis"`
	Runs    Runs   `json:"runs"`
}

// A Basis is the measure of time on which a verdict rests. It is chosen without knowledge of which
// value of a round is of which version, so that the test of it is wrong no more often.
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

// All is a sequence of the rows, with their tables.
func (c *Comparison) All() iter.Seq2[*Table, *Row] {
	return func(yield func(*Table, *Row) bool) {
		for i := range c.Tables {
			t := &c.Tables[i]
			for i := range t.Rows {
				if !yield(t, &t.Rows[i]) {
					return
				}
			}
		}
	}
}

// SeveralPackages reports whether the rows are of more than one package.
func (c *Comparison) SeveralPackages() bool {
	for _, r := range c.All() {
		if r.Package != c.Tables[0].Rows[0].Package {
			return true
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

// The units of time, and those that benchmarks report next to those of package testing.
const (
	WallTime = "sec/op"
	CPUTime  = "cpu-sec/op"
	Threads  = "runnable-threads" // how many ran or were ready to, on average
)

// Value returns x as people write it, with a prefix for the unit: 1.234µ.
func (t *Table) Value(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1000 { // a count
		return fmt.Sprintf("%.0f", x)
	}
	return benchunit.Scale(x, benchunit.ClassOf(t.Unit))
}

// Word returns what a visible change is called: slower, more, better. It is empty if none is
// visible.
func (t *Table) Word(d Delta) string {
	better, worse := "better", "worse"
	switch {
	case !d.Visible():
		return ""
	case d.Verdict == Changed || t.Counted():
		if d.Estimate > d.Neutral() {
			return "more"
		}
		return "less"
	case t.Unit == "B/s" || t.Unit == CPUTime || t.Unit == "sec" ||
		strings.HasPrefix(t.Unit, "sec/"):
		better, worse = "faster", "slower"
	}
	if d.Verdict == Better {
		return better
	}
	return worse
}

// PlusMinus returns how far the interval reaches from the median, relative to that: ±2.7%. It is ±?
// if there is no interval or no ratio, and nothing if all values are the same.
func (c Cell) PlusMinus() string {
	i := c.Interval
	switch {
	case c.N == 0 || c.Exact && c.N > 1:
		return ""
	case i == nil:
		return "±?"
	case i.Low == i.High:
		return "±0%"
	case c.Center <= 0 || i.Low <= 0:
		return "±∞"
	}
	return fmt.Sprintf("±%.1f%%", 100*max(i.High/c.Center-1, 1-i.Low/c.Center))
}

// Change returns the estimate as people write it: +5.4%, and ×12 or 1/12 where a percentage would
// be unreadable. Where no ratio makes sense it is the difference.
func (t *Table) Change(d Delta) string { return t.change(d, d.Estimate) }

// Range returns the interval in the same way: [+1.2%, +3.4%]. It is empty if there is none, or the
// difference is exact.
func (t *Table) Range(d Delta) string {
	if d.Interval == nil || d.Method == Exactly {
		return ""
	}
	return "[" + t.change(d, d.Interval.Low) + ", " + t.change(d, d.Interval.High) + "]"
}

func (t *Table) change(d Delta, x float64) string {
	switch {
	case d.Absolute && x > 0:
		return "+" + t.Value(x)
	case d.Absolute:
		return t.Value(x)
	case x >= manifold:
		return fmt.Sprintf("×%.3g", x)
	case x > 0 && x <= 1./manifold:
		return fmt.Sprintf("1/%.3g", 1/x)
	}
	places := 1
	if math.Abs(x-1) < 0.01 {
		places = 2
	}
	text := fmt.Sprintf("%+.*f%%", places, 100*(x-1))
	if strings.Trim(text, "+-0.%") == "" {
		return "0%"
	}
	return text
}

// manifold is the factor from which on percentages are unreadable: 1/212 says more than -99.53%.
const manifold = 5

// Probability returns the p-value, or nothing if the difference has none.
func (d Delta) Probability() string {
	switch {
	case d.Method == "" || d.Method == Exactly || d.Verdict == TooFew:
		return ""
	case d.P < 0.0005:
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", d.P)
}

// Written returns a tidied unit as testing writes it.
func Written(unit string) string {
	if clock, ok := strings.CutSuffix(unit, "sec/op"); ok { // and cpu-sec/op
		return clock + "ns/op"
	}
	if unit == "B/s" {
		return "MB/s"
	}
	return unit
}

// Counted reports whether the values are numbers of allocated things, which a benchmark repeats
// exactly as a rule.
func (t *Table) Counted() bool { return t.Unit == "B/op" || t.Unit == "allocs/op" }

// Neutral returns the estimate of no difference.
func (d Delta) Neutral() float64 {
	if d.Absolute {
		return 0
	}
	return 1
}

// String returns the benchmark, the unit, and the change.
func (c Case) String() string {
	how := fmt.Sprintf("%+.2f %%", c.Change*100)
	if c.FromZero {
		how = "from nothing"
	}
	return fmt.Sprintf("%s, %s: %s", c.Benchmark, c.Unit, how)
}
