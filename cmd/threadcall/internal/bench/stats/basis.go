package stats

import (
	"fmt"
	"math"

	"github.com/aclements/go-moremath/stats"
)

// A Time is what is found out about the time of a benchmark in a version, and from which measure: wall time (sec/op), or
// the CPU time of the process (CPUTime), which hardly depends on what else the machine does.
//
// The measure is chosen without knowledge of which of the two values of a round belongs to which version. Such a choice
// does not change how often the test of the chosen measure is wrong. The Delta of the other one has the verdict Aside.
type Time struct {
	Package string `json:"package,omitempty"`
	Name    string `json:"name"`
	Version string `json:"version"`
	Basis   Basis  `json:"basis"`
	Runs    Runs   `json:"runs"`
	Summary string `json:"summary"` // "2.9% more CPU; wall time inconclusive here"
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

// What decides about the basis.
const (
	quiet = 0.01 // wall time that varies by less is the basis
	loud  = 0.05 // wall time that varies by less is the basis, too, unless CPU time varies by so much less:
	less  = 2.
	lower = 1.25 // by how much less CPU time must vary where wall time varies by more than that

	waiting  = 0.9 // of the time that it would take on a machine of its own, it uses a CPU
	several  = 1.5 // threads run or are ready to run
	parallel = 1.1 // CPUs
)

// time chooses the bases, and sets aside what is no verdict.
func (c *Comparison) time() {
	c.Times = []Time{}
	wall, cpu := c.table("sec/op"), c.table(CPUTime)
	if wall == nil || cpu == nil {
		return
	}
	throughput := c.table("B/s")
	onCPU := make([]int, len(c.Versions)) // rows that rest on CPU time, less those that do not
	for _, w := range wall.Rows {
		u := cpu.row(w)
		if u == nil {
			continue
		}
		threads := (&Table{Rows: c.threads}).row(w)
		for v := 1; v < len(w.Deltas); v++ {
			if w.Deltas[v].Verdict == None || u.Deltas[v].Verdict == None {
				continue
			}
			o := observe(w, *u, threads, v)
			at := Time{Package: w.Package, Name: w.Name, Version: c.Versions[v], Basis: o.basis(), Runs: o.runs()}
			if at.Basis == Either && w.Deltas[v].N < samplesNeeded(Pairs, (1-Confidence)/2) {
				at.Basis = Wall // half of the error rate could show nothing
			}
			switch at.Basis {
			case Wall:
				aside(&u.Deltas[v])
				onCPU[v]--
			case CPU:
				aside(&w.Deltas[v])
				onCPU[v]++
			case Either:
				wall.half(w, v)
				cpu.half(*u, v)
				onCPU[v]--
			}
			if throughput != nil { // the wall time in another unit
				if r := throughput.row(w); r != nil && at.Basis == CPU {
					aside(&r.Deltas[v])
				} else if r != nil && at.Basis == Either && r.Deltas[v].Verdict != None {
					throughput.half(*r, v)
				}
			}
			at.Summary = summary(wall, cpu, w.Deltas[v], u.Deltas[v], at)
			c.Times = append(c.Times, at)
		}
	}
	for v := range c.Versions {
		for _, t := range []*Table{wall, cpu, throughput} {
			if t != nil && v < len(t.Geomean) && (onCPU[v] > 0) != (t == cpu) {
				aside(&t.Geomean[v])
			}
		}
	}
}

// Time returns what is known about the time of a benchmark, or nil if it has no CPU time.
func (c *Comparison) Time(r Row, version int) *Time {
	for i, t := range c.Times {
		if t.Package == r.Package && t.Name == r.Name && t.Version == c.Versions[version] {
			return &c.Times[i]
		}
	}
	return nil
}

// half judges a row again with half of the error rate.
func (t *Table) half(r Row, v int) {
	layout := r.Deltas[v].Layout
	r.Deltas[v] = t.deltaAt(r.Cells[0].perLayout(), r.Cells[v].perLayout(), (1-Confidence)/2)
	r.Deltas[v].Layout = layout
}

func aside(d *Delta) {
	switch d.Verdict {
	case Better, Worse, Changed, Unseen:
		d.Verdict = Aside
	}
}

func (c *Comparison) table(unit string) *Table {
	for i := range c.Tables {
		if c.Tables[i].Unit == unit {
			return &c.Tables[i]
		}
	}
	return nil
}

// row returns the one of the same benchmark.
func (t *Table) row(of Row) *Row {
	for i := range t.Rows {
		if r := &t.Rows[i]; r.Package == of.Package && r.Name == of.Name {
			return r
		}
	}
	return nil
}

func summary(wall, cpu *Table, w, u Delta, at Time) string {
	inconclusive := "inconclusive"
	if w.Verdict == TooFew {
		return fmt.Sprintf("needs %d values", w.Needs)
	}
	of := ""
	if w.Visible() {
		return wall.Change(w) + " " + wall.Word(w)
	}
	if at.Runs == OnMany {
		of = ", of several CPUs"
	}
	if u.Visible() {
		return cpu.Percentage(u) + " " + cpu.Word(u) + " CPU" + of + "; wall time inconclusive here"
	}
	return inconclusive
}

// Percentage returns the size of the estimate without its sign, which a word has.
func (t *Table) Percentage(d Delta) string {
	text := t.Change(d)
	if text != "" && (text[0] == '+' || text[0] == '-') {
		return text[1:]
	}
	return text
}

// An observation has what decides about the basis. Every number in it stays the same if values of the two versions are
// exchanged in some of the rounds.
type observation struct {
	wall, cpu  float64 // how much the differences within rounds vary, relative
	share      float64 // of its own time in which the benchmark uses a CPU, or NaN
	threads    float64 // that run or are ready to run, or NaN
	cpus       float64 // CPU time divided by wall time, which cannot be more than on a machine of its own
	leastCPUs  float64
	comparable bool // all values are positive
}

func observe(wall, cpu Row, threads *Row, v int) observation {
	type values struct{ wall, cpu, threads float64 }
	collect := func(cell int) map[place]values {
		all := map[place]values{}
		read := func(c Cell, set func(*values, float64)) {
			for _, s := range c.perLayout().Samples {
				at := s.at()
				x := all[at]
				set(&x, s.Value)
				all[at] = x
			}
		}
		read(wall.Cells[cell], func(x *values, n float64) { x.wall = n })
		read(cpu.Cells[cell], func(x *values, n float64) { x.cpu = n })
		if threads != nil {
			read(threads.Cells[cell], func(x *values, n float64) { x.threads = n })
		}
		return all
	}
	old, new := collect(0), collect(v) // of layouts, if there are several
	var wallRatios, cpuRatios, shares, ready, cpus, leastCPUs []float64
	for at, o := range old {
		n, ok := new[at]
		if !ok || at.number < 0 || min(o.wall, o.cpu, n.wall, n.cpu) <= 0 {
			continue
		}
		wallRatios = append(wallRatios, math.Abs(math.Log(n.wall/o.wall)))
		cpuRatios = append(cpuRatios, math.Abs(math.Log(n.cpu/o.cpu)))
		cpus = append(cpus, max(o.cpu/o.wall, n.cpu/n.wall))
		leastCPUs = append(leastCPUs, min(o.cpu/o.wall, n.cpu/n.wall))
		if o.threads > 0 && n.threads > 0 {
			share := func(x values) float64 { return x.cpu / (x.cpu + max(0, x.wall*(1-x.threads))) }
			shares = append(shares, min(share(o), share(n)))
			ready = append(ready, max(o.threads, n.threads))
		}
	}
	return observation{Spread(wallRatios), Spread(cpuRatios), Median(shares), Median(ready), Median(cpus), Median(leastCPUs), len(cpus) > 0}
}

// Median returns the middle of the values, or NaN without any.
func Median(xs []float64) float64 { return stats.Sample{Xs: xs}.Quantile(0.5) }

// Spread is the range of the middle half, or NaN without values.
func Spread(xs []float64) float64 { return stats.Sample{Xs: xs}.IQR() }

func (o observation) runs() Runs {
	switch {
	case o.cpus > parallel || o.threads > several:
		return OnMany
	case o.share < waiting:
		return Waits
	case o.leastCPUs >= waiting || o.share >= waiting:
		return OnOne
	}
	return Unknown
}

func (o observation) basis() Basis {
	if !o.comparable || o.wall < quiet || o.wall < loud && o.wall < less*o.cpu || o.wall < lower*o.cpu {
		return Wall
	}
	switch o.runs() {
	case OnOne:
		return CPU
	case OnMany:
		return Either
	}
	return Wall
}
