package judge

import (
	"slices"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/stats"
)

// A Comparison is what results of one or two versions show. Its lists are never nil.
type Comparison struct {
	Versions   []string       `json:"versions"`
	Confidence float64        `json:"confidence"` // of each interval, such as 0.95
	Tables     []Table        `json:"tables"`     // one a unit, time first
	Times      []Time         `json:"times"`      // of benchmarks whose CPU time is known
	Failures   []plan.Failure `json:"failures"`
	Warnings   []string       `json:"warnings"`
	threads    Table          // of the unit measure.Threads
}

// A Table is what the results show in one unit.
type Table struct {
	Unit   string `json:"unit"`   // tidied by benchunit: "sec/op", not "ns/op"
	Better int    `json:"better"` // 1: higher values are better; -1: lower; 0: not known
	Rows   []Row  `json:"rows"`   // one a benchmark
	exact  bool   // by the unit's metadata, a value needs no repetition
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
	N        int             `json:"n"`                  // number of samples; 0: the rest is empty
	Center   float64         `json:"center"`             // median
	Interval *stats.Interval `json:"interval,omitempty"` // of the median; nil: too few samples
	Exact    bool            `json:"exact,omitempty"`    // all samples are equal
	Samples  []Sample        `json:"samples,omitempty"`  // in the order of their measurement
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
	Verdict  Verdict         `json:"verdict"`
	own      Verdict         // with Aside: the verdict that the test gave
	Method   Method          `json:"method,omitempty"`
	Absolute bool            `json:"absolute,omitempty"`
	Estimate float64         `json:"estimate"`           // new divided by old
	Pair     [2]float64      `json:"pair"`               // old and new that show it, of two rounds
	Interval *stats.Interval `json:"interval,omitempty"` // of the Estimate; nil: see Needs
	P        float64         `json:"p"`                  // 0 with Exactly
	N        int             `json:"n"`                  // pairs
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
func (c *Comparison) Find(unit string, of *Row) *Row { return c.Table(unit).row(of) }

// Table returns the one of a unit, or nil.
func (c *Comparison) Table(unit string) *Table {
	i := slices.IndexFunc(c.Tables, func(t Table) bool { return t.Unit == unit })
	if i < 0 {
		return nil
	}
	return &c.Tables[i]
}

// row returns the one of the same benchmark, or nil.
func (t *Table) row(of *Row) *Row {
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
	return t.Unit == "B/s" && c.Find("sec/op", r) != nil
}
