package analysis

import (
	"cmp"
	"slices"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// A population counts goroutines over time. Those from before the trace become known one by one,
// those that wait not before the end of the first generation; so they are added to all numbers in
// the end.
type population struct {
	report.Goroutines
	over report.Curve // the difference to First
}

func (p *population) report(end time.Duration) report.Goroutines {
	p.Existing = p.over.Series(end, float64(p.First))
	p.Peak, p.Last = p.First+uint64(p.over.Peak), p.First+p.Created-p.Ended
	return p.Goroutines
}

// threads counts the threads that have run a goroutine, and those that do.
type threads struct {
	busy   map[int64]bool // true while it runs one
	active report.Curve
}

// occupy records that a thread runs a goroutine, until release.
func (t *threads) occupy(id int64, now time.Duration) {
	if id >= 0 && !t.busy[id] {
		t.busy[id] = true
		t.active.Add(now, t.active.Last+1)
	}
}

func (t *threads) release(id int64, now time.Duration) {
	if t.busy[id] {
		t.busy[id] = false
		t.active.Add(now, t.active.Last-1)
	}
}

// moves sums up how goroutines moved from thread to thread.
type moves struct {
	report.Affinity
	why map[int32]*report.Count // by the name of the reason
}

func (m *moves) report() report.Affinity {
	m.Why = first(len(m.why), m.why, func(c *report.Count) float64 { return float64(c.N) })
	return m.Affinity
}

// function returns the sums of the goroutines of a function.
func (a *analysis) function(name int32) *report.Function {
	return entry(a.functions, name,
		report.Function{Name: cmp.Or(a.Name(name), "?"), System: isSystem(a.Name(name))})
}

// running returns the time for which goroutines of a function ran.
func (a *analysis) running(function string) time.Duration {
	if f := a.functions[a.name(function)]; f != nil {
		return f.Running
	}
	return 0
}

func (a *analysis) functionList() []report.Function {
	return first(maxFunctions, a.functions,
		func(x *report.Function) float64 { return float64(x.Running) })
}

// lockedFirst returns the threads that have served calls, those that served most first.
func lockedFirst(all []report.LockedThread) []report.LockedThread {
	list := append([]report.LockedThread{}, all...)
	slices.SortStableFunc(list, func(a, b report.LockedThread) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Thread, b.Thread))
	})
	return list[:min(len(list), maxLocked)]
}
