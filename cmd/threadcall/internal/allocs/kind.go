package allocs

import (
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
)

// kindOf returns what was allocated, by the runtime's functions. Direct is the one that the program
// has called; why has what the compiler does not, because the thing does not escape or has no name
// in the source.
func kindOf(inner heap.Stack) (direct, kind, why string) {
	if len(inner) == 0 {
		return "", "object", ""
	}
	direct = inner[len(inner)-1].Function
	for _, f := range inner { // what the runtime needs for itself, whatever was called
		switch name := symbol.Short(f.Function); {
		case name == "runtime.acquireSudog":
			return direct, "sudog", "the runtime's note that a goroutine waits; it keeps some for each " +
				"processor, and none was left"
		case name == "runtime.malg":
			return direct, "goroutine", "the runtime's descriptor of a new goroutine; ended ones are used " +
				"again, and none was left"
		case name == "runtime.allgadd":
			return direct, "goroutine", "the runtime's list of all goroutines grew"
		case strings.HasPrefix(name, "runtime.newdefer"):
			return direct, "defer", "a defer in a loop; the runtime keeps some for each processor, and " +
				"none was left"
		case name == "runtime.getitab" || name == "runtime.itabAdd":
			return direct, "itab", "the runtime's table of a type and an interface that met for the first " +
				"time"
		case strings.HasPrefix(name, "runtime.(*timers)") || name == "runtime.newTimer":
			return direct, "timer", "the runtime's timers"
		case name == "runtime.newm" || name == "runtime.allocm":
			return direct, "thread", "the runtime's descriptor of a new thread"
		case name == "runtime.addCleanup" || name == "runtime.SetFinalizer" ||
			name == "runtime.AddCleanup":
			return direct, "cleanup", ""
		}
	}
	for _, k := range kinds {
		if strings.HasPrefix(direct, k.prefix) {
			return direct, k.kind, k.why
		}
	}
	return direct, "runtime", "inside " + direct
}

// kinds are by what the program has called, the first prefix that fits.
var kinds = []struct{ prefix, kind, why string }{
	{"runtime.newobject", "new", ""},
	{"runtime.mallocgc", "new", ""},
	{"runtime.newarray", "array", ""},
	{"runtime.makeslicecopy", "make", ""},
	{"runtime.makeslice", "make", "make of a slice whose size is not a constant; what is larger " +
		"than 32 bytes does not fit on the stack"},
	{"runtime.growslice", "append", "append to a slice that has no room left"},
	{"runtime.moveSlice", "append", "a slice that append had built on the stack is kept"},
	{"runtime.makechan", "channel", "make of a channel; channels are always on the heap"},
	{"runtime.makemap", "map", "make of a map"},
	{"runtime.mapassign", "map", "the map grew"},
	{"runtime.mapclone", "map", "a copy of a map"},
	{"maps.clone", "map", "a copy of a map"},
	{"internal/runtime/maps.", "map", "the map grew"},
	{"runtime.convT", "interface", "a value was put into an interface"},
	{"runtime.concatstring", "string", "strings were joined with +"},
	{"runtime.concatbyte", "string", "strings were joined with +"},
	{"runtime.slicebytetostring", "string", "bytes were made a string"},
	{"runtime.slicerunetostring", "string", "runes were made a string"},
	{"runtime.intstring", "string", "a number was made a string"},
	{"runtime.stringtoslice", "string", "a string was made a slice"},
	{"runtime.rawstring", "string", "a string was made"},
	{"runtime.rawbyteslice", "string", "bytes for a string were made"},
	{"runtime.newproc", "goroutine", "go starts a goroutine"},
	{"runtime.deferproc", "defer", "defer in a loop"},
	{"reflect.unsafe_New", "reflect", "package reflect made a value"},
	{"reflect.", "reflect", "package reflect made a value"},
	{"strings.(*Builder)", "string", "a string builder grew"},
	{"internal/bytealg.MakeNoZero", "make", "a buffer was made"},
}
