// Package judge compares what was measured, and decides about limits.
package judge

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/report/bench"
)

// Judge completes the comparison of what was measured, and returns the report on the run.
func Judge(run *bench.Record, d *measure.Data, limits []plan.Limit) *bench.Report {
	c := &d.Comparison
	for i := range c.Tables {
		t := &c.Tables[i]
		t.Better, t.Exact = direct(d, t.Unit), d.Units.GetAssumption(t.Unit) == benchmath.AssumeExact
		slices.SortFunc(t.Rows, func(a, b bench.Row) int {
			return cmp.Or(cmp.Compare(a.Package, b.Package), natural(a.Name, b.Name))
		})
	}
	for t, row := range c.All() {
		for i := range row.Cells {
			summarize(&row.Cells[i], t.Exact)
		}
		compare(t, row, alpha)
	}
	chooseBases(c, &d.Threads)
	correct(c)
	r := &bench.Report{Record: *run, Comparison: c, Breaches: []bench.Case{},
		Undecided: []bench.Case{}}
	check(r, limits)
	return r
}

// direct returns 1 if higher values of a tidied unit are better, -1 if lower ones are, and 0 if
// that is not known.
func direct(d *measure.Data, unit string) int {
	if b := d.Units.GetBetter(unit); b != 0 || d.Units.Get(unit, "better") != nil {
		return b
	}
	if unit == "sec" || strings.HasPrefix(unit, "sec/") || unit == bench.CPUTime {
		return -1
	}
	return 0
}

// correct marks by Holm's procedure the verdicts that stay visible when the error rate is that of
// all of them together. Each alone is wrong with a probability of at most alpha if nothing has
// changed: in a long table some are. Exact differences and throughput are not among them.
func correct(c *bench.Comparison) {
	var tests []*bench.Delta
	for t, r := range c.All() {
		if d := &r.Delta; !c.Throughput(t, r) && d.Method != bench.Exactly &&
			(d.Visible() || d.Verdict == bench.Unseen) {
			tests = append(tests, d)
		}
	}
	slices.SortFunc(tests, func(a, b *bench.Delta) int { return cmp.Compare(a.P, b.P) })
	for i, d := range tests {
		if !d.Visible() || d.P > alpha/float64(len(tests)-i) {
			break
		}
		d.Holm = true
	}
}

var number = regexp.MustCompile(`[0-9]+`)

// natural compares names as people order them: n=8 before n=64.
func natural(a, b string) int {
	padded := func(name string) string {
		return number.ReplaceAllStringFunc(name, func(digits string) string {
			return strings.Repeat("0", max(0, 20-len(digits))) + digits
		})
	}
	return cmp.Or(cmp.Compare(padded(a), padded(b)), cmp.Compare(a, b))
}

// check finds the rows that break the limits, and those on which they cannot decide: the limits of
// their unit, or if there are none, those of no unit if it is known what is worse in this one.
// Throughput is a second view of the time, to which a limit for all units applies already.
func check(r *bench.Report, limits []plan.Limit) {
	of := func(unit string) []plan.Limit {
		others := func(l plan.Limit) bool { return l.Tidy() != unit }
		return slices.DeleteFunc(slices.Clone(limits), others)
	}
	for t, row := range r.Comparison.All() {
		these := of(t.Unit)
		if len(these) == 0 && t.Better != 0 && !r.Comparison.Throughput(t, row) {
			these = of("")
		}
		for _, l := range these {
			decide(r, l, t, row)
		}
	}
}

// Broken returns an error that names what broke each limit, or nil.
func Broken(breaches []bench.Case) error {
	var errs []error
	for _, at := range breaches {
		errs = append(errs, fmt.Errorf("-fail-on %s: %v", at.Limit, at))
	}
	return errors.Join(errs...)
}

// rounding is an error that a change may have: 23/20-1 is a little less than 0.15.
const rounding = 1e-12

// decide adds a row that breaks the limit, by a change that is visible and whose estimate reaches
// it. The limit is undecided if such a change would not have been visible.
func decide(r *bench.Report, l plan.Limit, t *bench.Table, row *bench.Row) {
	d, old, less := row.Delta, math.Abs(row.Cells[0].Center), l.Less
	if l.Unit == "" {
		less = t.Better > 0
	} else if d.Verdict == bench.Aside { // a limit of this unit is about this unit
		d.Verdict = d.Own
	}
	at := bench.Case{Limit: l.Text, Unit: bench.Written(t.Unit),
		Benchmark: r.Comparison.FullName(*row), FromZero: d.Absolute && old == 0}
	change, mde := d.Estimate-1, d.MDE
	if d.Absolute { // relative to what there was, unless that was nothing
		change, mde = d.Estimate/old, d.MDE/old
	}
	worse, unseen := (d.Estimate < d.Neutral()) == less, d.Verdict == bench.Unseen
	switch {
	case d.Visible() && worse && at.FromZero:
		r.Breaches = append(r.Breaches, at)
	case d.Visible() && worse && math.Abs(change) >= math.Abs(l.Change)-rounding:
		at.Change = change
		r.Breaches = append(r.Breaches, at)
	case d.Verdict == bench.TooFew, unseen && at.FromZero && d.MDE > 0:
		r.Undecided = append(r.Undecided, at)
	case unseen && !at.FromZero && mde > math.Abs(l.Change):
		at.MDE = mde
		r.Undecided = append(r.Undecided, at)
	}
}

