package oracle

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The measures are what a process that runs for ever must not hold more and more of. The limits are a few times the
// noise of a run in which nothing leaks.
var measures = [...]struct {
	name  string
	limit float64
}{
	{"live heap (KiB)", 256},
	{"goroutines", 5},
	{"OS threads", 20}, // the Go scheduler keeps those that were once needed at the same time
	{"file descriptors", 3},
}

// A sample is what the process holds at a time, after a garbage collection. What cannot be known on this system is zero.
type sample struct {
	at   time.Duration
	held [len(measures)]float64
}

func take(start time.Time) sample {
	runtime.GC()
	runtime.GC() // the first has run cleanups, which let go of more
	read := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(read)
	s := sample{at: time.Since(start)}
	s.held[0] = float64(read[0].Value.Uint64()) / 1024
	s.held[1] = float64(runtime.NumGoroutine())
	status, _ := os.ReadFile("/proc/self/status") // of Linux
	if _, after, found := bytes.Cut(status, []byte("\nThreads:")); found {
		s.held[2], _ = strconv.ParseFloat(string(bytes.Fields(after)[0]), 64)
	}
	descriptors, _ := os.ReadDir("/proc/self/fd")
	s.held[3] = float64(len(descriptors))
	return s
}

func (s sample) String() string {
	var parts []string
	for i, m := range measures {
		parts = append(parts, fmt.Sprintf("%s %.0f", m.name, s.held[i]))
	}
	return strings.Join(parts, ", ")
}

// growth returns by how much a series has grown beyond doubt: from the median of its first third to the least of its
// last third. The first sixth does not count: pools fill, and the runtime finds out how many threads it needs.
func growth(values []float64) float64 {
	values = values[len(values)/6:]
	third := len(values) / 3
	if third == 0 {
		return 0
	}
	first := slices.Sorted(slices.Values(values[:third]))
	return slices.Min(values[len(values)-third:]) - first[third/2]
}
