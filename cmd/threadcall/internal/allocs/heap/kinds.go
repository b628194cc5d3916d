package heap

import (
	_ "embed"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
)

// A Kind is what a function of the runtime allocates. kinds.txt has them.
type Kind struct {
	prefix string // of the function
	Name   string // new, append, channel, sudog
	Why    string // the reason that the compiler does not have

	// For functions that compiled code calls: what is allocated, and above which size if it does not
	// escape. Empty limit: always. Of other functions, What is empty: they do not allocate, or only
	// into caches.
	What, Limit string
}

// Growslice and Mapassign allocate if what they add to has no room.
const (
	Growslice = "runtime.growslice"
	Mapassign = "runtime.mapassign"
)

//go:embed kinds.txt
var table string

// caches are of functions that keep what is free for whichever goroutine comes next, kinds of those
// that the program calls.
var caches, kinds = func() ([]Kind, []Kind) {
	caches, kinds, _ := strings.Cut(table, "# Functions that")
	return parse(caches), parse(kinds)
}()

func parse(text string) (list []Kind) {
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line)+" |  |  | ", " | ")
		if len(f) > 4 && !strings.HasPrefix(line, "#") {
			list = append(list, Kind{f[0], f[1], f[2], f[3], f[4]})
		}
	}
	return list
}

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

// OfCache reports whether one of the functions keeps what is free for other goroutines.
func (s Stack) OfCache() bool {
	for _, f := range s {
		if _, ok := find(caches, f.Function); ok {
			return true
		}
	}
	return false
}

// Kind returns what was allocated by functions of the runtime. Why has what the compiler does not,
// because the thing does not escape or has no name in the source.
func (s Stack) Kind() Kind {
	if len(s) == 0 {
		return Kind{Name: "object"}
	}
	for _, f := range s {
		if k, ok := find(caches, symbol.Short(f.Function)); ok {
			return k
		}
	}
	direct := s[len(s)-1].Function
	if k, ok := find(kinds, direct); ok {
		return k
	}
	return Kind{Name: "runtime", Why: "inside " + direct}
}