// alpha is the error rate of a verdict.
const alpha = 1 - plan.Confidence

// compare finds how the second version of a benchmark, if there is one, differs from the first.
func compare(t *bench.Table, r *bench.Row, alpha float64) {
	if r != nil && len(r.Cells) > 1 {
		r.Delta = delta(t, r.Cells[0], r.Cells[1], alpha)
	}
}

// delta compares two cells of a row.
func delta(t *bench.Table, old, new bench.Cell, alpha float64) bench.Delta {
	a, b := partners(old, new)
	if len(a) == 0 {
		return bench.Delta{}
	}
	absolute := slices.Min(a) <= 0 || slices.Min(b) <= 0
	if old.Exact && new.Exact && old.Center == new.Center {
		same := bench.Delta{Absolute: absolute}.Neutral()
		return bench.Delta{Verdict: bench.Equal, Method: bench.Exactly, Absolute: absolute, P: 1,
			Estimate: same, Pair: [2]float64{a[0], b[0]}, N: len(a),
			Interval: &bench.Interval{Low: same, High: same}}
	}
	test := stats.Pairs(a, b, absolute, alpha)
	d := bench.Delta{Method: bench.Pairs, Absolute: absolute, Estimate: test.Estimate, N: len(a),
		Pair: stats.Typical(a, b, absolute, test.Estimate)}
	counted := t.Counted() && len(a) >= fewestCounted
	if old.Exact && new.Exact && (t.Exact || counted) {
		d.Method, d.Interval = bench.Exactly, &bench.Interval{Low: d.Estimate, High: d.Estimate}
		d.Verdict = direction(t, d)
		return d
	}
	d.P, d.Interval = test.P, test.Interval
	switch {
	case d.Interval == nil:
		d.Verdict, d.Needs = bench.TooFew, stats.MinPairs(alpha)
		return d
	case test.Rejected:
		d.Verdict = direction(t, d)
	default:
		d.Verdict = bench.Unseen
	}
	// How far the estimate would have had to be from the neutral value for the interval, moved
	// along with it, to leave that out: the longer arm of the interval.
	if d.Absolute {
		d.MDE = max(d.Estimate-d.Interval.Low, d.Interval.High-d.Estimate)
	} else {
		d.MDE = max(d.Estimate/d.Interval.Low, d.Interval.High/d.Estimate) - 1
	}
	return d
}

// fewestCounted is in how many rounds a number of allocated things must be the same to count as
// exact.
const fewestCounted = 4

func direction(t *bench.Table, d bench.Delta) bench.Verdict {
	switch up := d.Estimate > d.Neutral(); {
	case t.Better == 0:
		return bench.Changed
	case up == (t.Better > 0):
		return bench.Better
	}
	return bench.Worse
}

// summarize fills what follows from the samples.
func summarize(c *bench.Cell, exact bool) {
	var values []float64
	for _, s := range c.Samples {
		values = append(values, s.Value)
	}
	if c.N = len(values); c.N == 0 {
		return
	}
	c.Exact = slices.Min(values) == slices.Max(values)
	assume := benchmath.Assumption(benchmath.AssumeNothing)
	if exact && c.Exact {
		assume = benchmath.AssumeExact
	}
	sample := benchmath.NewSample(values, &benchmath.DefaultThresholds)
	s := assume.Summary(sample, plan.Confidence)
	c.Center = s.Center
	if len(s.Warnings) == 0 { // it has the only one that there can be if an end is infinite
		c.Interval = &bench.Interval{Low: s.Lo, High: s.Hi}
	}
}

func at(c bench.Cell) map[int]float64 {
	values := map[int]float64{}
	for _, s := range c.Samples {
		if _, ok := values[s.Round]; !ok {
			values[s.Round] = s.Value
		}
	}
	return values
}

// partners returns the values that two cells have measured in the same round.
func partners(old, new bench.Cell) (a, b []float64) {
	values := at(old)
	for _, s := range new.Samples {
		if v, ok := values[s.Round]; ok {
			delete(values, s.Round)
			a, b = append(a, v), append(b, s.Value)
		}
	}
	return a, b
}

