package trace

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// functions sums up goroutines by the function that they began with.
type functions struct {
	list []Function
	of   map[string]int32
}

func (f *functions) init() {
	f.of = map[string]int32{}
	f.number("?")
}

// number names a function; zero is the one that is not known.
func (f *functions) number(name string) int32 {
	n, ok := f.of[name]
	if !ok {
		n = int32(len(f.list))
		f.of[name] = n
		f.list = append(f.list, Function{Name: name, System: isSystem(name)})
	}
	return n
}

// isSystem tells whether goroutines that begin with the function are the runtime's, as runtime.NumGoroutine sees it.
func isSystem(name string) bool {
	return strings.HasPrefix(name, "runtime.") && name != "runtime.main"
}

// add adds what a goroutine has done.
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

// maxFunctions is how many functions are reported.
const maxFunctions = 200

func (f *functions) report() []Function {
	list := slices.DeleteFunc(slices.Clone(f.list), func(f Function) bool { return f.Goroutines == 0 })
	slices.SortFunc(list, func(a, b Function) int {
		return cmp.Or(cmp.Compare(b.Running, a.Running), cmp.Compare(a.Name, b.Name))
	})
	return list[:min(len(list), maxFunctions)]
}
