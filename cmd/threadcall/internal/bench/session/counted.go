package session

import (
	"sync"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/counters"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/machine"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// uncounted is why this machine does not count instructions and cycles, or nil.
var uncounted = sync.OnceValue(func() error { return counters.Available(counters.Hardware) })

// counted is the finding about the counters of the CPU.
func counted() machine.Finding {
	if err := uncounted(); err != nil {
		return machine.Finding{Name: "hardware counters", Value: "none", Level: machine.Note,
			Meaning: "Instructions and cycles are not measured: " + err.Error() + "."}
	}
	return machine.Finding{Name: "hardware counters", Value: "instructions, cycles", Level: machine.Fine}
}

// count makes that the benchmarks in the binary, which was built with these flags of meter, report instructions and cycles,
// where that is possible.
func count(b *gotest.Binary, flags []string) {
	if len(flags) > 0 && uncounted() == nil {
		counters.Count(b, counters.Hardware)
	}
}
