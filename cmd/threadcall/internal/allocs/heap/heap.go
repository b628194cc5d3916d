// Package heap works with profiles of package hook: what one operation allocates is the difference
// of two.
package heap

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/hook"
	"github.com/threadcall/threadcall/cmd/threadcall/report/alloc"
)

// A Stack is a chain of calls, the innermost first.
type Stack []alloc.Frame

// A Sample is what was allocated with one stack and one size.
type Sample struct {
	Stack Stack
	Size  int64        // bytes of each object
	Each  alloc.Amount // for each operation
}

// Samples is what a program has allocated.
type Samples struct {
	Samples []Sample
	Counted alloc.Amount // by the runtime, for each operation or altogether
	More    int          // operations that the longer run had more
	Hidden  float64      // objects that the profile lacks: small ones that share a block
	Go      string       // the version
}

type key struct {
	stack string
	size  int64
}

// sum adds up the records with the same stack and size. Those of the testing package's own are left
// out.
func sum(p *hook.Profile) map[key]Sample {
	samples := map[key]Sample{}
	for _, r := range p.Records {
		if r.Objects == 0 {
			continue
		}
		var stack Stack
		for _, at := range r.Stack {
			stack = append(stack, p.Frames[at])
		}
		if stack.ofTesting() {
			continue
		}
		k := key{fmt.Sprintf("%+v", stack), r.Bytes / r.Objects}
		s := samples[k]
		s.Stack, s.Size = stack, k.size
		s.Each = s.Each.Plus(alloc.Amount{Objects: float64(r.Objects), Bytes: float64(r.Bytes)})
		samples[k] = s
	}
	return samples
}

// Own returns the first frame at or above the site that is not of the standard library, or the
// length of the stack.
func (s Stack) Own() int {
	i := s.Site()
	for i < len(s) && (s[i].Standard || s[i].OfCgo()) {
		i++
	}
	return i
}

// ByChance reports whether so many objects an operation may be in the difference although they are
// independent of the operations: less than one in a hundred, or a handful altogether.
func (s Samples) ByChance(objects float64) bool {
	return math.Abs(objects) < 0.01 || math.Abs(objects)*float64(s.More) < 8
}

// Difference returns what one operation allocates, from a run of n operations and one of 2n. If the
// first run is empty and n is 1, Each has all of the second run. The testing package's own
// allocations are left out.
func Difference(short, long *hook.Profile, n int) Samples {
	a, b := sum(short), sum(long)
	for k, one := range a {
		if _, both := b[k]; !both {
			b[k] = Sample{Stack: one.Stack, Size: one.Size}
		}
	}
	s := Samples{More: n, Go: long.Go, Counted: counted(long).Per(float64(n), counted(short))}
	s.Hidden = s.Counted.Objects - (recorded(long)-recorded(short))/float64(n)
	for _, k := range slices.SortedFunc(maps.Keys(b), func(a, b key) int { // in each run the same
		return cmp.Or(cmp.Compare(a.stack, b.stack), cmp.Compare(a.size, b.size))
	}) {
		two := b[k]
		two.Each = two.Each.Per(float64(n), a[k].Each)
		s.Samples = append(s.Samples, two)
	}
	return s
}

func counted(p *hook.Profile) alloc.Amount {
	return alloc.Amount{Objects: float64(p.Objects), Bytes: float64(p.Bytes)}
}

// recorded returns how many objects the profile has.
func recorded(p *hook.Profile) (n float64) {
	for _, r := range p.Records {
		n += float64(r.Objects)
	}
	return n
}

// callbacks are the functions of package testing that call the tests' own.
var callbacks = map[string]bool{
	"testing.(*B).runN": true, "testing.(*B).RunParallel.func1": true, "testing.AllocsPerRun": true,
}

// ofTesting reports whether the allocation belongs to package testing, as that of the profile does,
// and not to a function that testing calls back.
func (s Stack) ofTesting() bool {
	for i, f := range s {
		if f.Package() == "testing" {
			return !callbacks[f.Function] || i == 0 || s[i-1].Standard
		}
	}
	return false
}

// Site splits the stack into what the runtime did, the place that allocated, and its callers:
// s[site] is the first frame that is not the runtime's own, or the last if all are.
func (s Stack) Site() (site int) {
	for i, f := range s {
		if !f.OfRuntime() {
			return i
		}
	}
	return len(s) - 1
}

// Chain returns the frames of the function that contains frame i, the innermost first: those that
// were inlined into it, and itself.
func (s Stack) Chain(i int) Stack {
	for j := i; j < len(s); j++ {
		if !s[j].Inlined {
			return s[i : j+1]
		}
	}
	return s[i:]
}
