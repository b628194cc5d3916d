package heap

import (
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
)

// Package returns the import path of the function's package.
func (f Frame) Package() string { return symbol.Package(f.Function) }

// OfRuntime reports whether the function is the runtime's own.
func (f Frame) OfRuntime() bool {
	p := f.Package()
	return p == "runtime" || strings.HasPrefix(p, "internal/runtime/") || strings.HasPrefix(p, "runtime/internal/") ||
		strings.HasSuffix(f.File, "/src/runtime/malloc.go") || // under other names: reflect.unsafe_New
		strings.HasSuffix(f.File, "/src/runtime/map.go") || strings.HasSuffix(f.File, "/src/runtime/chan.go")
}

// callbacks are the functions of package testing that call the tests' own.
var callbacks = map[string]bool{
	"testing.(*B).runN": true, "testing.tRunner": true, "testing.(*B).RunParallel.func1": true,
	"testing.AllocsPerRun": true, "testing.runExample": true,
}

// ofTesting reports whether the allocation belongs to package testing, as its printing does, or to what writes the
// profile, and not to a function that testing calls back. Std reports which packages are of the standard library
// and so are called by testing for itself.
func (s Stack) ofTesting(std func(path string) bool) bool {
	for i, f := range s {
		if strings.Contains(f.Function, ".threadcallAllocs") || strings.HasSuffix(f.Function, "/internal/record.Write") {
			return true
		}
		if f.Package() == "testing" {
			return !callbacks[f.Function] || i == 0 || s[i-1].OfRuntime() || std(s[i-1].Package())
		}
	}
	return false
}

// Site splits the stack into what the runtime did, the place that allocated, and its callers: s[site] is the first frame
// that is not the runtime's own, or the last if all are.
func (s Stack) Site() (site int) {
	for i, f := range s {
		if !f.OfRuntime() {
			return i
		}
	}
	return len(s) - 1
}

// Chain returns the frames of the function that contains frame i, the innermost first: those that were inlined into
// it, and itself.
func (s Stack) Chain(i int) Stack {
	for j := i; j < len(s); j++ {
		if !s[j].Inlined {
			return s[i : j+1]
		}
	}
	return s[i:]
}
