package bisect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/judge"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/measure"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A difference is what the ends show of a benchmark in a unit.
type difference struct {
	value
	worse Coin
	logs  []float64 // of ratios of the bad end to the good one
}

// String returns "BenchmarkX of example.com/p differs by +1.2%, ns/op".
func (d *difference) String() string {
	return fmt.Sprintf("%s of %s differs by %s, %s", d.job.Benchmark, d.job.Package,
		ratio(d.logs), judge.Written(d.unit))
}

// units are those by which commits are judged.
func (x *searcher) units() []string {
	if x.set.Unit != "" {
		_, unit := benchunit.Tidy(1, x.set.Unit)
		return []string{unit}
	}
	return []string{"sec/op", measure.CPUTime}
}

// ends measures both ends until a benchmark visibly differs, and chooses it.
func (x *searcher) ends(ctx context.Context) error {
	m := measure.Benchmarks(x.set, x.log, x.builder.Versions, x.builder)
	x.data = m.Data
	if err := m.Calibrate(ctx, x.builder.Benchmarks); err != nil {
		return x.interrupted(err)
	}
	jobs := slices.DeleteFunc(m.Jobs, func(j *measure.Job) bool {
		return slices.Contains(j.Versions, nil)
	})
	if len(jobs) == 0 {
		return x.interrupted(errors.New("no benchmark works at both ends of the range, in test " +
			"binaries that differ"))
	}
	var all []*difference // those of the first round, which share the error rate
	for n := 1; n <= x.set.Count; n++ {
		x.log.Progress(fmt.Sprintf("both ends: round %d of at most %d", n, x.set.Count))
		seen, err := x.round(ctx, jobs...)
		if err != nil {
			return x.interrupted(err)
		}
		if n == 1 {
			for at := range seen {
				all = append(all, &difference{value: at})
			}
			// In the order of their names, and the units of each with wall time before CPU time.
			slices.SortFunc(all, func(a, b *difference) int {
				return cmp.Or(strings.Compare(a.job.Package+"."+a.name, b.job.Package+"."+b.name),
					-strings.Compare(a.unit, b.unit))
			})
		}
		if len(all) == 0 {
			return fmt.Errorf("no benchmark reports %s", strings.Join(x.units(), " or "))
		}
		for _, d := range all {
			values := seen[d.value]
			if values == nil {
				continue
			}
			d.worse.Add((values[1] - values[0]) * x.sign(d.unit))
			if values[0] > 0 && values[1] > 0 { // from nothing to something there is no ratio
				d.logs = append(d.logs, math.Log(values[1]/values[0]))
			}
		}
		if n >= bisectFirst && x.pick(all) {
			return nil
		}
	}
	for _, d := range all {
		x.log.Note("Inconclusive: %s", d)
	}
	x.Stopped = "the bad end of the range is not visibly worse in " + ui.Counted(x.Rounds,
		"round", "rounds")
	return errors.New(x.Stopped + "; use more (-count), choose a benchmark (-bench), or another " +
		"unit (-unit)")
}

// sign is 1 if more of the unit is worse.
func (x *searcher) sign(unit string) float64 {
	if judge.Direction(x.data, unit) > 0 {
		return -1
	}
	return 1
}

// pick chooses the benchmark and unit by which commits are judged, of those that are visibly worse
// at the bad end. It reports whether there is one.
func (x *searcher) pick(all []*difference) bool {
	var best *difference
	var visible []*difference
	for _, d := range all {
		if !d.worse.Rejects(bisectAlpha / float64(len(all))) {
			continue
		}
		visible = append(visible, d)
		if best == nil || rather(d, best) {
			best = d
		}
	}
	if best == nil {
		return false
	}
	x.target = best.value
	x.Package, x.Benchmark, x.Unit = best.job.Package, best.job.Benchmark, best.unit
	x.whole = slices.Clone(best.logs)
	x.Whole = ratio(x.whole)
	for _, d := range visible {
		if d.name != best.name || d.job != best.job {
			x.log.Note("%s, too; -bench chooses it.", d)
		}
	}
	return true
}

// rather reports whether to judge by d rather than by the other. Of the same benchmark, wall time
// comes before CPU time unless it varies more.
func rather(d, other *difference) bool {
	if d.job == other.job && d.name == other.name && d.unit != other.unit {
		wall, cpu := d, other
		if d.unit == measure.CPUTime {
			wall, cpu = other, d
		}
		steady := !(stats.Spread(wall.logs) > max(0.01, 2*stats.Spread(cpu.logs)))
		return (d == wall) == steady
	}
	if wealth := d.worse.Wealth() - other.worse.Wealth(); math.Abs(wealth) > 1e-9 {
		return wealth > 0
	}
	size := func(d *difference) float64 { return math.Abs(math.Log(ratio(d.logs).Estimate)) }
	return size(d) > size(other) // one from nothing is infinite
}

// ratio summarizes logarithms of ratios.
func ratio(logs []float64) Ratio {
	if len(logs) == 0 {
		return Ratio{}
	}
	r := Ratio{Estimate: math.Exp(stats.Median(logs))}
	low, high := Interval(logs, 1-plan.Confidence)
	if !math.IsInf(low, 0) && !math.IsInf(high, 0) {
		r.Interval = &stats.Interval{Low: math.Exp(low), High: math.Exp(high)}
	}
	return r
}