// What decides about the basis.
const (
	quiet = 0.01 // wall time that varies by less is the basis
	// wall time that varies by less is the basis, too, unless CPU time varies by so much less:
	loud  = 0.05
	less  = 2.
	lower = 1.25 // by how much less CPU time must vary where wall time varies by more than that

	waiting  = 0.9 // of the time that it would take on a machine of its own, it uses a CPU
	several  = 1.5 // threads run or are ready to run
	parallel = 1.1 // CPUs
)

// chooseBases chooses the measure of time of each benchmark, and sets aside what is not a verdict.
func chooseBases(c *bench.Comparison, threads *bench.Table) {
	wall, cpu := c.Table(bench.WallTime), c.Table(bench.CPUTime)
	if wall == nil || cpu == nil {
		return
	}
	throughput := c.Table("B/s")
	for i := range wall.Rows {
		w := &wall.Rows[i]
		u := cpu.Row(w)
		if u == nil || w.Delta.Verdict == bench.None || u.Delta.Verdict == bench.None {
			continue
		}
		o := observe(*w, *u, threads.Row(w))
		at := bench.Time{Package: w.Package, Name: w.Name, Basis: o.basis(), Runs: o.runs()}
		if at.Basis == bench.Either && w.Delta.N < stats.MinPairs(alpha/2) {
			at.Basis = bench.Wall // half of the error rate could show nothing
		}
		rate := throughput.Row(w) // the wall time in another unit
		switch at.Basis {
		case bench.Wall:
			aside(u)
		case bench.CPU:
			aside(w)
			aside(rate)
		case bench.Either:
			compare(wall, w, alpha/2)
			compare(cpu, u, alpha/2)
			compare(throughput, rate, alpha/2)
		}
		c.Times = append(c.Times, at)
	}
}

func aside(r *bench.Row) {
	if r == nil {
		return
	}
	switch r.Delta.Verdict {
	case bench.Better, bench.Worse, bench.Changed, bench.Unseen:
		r.Delta.Own, r.Delta.Verdict = r.Delta.Verdict, bench.Aside
	}
}

// An observation has what decides about the basis, or NaN. Every number in it stays the same if
// values of the two versions are exchanged in some of the rounds.
type observation struct {
	wall, cpu float64 // how much the differences within rounds vary, relative
	share     float64 // of its own time in which the benchmark uses a CPU, or NaN
	threads   float64 // that run or are ready to run, or NaN
	// CPU time divided by wall time, which cannot be more than on a machine of its own
	cpus, leastCPUs float64
}

func observe(wall, cpu bench.Row, threads *bench.Row) observation {
	var wallRatios, cpuRatios, shares, ready, cpus, leastCPUs []float64
	type measured struct{ wall, cpu, threads float64 }
	var rounds [2]map[int]measured
	for i := range rounds {
		rounds[i] = map[int]measured{}
		cpus, ready := at(cpu.Cells[i]), map[int]float64{}
		if threads != nil {
			ready = at(threads.Cells[i])
		}
		for round, wall := range at(wall.Cells[i]) {
			rounds[i][round] = measured{wall, cpus[round], ready[round]}
		}
	}
	share := func(m measured) float64 { return m.cpu / (m.cpu + max(0, m.wall*(1-m.threads))) }
	for round, old := range rounds[0] {
		new := rounds[1][round]
		if min(old.wall, old.cpu, new.wall, new.cpu) <= 0 {
			continue
		}
		wallRatios = append(wallRatios, math.Abs(math.Log(new.wall/old.wall)))
		cpuRatios = append(cpuRatios, math.Abs(math.Log(new.cpu/old.cpu)))
		cpus = append(cpus, max(old.cpu/old.wall, new.cpu/new.wall))
		leastCPUs = append(leastCPUs, min(old.cpu/old.wall, new.cpu/new.wall))
		if min(old.threads, new.threads) > 0 {
			shares = append(shares, min(share(old), share(new)))
			ready = append(ready, max(old.threads, new.threads))
		}
	}
	return observation{stats.Spread(wallRatios), stats.Spread(cpuRatios), stats.Median(shares),
		stats.Median(ready), stats.Median(cpus), stats.Median(leastCPUs)}
}

func (o observation) runs() bench.Runs {
	switch {
	case o.cpus > parallel || o.threads > several:
		return bench.OnMany
	case o.share < waiting:
		return bench.Waits
	case o.leastCPUs >= waiting || o.share >= waiting:
		return bench.OnOne
	}
	return bench.Unknown
}

func (o observation) basis() bench.Basis {
	if o.wall < quiet || o.wall < loud && o.wall < less*o.cpu ||
		o.wall < lower*o.cpu {
		return bench.Wall
	}
	switch o.runs() {
	case bench.OnOne:
		return bench.CPU
	case bench.OnMany:
		return bench.Either
	}
	return bench.Wall
}
