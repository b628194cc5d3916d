package bisect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/rounds"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A difference is what the ends show of a benchmark in a unit.
type difference struct {
	job           *rounds.Job
	name, unit    string
	worse, better Coin
	logs          []float64
}

// spread is the range of the middle half.
func (d *difference) spread() float64 {
	if len(d.logs) == 0 {
		return 0
	}
	return stats.Spread(d.logs)
}

// units are those by which commits are judged.
func (x *searcher) units() []string {
	if x.set.Unit != "" {
		_, unit := benchunit.Tidy(1, x.set.Unit)
		return []string{unit}
	}
	return []string{"sec/op", stats.CPUTime}
}

// ends measures both ends until a benchmark visibly differs, and chooses it.
func (x *searcher) ends(ctx context.Context) error {
	m := measure.Measurement{Set: x.set, Log: x.log, Run: measure.NewRun(x.set), Jobs: x.jobs, Data: x.builder.Data}
	m.Run.Versions = x.builder.Versions.List
	if err := m.Calibrate(ctx); err != nil {
		return x.interrupted(err)
	}
	x.jobs = slices.DeleteFunc(m.Jobs, func(j *rounds.Job) bool { return slices.Contains(j.Versions, nil) })
	if len(x.jobs) == 0 {
		return errors.New("no benchmark works at both ends of the range")
	}
	all := map[[2]string]*difference{}
	for n := 1; n <= x.set.Count; n++ {
		x.log.Progress(fmt.Sprintf("both ends: round %d of at most %d", n, x.set.Count))
		seen, err := x.measure(ctx, x.jobs, n)
		if err != nil {
			return x.interrupted(err)
		}
		for key, values := range seen {
			if n > 1 && all[key.plain()] == nil { // those of the first round share the error rate
				continue
			}
			d := all[key.plain()]
			if d == nil {
				d = &difference{job: key.job, name: key.name, unit: key.unit}
				all[key.plain()] = d
			}
			more := (values[1] - values[0]) * x.sign(key.unit)
			d.worse.Add(more)
			d.better.Add(-more)
			if values[0] > 0 && values[1] > 0 { // from nothing to something there is no ratio
				d.logs = append(d.logs, math.Log(values[1]/values[0]))
			}
		}
		if len(all) == 0 {
			return fmt.Errorf("no benchmark reports %s", strings.Join(x.units(), " or "))
		}
		if n >= bisectFirst && x.pick(all, n >= 2*bisectFirst) {
			return nil
		}
	}
	if x.pick(all, true) {
		return nil
	}
	for _, key := range slices.SortedFunc(maps.Keys(all), byName) {
		d := all[key]
		x.Also = append(x.Also, Also{d.job.Package, d.job.Benchmark, d.unit, ratio(d.logs)})
	}
	x.Stopped = fmt.Sprintf("the ends of the range do not differ visibly in %s", ui.Counted(x.Rounds, "round", "rounds"))
	more := "-count"
	if x.Layouts > 0 {
		more = "-layouts"
	}
	return errors.New(x.Stopped + "; use more (" + more + "), choose a benchmark (-bench), or another unit (-unit)")
}

// byName orders benchmarks, and the units of each with wall time before CPU time.
func byName(a, b [2]string) int {
	return cmp.Or(strings.Compare(a[0], b[0]), -strings.Compare(a[1], b[1]))
}

// sign is 1 if more of the unit is worse.
func (x *searcher) sign(unit string) float64 {
	if stats.Direction(x.builder.Data.Units, unit) > 0 {
		return -1
	}
	return 1
}

// pick chooses the benchmark and unit by which commits are judged: what is worse at the bad end, or if there is none and
// better is set, what is better there.
func (x *searcher) pick(all map[[2]string]*difference, better bool) bool {
	alpha := bisectAlpha / float64(2*len(all))
	keys := slices.SortedFunc(maps.Keys(all), byName)
	for _, isBetter := range []bool{false, true}[:1+btoi(better)] {
		coin := func(d *difference) Coin {
			if isBetter {
				return d.better
			}
			return d.worse
		}
		var best *difference
		visible := []*difference{}
		for _, key := range keys {
			d := all[key]
			if !coin(d).Rejects(alpha) {
				continue
			}
			visible = append(visible, d)
			if best == nil || x.rather(d, best, coin(d).Wealth(), coin(best).Wealth()) {
				best = d
			}
		}
		if best == nil {
			continue
		}
		x.target, x.row, x.Better = best.job, best.name, isBetter
		x.Package, x.Benchmark, x.Unit = best.job.Package, best.job.Benchmark, best.unit
		x.whole = slices.Clone(best.logs)
		x.Whole = ratio(x.whole)
		for _, d := range visible {
			if d.name != best.name || d.job != best.job {
				x.Also = append(x.Also, Also{d.job.Package, d.job.Benchmark, d.unit, ratio(d.logs)})
			}
		}
		return true
	}
	return false
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rather reports whether to judge by d rather than by the other. Of the same benchmark, wall time comes before CPU time unless it
// varies more.
func (x *searcher) rather(d, other *difference, wealth, others float64) bool {
	if d.job == other.job && d.name == other.name && d.unit != other.unit {
		wall, cpu := d, other
		if d.unit == stats.CPUTime {
			wall, cpu = other, d
		}
		steady := wall.spread() <= max(0.01, 2*cpu.spread())
		return (d == wall) == steady
	}
	if math.Abs(wealth-others) > 1e-9 {
		return wealth > others
	}
	return math.Abs(math.Log(ratio(d.logs).Estimate)) > math.Abs(math.Log(ratio(other.logs).Estimate)) // one from nothing is infinite
}

// ratio summarises logarithms of ratios.
func ratio(logs []float64) Ratio {
	if len(logs) == 0 {
		return Ratio{}
	}
	r := Ratio{Estimate: math.Exp(stats.Median(logs))}
	if low, high := Interval(logs, 1-stats.Confidence); !math.IsInf(low, 0) && !math.IsInf(high, 0) {
		r.Interval = &stats.Interval{Low: math.Exp(low), High: math.Exp(high)}
	}
	return r
}
