// Package heap works with profiles of what benchmarks allocate: what one operation allocates is the
// difference of two.
package heap

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/report/alloc"
)

// Hook has the source that becomes a part of package testing by an overlay, and makes benchmarks
// write down what they allocate.
//
//go:embed testdata
var Hook embed.FS

// ProfileVariable is a variable of the environment: the file for the profile. Empty: there is none.
const ProfileVariable = "THREADCALL_ALLOCS_PROFILE"

// A Profile has what a benchmark has allocated while its timer ran and since it was last reset, in
// all its runs, with the runtime's own frames, which runtime/pprof leaves out: they tell an append
// from a channel, and a channel from a goroutine's wait.
type Profile struct {
	Objects, Bytes uint64 // counted by the runtime, each tiny object by itself
	Frames         []alloc.Frame
	Records        []Record
}

// A Record is what was allocated with one stack and one size. Objects without pointers that are
// smaller than 16 bytes share blocks of 16; those count as one object then.
type Record struct {
	Objects, Bytes int64
	Stack          []int // in Frames, innermost first; at most 32 functions not inlined
}

// ReadFile reads the profile of a process.
func ReadFile(path string) (*Profile, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := &Profile{}
	err = json.Unmarshal(text, p)
	for i := range p.Frames {
		p.Frames[i].Function = symbol.Unescape(p.Frames[i].Function)
	}
	return p, err
}

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
}

// Own returns the first frame at or above the site that is not of the standard library, or the site
// if there is none.
func (s Stack) Own() alloc.Frame {
	site := s.Site()
	for _, f := range s[site:] {
		if !f.Standard && !f.OfCgo() {
			return f
		}
	}
	return s[site]
}

// Negligible reports whether so many objects an operation count as none: less than a hundredth of
// one, or than half of one for memory from a cache that goroutines share, which is sometimes empty
// for reasons outside of the operation.
func Negligible(objects float64, cached bool) bool {
	return objects < 0.01 || cached && objects < 0.5
}

// ByChance reports whether so many objects an operation may be in the difference although they are
// independent of the operations: less than one in a hundred, or a handful altogether.
func (s Samples) ByChance(objects float64) bool {
	return math.Abs(objects) < 0.01 || math.Abs(objects)*float64(s.More) < 8
}

// Difference returns what one operation allocates, from a run of n operations and one of 2n. The
// testing package's own allocations are left out.
func Difference(short, long *Profile, n int) Samples {
	counted := alloc.Amount{Objects: float64(long.Objects) - float64(short.Objects),
		Bytes: float64(long.Bytes) - float64(short.Bytes)}
	s := Samples{More: n, Counted: counted.Per(n)}
	type key struct {
		stack string
		size  int64
	}
	samples, recorded := map[key]*Sample{}, int64(0)
	for sign, p := range map[int64]*Profile{-1: short, 1: long} {
		for _, r := range p.Records {
			if recorded += sign * r.Objects; r.Objects == 0 {
				continue
			}
			var stack Stack
			for _, at := range r.Stack {
				stack = append(stack, p.Frames[at])
			}
			if len(stack) == 0 || stack.ofTesting() {
				continue
			}
			k := key{fmt.Sprintf("%+v", stack), r.Bytes / r.Objects}
			if samples[k] == nil {
				samples[k] = &Sample{Stack: stack, Size: k.size}
			}
			samples[k].Each = samples[k].Each.Plus(alloc.Amount{Objects: float64(sign * r.Objects),
				Bytes: float64(sign * r.Bytes)})
		}
	}
	s.Hidden = s.Counted.Objects - float64(recorded)/float64(n)
	for _, k := range slices.SortedFunc(maps.Keys(samples), func(a, b key) int { // always the same
		return cmp.Or(cmp.Compare(a.stack, b.stack), cmp.Compare(a.size, b.size))
	}) {
		one := samples[k]
		s.Samples = append(s.Samples, Sample{one.Stack, one.Size, one.Each.Per(n)})
	}
	return s
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

// A Kind is what a function of the runtime allocates. kinds.txt has them.
type Kind struct {
	prefix string // of the function
	Name   string // new, append, channel, sudog
	Why    string // the reason that the compiler does not have

	// For functions that compiled code calls: what is allocated, and above which size if it does not
	// escape. Empty limit: always. Of other functions, What is empty: they do not allocate, or only
	// into caches. Some allocate only if what they add to has no room.
	What, Limit string
	Adds        bool
}

//go:embed kinds.txt
var table string

// caches are of functions that keep what is free for whichever goroutine comes next, kinds of those
// that the program calls.
var caches, kinds = func() (caches, kinds []Kind) {
	for line := range strings.Lines(table) {
		f := strings.Split(strings.TrimSpace(line)+" |  |  |  | ", " | ")
		if strings.HasPrefix(line, "# Functions that the program") {
			caches, kinds = kinds, nil
		} else if len(f) > 5 && !strings.HasPrefix(line, "#") {
			kinds = append(kinds, Kind{f[0], f[1], f[2], f[3], f[4], f[5] == "adds"})
		}
	}
	return caches, kinds
}()

func find(kinds []Kind, function string) (Kind, bool) {
	for _, k := range kinds {
		if strings.HasPrefix(function, k.prefix) {
			return k, true
		}
	}
	return Kind{}, false
}

// Called returns the kind of a function that compiled code calls.
func Called(function string) Kind {
	k, _ := find(kinds, function)
	return k
}

// cache returns the kind of what is for a cache, if one of the functions keeps what is free for
// other goroutines.
func (s Stack) cache() (Kind, bool) {
	for _, f := range s {
		if k, ok := find(caches, symbol.Short(f.Function)); ok {
			return k, true
		}
	}
	return Kind{}, false
}

// OfCache reports whether one of the functions keeps what is free for other goroutines.
func (s Stack) OfCache() bool {
	_, ok := s.cache()
	return ok
}

// Kind returns what was allocated by functions of the runtime. Why has what the compiler does not,
// because the thing does not escape or has no name in the source.
func (s Stack) Kind() Kind {
	if len(s) == 0 {
		return Kind{Name: "object"}
	}
	if k, ok := s.cache(); ok {
		return k
	}
	direct := s[len(s)-1].Function
	if k, ok := find(kinds, direct); ok {
		return k
	}
	return Kind{Name: "runtime", Why: "inside " + direct}
}
