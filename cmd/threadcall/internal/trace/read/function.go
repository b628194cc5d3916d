package read

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// functions sums up goroutines by their outermost function.
type functions struct {
	list []report.Function
	of   map[string]int32
}

func (f *functions) init() {
	f.of = map[string]int32{}
	f.number("?")
}

// number returns the index of a function; zero is the unknown one.
func (f *functions) number(name string) int32 {
	n, ok := f.of[name]
	if !ok {
		n = int32(len(f.list))
		f.of[name] = n
		f.list = append(f.list, report.Function{Name: name, System: isSystem(name)})
	}
	return n
}

// isSystem reports whether goroutines of the function are the runtime's, as for runtime.NumGoroutine.
func isSystem(name string) bool {
	return strings.HasPrefix(name, "runtime.") && name != "runtime.main"
}

// add adds the sums of a goroutine.
func (f *functions) add(g *goroutine) {
	sum := &f.list[g.function]
	sum.Goroutines++
	sum.Executions += uint64(g.executions)
	sum.Moves += uint64(g.moves)
	sum.Running += g.times.running
	sum.Runnable += g.times.runnable
	sum.Waiting += g.times.waiting
	sum.Syscall += g.times.syscall
}

func (f *functions) running(name string) time.Duration {
	if n, ok := f.of[name]; ok {
		return f.list[n].Running
	}
	return 0
}

// maxFunctions limits the functions in a report.
const maxFunctions = 200

func (f *functions) report() []report.Function {
	list := slices.DeleteFunc(slices.Clone(f.list), func(f report.Function) bool { return f.Goroutines == 0 })
	slices.SortFunc(list, func(a, b report.Function) int {
		return cmp.Or(cmp.Compare(b.Running, a.Running), cmp.Compare(a.Name, b.Name))
	})
	return list[:min(len(list), maxFunctions)]
}

// A population counts goroutines over time. Those from before the trace become known one by one, those that wait not
// before the end of the first generation; so they are added to all numbers in the end.
type population struct {
	before, created, ended uint64
	difference, most       int64 // to before
	over                   report.Curve
	system                 uint64
}

func (p *population) change(now time.Duration, by int64) {
	p.difference += by
	p.most = max(p.most, p.difference)
	p.over.Add(now, float64(p.difference))
}

func (p *population) report(end time.Duration) report.Goroutines {
	return report.Goroutines{
		Existing: p.over.Series(end, float64(p.before)), First: p.before, Peak: p.before + uint64(p.most),
		Last: uint64(int64(p.before) + p.difference), Created: p.created, Ended: p.ended, System: p.system,
	}
}
