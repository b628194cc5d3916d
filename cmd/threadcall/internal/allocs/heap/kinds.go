package heap

import (
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
)

// A Kind is what a function of the runtime allocates.
type Kind struct {
	prefix string // of the function
	Name   string // new, append, channel, sudog
	Why    string // the reason that the compiler does not have

	// For functions that compiled code calls: what is allocated, and above which size if it does not
	// escape. Empty limit: always. Of other functions, What is empty: they do not allocate, or only
	// into caches.
	What, Limit string
}

// caches are of functions that keep what is free for whichever goroutine comes next: whatever the
// program called, the runtime needs it for itself.
var caches = []Kind{
	{"runtime.acquireSudog", "sudog", "the runtime's note that a goroutine waits; " +
		"it keeps some for each processor, and none was left", "", ""},
	{"runtime.malg", "goroutine", "the runtime's descriptor of a new goroutine; " +
		"ended ones are used again, and none was left", "", ""},
	{"runtime.allgadd", "goroutine", "the runtime's list of all goroutines grew", "", ""},
	{"runtime.newdefer", "defer", "a defer in a loop; the runtime keeps some for " +
		"each P, and none was left", "", ""},
	{"runtime.getitab", "itab", "the table of a type and an interface that met for " +
		"the first time", "", ""},
	{"runtime.itabAdd", "itab", "the runtime's list of itabs grew", "", ""},
	{"runtime.typeAssert", "itab", "the runtime's cache of type assertions grew", "", ""},
	{"runtime.interfaceSwitch", "itab", "the runtime's cache of type switches grew", "", ""},
	{"runtime.(*timers)", "timer", "the runtime's timers", "", ""},
	{"runtime.newTimer", "timer", "the runtime's timers", "", ""},
	{"runtime.newm", "thread", "the runtime's descriptor of a new thread", "", ""},
	{"runtime.allocm", "thread", "the runtime's descriptor of a new thread", "", ""},
	{"sync.(*Pool).", "pool", "", "", ""},
	{"sync.(*poolChain).", "pool", "", "", ""},
}

// Growslice and Mapassign allocate if what they add to has no room.
const (
	Growslice = "runtime.growslice"
	Mapassign = "runtime.mapassign"
)

// kinds are of functions that the program calls, the first prefix that fits.
var kinds = []Kind{
	{"runtime.newobject", "new", "", "an object", ""},
	{"runtime.mallocgc", "new", "", "an object", ""},
	{"runtime.newarray", "array", "", "an array", ""},
	{"runtime.makeslicecopy", "make", "", "a copy of a slice", ""},
	{"runtime.makeslice", "make", "make of a slice whose size is not a constant",
		"make of a slice with a size known at run time", "32 bytes"},
	{Growslice, "append", "append to a slice that has no room left", "append",
		"the room that it begins with on the stack, 32 bytes if none is made"},
	{"runtime.moveSlice", "append", "a slice that append had built on the stack is kept",
		"a slice that append built on the stack is kept", ""},
	{"runtime.makechan", "channel", "make of a channel; channels are always on the heap", "a channel",
		""},
	{"runtime.makemap_small", "map", "make of a map", "a map", ""},
	{"runtime.makemap", "map", "make of a map", "make of a map with a size known at run time",
		"8 elements"},
	{Mapassign, "map", "the map grew", "an assignment to a map", "8 elements"},
	{"runtime.mapclone", "map", "a copy of a map", "", ""},
	{"maps.clone", "map", "a copy of a map", "", ""},
	{"internal/runtime/maps.", "map", "the map grew", "", ""},
	{"runtime.convT", "interface", "a value was put into an interface", "a value in an interface", ""},
	{"runtime.concat", "string", "strings were joined with +", "a string joined with +", "32 bytes"},
	{"runtime.slicebytetostringtmp", "string", "bytes were made a string", "", ""},
	{"runtime.slicebytetostring", "string", "bytes were made a string",
		"a conversion of bytes to a string", "32 bytes"},
	{"runtime.slicerunetostring", "string", "runes were made a string",
		"a conversion of runes to a string", "32 bytes"},
	{"runtime.intstring", "string", "a number was made a string", "", ""},
	{"runtime.stringtoslicebyte", "string", "a string was made a slice",
		"a conversion of a string to bytes", "32 bytes"},
	{"runtime.stringtoslicerune", "string", "a string was made a slice",
		"a conversion of a string to runes", "32 runes"},
	{"runtime.rawstring", "string", "a string was made", "", ""},
	{"runtime.rawbyteslice", "string", "bytes for a string were made", "", ""},
	{"runtime.newproc", "goroutine", "go starts a goroutine", "", ""},
	{"runtime.deferproc", "defer", "defer in a loop", "", ""},
	{"runtime.SetFinalizer", "cleanup", "", "", ""},
	{"runtime.AddCleanup", "cleanup", "", "", ""},
	{"reflect.", "reflect", "package reflect made a value", "", ""},
	{"internal/bytealg.MakeNoZero", "make", "a buffer was made", "", ""},
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
