package judge

import (
	"slices"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/stats"
)

// A Comparison is what results show.
type Comparison struct {
	Versions   []string `json:"versions"`
	Confidence float64  `json:"confidence"` // of each interval, such as 0.95
	// one a unit; time first, then what testing reports, then others by name
	Tables []Table `json:"tables"`
	// of benchmarks whose CPU time is known; never nil
	Times    []Time            `json:"times"`
	Family   Family            `json:"family"`   // all verdicts seen together
	Failures []measure.Failure `json:"failures"` // never nil
	Warnings []string          `json:"warnings"` // never nil
	threads  Table             // of the unit measure.Threads
}

// A Table is what the results show in one unit.
type Table struct {
	Unit   string `json:"unit"`   // tidied by benchunit: "sec/op", not "ns/op"
	Better int    `json:"better"` // 1: higher values are better; -1: lower; 0: not known
	Rows   []Row  `json:"rows"`   // one a benchmark
	// of the rows' ratios, per version; nil if there are fewer than two rows to compare
	Geomean []Delta `json:"geomean"`
	exact   bool    // by the unit's metadata, a value needs no repetition
}

// A Row is one benchmark.
type Row struct {
	Package string  `json:"package,omitempty"`
	Name    string  `json:"name"`   // without "Benchmark"
	Cells   []Cell  `json:"cells"`  // one a version
	Deltas  []Delta `json:"deltas"` // one a version; the first is empty
}

// A Cell is one benchmark of one version.
type Cell struct {
	// number of samples; 0: this version has none, and the rest is empty
	N      int     `json:"n"`
	Center float64 `json:"center"` // median
	// of the median; nil if there are too few samples for one
	Interval *stats.Interval `json:"interval,omitempty"`
	Exact    bool            `json:"exact,omitempty"`   // all samples are equal
	Samples  []Sample        `json:"samples,omitempty"` // in the order in which they were measured
}

// A Sample is one measurement.
type Sample struct {
	Run   string  `json:"run,omitempty"` // which run of threadcall bench; "" within one
	Round int     `json:"round"`         // from 1; negative: unknown
	Value float64 `json:"value"`
}

// A Delta is the difference of one version of a benchmark from the first version. The estimate,
// interval, p-value and verdict come from one test: the interval excludes "no difference" exactly
// if P <= 1-Confidence and exactly then the difference is visible.
type Delta struct {
	Verdict Verdict `json:"verdict"`
	Method  Method  `json:"method,omitempty"`
	// Estimate and Interval are new minus old, as a ratio makes no sense
	Absolute bool            `json:"absolute,omitempty"`
	Estimate float64         `json:"estimate"`           // new divided by old
	Interval *stats.Interval `json:"interval,omitempty"` // of the Estimate; nil: see Needs
	P        float64         `json:"p"`                  // 0 with Exactly
	// pairs, or samples of the version that has fewer
	N int `json:"n"`
	// with Verdict TooFew: samples that can show anything at all
	Needs int `json:"needs,omitempty"`
	// minimum detectable effect, as an estimate of that size is visible: 0.03 is 3 %
	MDE float64 `json:"mde"`
	// visible also when all verdicts are taken together; see Family
	Holm bool `json:"holm,omitempty"`
	// of a geometric mean: the number of benchmarks in it
	Over int `json:"over,omitempty"`
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
	Ranks   Method = "ranks" // Mann-Whitney U-test, as benchstat does
	Exactly Method = "exact" // by the unit's metadata, a value needs no repetition
)

// A Family is what many verdicts mean together. Each of them is wrong with a probability of at most
// 1-Confidence when nothing has changed, so in a long table some are.
type Family struct {
	Tests   int `json:"tests"`   // verdicts that chance could have made visible
	Visible int `json:"visible"` // those that are
	// how many would be by chance, at most, if nothing had changed
	Expected float64 `json:"expected"`
	// visible ones that stay so when the error rate is that of the whole family (Holm)
	Confirmed int `json:"confirmed"`
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
func (c *Comparison) Find(unit string, of Row) *Row { return c.table(unit).row(of) }

// table returns the one of a unit, or nil.
func (c *Comparison) table(unit string) *Table {
	i := slices.IndexFunc(c.Tables, func(t Table) bool { return t.Unit == unit })
	if i < 0 {
		return nil
	}
	return &c.Tables[i]
}

// row returns the one of the same benchmark, or nil.
func (t *Table) row(of Row) *Row {
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
func (c *Comparison) Throughput(t *Table, r Row) bool {
	return t.Unit == "B/s" && c.Find("sec/op", r) != nil
}

// Arranged returns these versions, compared with the first of them. Judged together, the verdicts
// of several arrangements are more than each Family counts.
func (c *Comparison) Arranged(versions ...string) *Comparison {
	to := &Comparison{Versions: versions, Confidence: c.Confidence, Failures: []measure.Failure{},
		Warnings: c.Warnings}
	arrange := func(t Table) Table {
		t.Rows = slices.Clone(t.Rows)
		for i := range t.Rows {
			var cells []Cell
			for _, version := range versions {
				cells = append(cells, t.Rows[i].Cells[slices.Index(c.Versions, version)])
			}
			t.Rows[i].Cells = cells
		}
		return t
	}
	for _, f := range c.Failures {
		if f.Version == "" || slices.Contains(versions, f.Version) {
			to.Failures = append(to.Failures, f)
		}
	}
	for _, t := range c.Tables {
		t = arrange(t)
		t.compare(len(versions))
		to.Tables = append(to.Tables, t)
	}
	to.threads = arrange(c.threads)
	to.conclude()
	return to
}

// To returns the same results compared with another version, or nil if there is none of that name.
func (c *Comparison) To(version string) *Comparison {
	i := slices.Index(c.Versions, version)
	if i < 0 {
		return nil
	}
	others := slices.Delete(slices.Clone(c.Versions), i, i+1)
	return c.Arranged(append([]string{version}, others...)...)
}

// WithoutSamples returns the comparison without what it was made of.
func (c *Comparison) WithoutSamples() *Comparison {
	one := *c
	one.Tables = slices.Clone(c.Tables)
	for i := range one.Tables {
		rows := slices.Clone(one.Tables[i].Rows)
		for j := range rows {
			rows[j].Cells = slices.Clone(rows[j].Cells)
			for k := range rows[j].Cells {
				rows[j].Cells[k].Samples = nil
			}
		}
		one.Tables[i].Rows = rows
	}
	return &one
}
