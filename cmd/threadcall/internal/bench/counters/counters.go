// Package counters makes test binaries count instructions and cycles, by the counters of the CPU that Linux has as
// perf_event_open. Virtual machines mostly have none.
//
// The counters must count all threads of a test binary from its start, so they belong to a process that becomes the test
// binary by exec: this program, in which Maybe opens them. The metered package testing of package meter reads them.
package counters

import (
	"os"
	"slices"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// An Event is what a counter counts, as perf_event_open names it, and the unit in which benchmarks report it.
type Event struct {
	Unit   string
	Type   uint32
	Config uint64
}

// Hardware are the events that benchmarks report where there are counters: those of user mode alone, for which Linux asks
// for no privilege.
var Hardware = []Event{
	{stats.Instructions, 0, 1}, // PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS
	{stats.Cycles, 0, 0},       // PERF_COUNT_HW_CPU_CYCLES
}

// Environment is the variable that has, in a test binary, the units and the file descriptors of its counters:
// instructions/op=100,cycles/op=101.
const Environment = "THREADCALL_BENCH_COUNTERS"

// request is the variable that has, in a process of this program, the events that it opens before it becomes another one.
const request = "THREADCALL_BENCH_COUNT"

// Maybe does nothing, except in a process that Count has made necessary: there it opens the counters and becomes the test
// binary. The program calls it first thing in main, and tests that use Count in TestMain.
func Maybe() {
	if os.Getenv(request) != "" {
		become()
	}
}

// Available returns nil if all of the events can be counted, and otherwise why not, as a part of a sentence.
func Available(events []Event) error { return available(events) }

// Count makes that processes of the binary count the events, which must be available.
func Count(b *gotest.Binary, events []Event) {
	b.Via = "/proc/self/exe" // which is this program even if its file has been replaced
	b.Env = append(slices.Clone(b.Env), request+"="+format(events))
}
