package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/threadcall/threadcall/cmd/threadcall/report/trace"
)

// The limits of lists in a report.
const (
	maxPlaces    = 500 // of waits, of calls
	maxFunctions = 200
	shown        = 10 // slow calls, goroutines, places that end waits or make many ready
)

// first returns the values of a map with the greatest weights, at most limit. It is never nil,
// which would be null in JSON.
func first[K comparable, T any](limit int, all map[K]*T, weight func(*T) float64) []T {
	list := []T{}
	for _, key := range slices.SortedFunc(maps.Keys(all), func(a, b K) int {
		if heavier := cmp.Compare(weight(all[b]), weight(all[a])); heavier != 0 {
			return heavier
		}
		return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) // in each run the same
	}) {
		if len(list) < limit {
			list = append(list, *all[key])
		}
	}
	return list
}

// entry returns what a map has for a key, at first a copy of initial.
func entry[K comparable, T any](all map[K]*T, key K, initial T) *T {
	if all[key] == nil {
		all[key] = new(T)
		*all[key] = initial
	}
	return all[key]
}

// A population counts goroutines. Those from before the trace become known one by one, those that
// wait not before the end of the first generation; so First is added to the peak in the end.
type population struct {
	trace.Goroutines
	more, peak int64 // than First
}

func (p *population) change(n int64) {
	p.more += n
	p.peak = max(p.peak, p.more)
}

func (p *population) finish() {
	p.Peak, p.Last = p.First+uint64(p.peak), p.First+p.Created-p.Ended
}

// function returns the sums of the goroutines of a function.
func (a *analysis) function(name string) *trace.Function {
	return entry(a.functions, name, trace.Function{Name: cmp.Or(name, trace.NoFunction)})
}

func (a *analysis) functionList() []trace.Function {
	for key, at := range a.stopped {
		if f := a.function(key.function); at.Time > f.RanAt.Time {
			f.RanAt = *at
		}
	}
	return first(maxFunctions, a.functions,
		func(x *trace.Function) float64 { return float64(x.Running) })
}
