package stats

// A Comparison is what the results of a Data show.
type Comparison struct {
	Versions   []string  `json:"versions"`
	Confidence float64   `json:"confidence"` // of each interval, such as 0.95
	Tables     []Table   `json:"tables"`     // one a unit; time first, then what testing reports, then others by name
	Times      []Time    `json:"times"`      // of benchmarks whose CPU time is known; never nil
	Family     Family    `json:"family"`     // all verdicts seen together
	Failures   []Failure `json:"failures"`   // never nil
	Warnings   []string  `json:"warnings"`   // never nil
	threads    []Row     // of the unit Threads
}

// FullName returns the name of a row, with its package if there are several.
func (c *Comparison) FullName(r Row) string {
	if r.Package != "" && c.Packages() > 1 {
		return r.Package + "." + r.Name
	}
	return r.Name
}

// Packages returns how many there are.
func (c *Comparison) Packages() int {
	seen := map[string]bool{}
	for _, t := range c.Tables {
		for _, row := range t.Rows {
			seen[row.Package] = true
		}
	}
	return len(seen)
}

// A Table is what the results show in one unit.
type Table struct {
	Unit    string  `json:"unit"`    // tidied by benchunit: "sec/op", not "ns/op"
	Better  int     `json:"better"`  // 1: higher values are better; -1: lower; 0: not known
	Rows    []Row   `json:"rows"`    // one a benchmark
	Geomean []Delta `json:"geomean"` // of the rows' ratios, per version; nil if there are fewer than two rows to compare
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
	N        int       `json:"n"`                  // number of samples; 0: this version has none, and the rest is empty
	Center   float64   `json:"center"`             // median
	Interval *Interval `json:"interval,omitempty"` // of the median; nil if there are too few samples for one
	Exact    bool      `json:"exact,omitempty"`    // all samples are equal
	Layout   *Layout   `json:"layout,omitempty"`   // of programs with several layouts: what these do to the values
	Samples  []Sample  `json:"samples,omitempty"`  // in the order in which they were measured
}

// A Sample is one measurement.
type Sample struct {
	Run    string  `json:"run,omitempty"`    // which run of threadcall bench; "" within one
	Round  int     `json:"round"`            // from 1; negative: unknown
	Layout int     `json:"layout,omitempty"` // of the code, from 1; 0: the one of the compiler
	Value  float64 `json:"value"`
}

// An Interval holds the true value with a confidence that is at least the Comparison's.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// A Delta is the difference of one version of a benchmark from the first version. The estimate, interval, p-value and
// verdict come from one test: the interval excludes "no difference" exactly if P <= 1-Confidence and exactly then the
// difference is visible.
type Delta struct {
	Verdict  Verdict   `json:"verdict"`
	Method   Method    `json:"method,omitempty"`
	Absolute bool      `json:"absolute,omitempty"` // Estimate and Interval are new minus old, as a ratio makes no sense
	Estimate float64   `json:"estimate"`           // new divided by old
	Interval *Interval `json:"interval,omitempty"` // of the Estimate; nil: see Needs
	P        float64   `json:"p"`                  // 0 with Exactly
	N        int       `json:"n"`                  // pairs, or samples of the version that has fewer
	Needs    int       `json:"needs,omitempty"`    // with Verdict TooFew: samples that can show anything at all
	MDE      float64   `json:"mde"`                // minimum detectable effect, as an estimate of that size is visible: 0.03 is 3 %
	Holm     bool      `json:"holm,omitempty"`     // visible also when all verdicts are taken together; see Family
	Over     int       `json:"over,omitempty"`     // of a geometric mean: the number of benchmarks in it
	Layout   *Layout   `json:"layout,omitempty"`   // of programs with several layouts: what these do to the change
}

// Visible reports whether the difference is one that noise does not explain at the Comparison's confidence.
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

// A Family is what many verdicts mean together. Each of them is wrong with a probability of at most 1-Confidence when
// nothing has changed, so in a long table some are.
type Family struct {
	Tests     int     `json:"tests"`     // verdicts that chance could have made visible
	Visible   int     `json:"visible"`   // those that are
	Expected  float64 `json:"expected"`  // how many would be by chance, at most, if nothing had changed
	Confirmed int     `json:"confirmed"` // visible ones that stay so when the error rate is that of the whole family (Holm)
}
