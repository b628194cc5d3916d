package judge

import (
	"math"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/report/bench"
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
	oldCPU, newCPU := at(cpu.Cells[0]), at(cpu.Cells[1])
	newWall := at(wall.Cells[1])
	var oldThreads, newThreads map[int]float64
	if threads != nil {
		oldThreads, newThreads = at(threads.Cells[0]), at(threads.Cells[1])
	}
	for round, wall := range at(wall.Cells[0]) {
		old, new := [2]float64{wall, oldCPU[round]}, [2]float64{newWall[round], newCPU[round]}
		if min(old[0], old[1], new[0], new[1]) <= 0 {
			continue
		}
		wallRatios = append(wallRatios, math.Abs(math.Log(new[0]/old[0])))
		cpuRatios = append(cpuRatios, math.Abs(math.Log(new[1]/old[1])))
		cpus = append(cpus, max(old[1]/old[0], new[1]/new[0]))
		leastCPUs = append(leastCPUs, min(old[1]/old[0], new[1]/new[0]))
		if a, b := oldThreads[round], newThreads[round]; a > 0 && b > 0 {
			share := func(x [2]float64, threads float64) float64 {
				return x[1] / (x[1] + max(0, x[0]*(1-threads)))
			}
			shares = append(shares, min(share(old, a), share(new, b)))
			ready = append(ready, max(a, b))
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
