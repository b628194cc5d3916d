package judge

import (
	"math"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/stats"
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

// time chooses the bases, and sets aside what is not a verdict.
func (c *Comparison) time() {
	c.Times = []Time{}
	wall, cpu := c.Table("sec/op"), c.Table(measure.CPUTime)
	if wall == nil || cpu == nil {
		return
	}
	throughput := c.Table("B/s")
	for i := range wall.Rows {
		w := &wall.Rows[i]
		u := cpu.row(w)
		if u == nil {
			continue
		}
		if w.Delta.Verdict == None || u.Delta.Verdict == None {
			continue
		}
		o := observe(*w, *u, c.threads.row(w))
		at := Time{Package: w.Package, Name: w.Name, Basis: o.basis(), Runs: o.runs()}
		if at.Basis == Either && w.Delta.N < stats.MinPairs(alpha/2) {
			at.Basis = Wall // half of the error rate could show nothing
		}
		rate := throughput.row(w) // the wall time in another unit
		switch at.Basis {
		case Wall:
			aside(u)
		case CPU:
			aside(w)
			aside(rate)
		case Either:
			wall.compare(w, alpha/2)
			cpu.compare(u, alpha/2)
			throughput.compare(rate, alpha/2)
		}
		c.Times = append(c.Times, at)
	}
}

func aside(r *Row) {
	if r == nil {
		return
	}
	switch r.Delta.Verdict {
	case Better, Worse, Changed, Unseen:
		r.Delta.own, r.Delta.Verdict = r.Delta.Verdict, Aside
	}
}

// An observation has what decides about the basis. Every number in it stays the same if values of
// the two versions are exchanged in some of the rounds.
type observation struct {
	wall, cpu float64 // how much the differences within rounds vary, relative
	share     float64 // of its own time in which the benchmark uses a CPU, or NaN
	threads   float64 // that run or are ready to run, or NaN
	// CPU time divided by wall time, which cannot be more than on a machine of its own
	cpus       float64
	leastCPUs  float64
	comparable bool // all values are positive
}

func observe(wall, cpu Row, threads *Row) observation {
	var wallRatios, cpuRatios, shares, ready, cpus, leastCPUs []float64
	oldCPU, newCPU := cpu.Cells[0].at(), cpu.Cells[1].at()
	newWall := wall.Cells[1].at()
	var oldThreads, newThreads map[int]float64
	if threads != nil {
		oldThreads, newThreads = threads.Cells[0].at(), threads.Cells[1].at()
	}
	for at, wall := range wall.Cells[0].at() {
		old, new := [2]float64{wall, oldCPU[at]}, [2]float64{newWall[at], newCPU[at]}
		if min(old[0], old[1], new[0], new[1]) <= 0 {
			continue
		}
		wallRatios = append(wallRatios, math.Abs(math.Log(new[0]/old[0])))
		cpuRatios = append(cpuRatios, math.Abs(math.Log(new[1]/old[1])))
		cpus = append(cpus, max(old[1]/old[0], new[1]/new[0]))
		leastCPUs = append(leastCPUs, min(old[1]/old[0], new[1]/new[0]))
		if a, b := oldThreads[at], newThreads[at]; a > 0 && b > 0 {
			share := func(x [2]float64, threads float64) float64 {
				return x[1] / (x[1] + max(0, x[0]*(1-threads)))
			}
			shares = append(shares, min(share(old, a), share(new, b)))
			ready = append(ready, max(a, b))
		}
	}
	return observation{stats.Spread(wallRatios), stats.Spread(cpuRatios), stats.Median(shares),
		stats.Median(ready), stats.Median(cpus), stats.Median(leastCPUs), len(cpus) > 0}
}

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
	if !o.comparable || o.wall < quiet || o.wall < loud && o.wall < less*o.cpu ||
		o.wall < lower*o.cpu {
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
