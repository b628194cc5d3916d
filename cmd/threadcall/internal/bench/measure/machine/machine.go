// Package machine measures what a machine takes from the benchmarks that run on it: CPU time that
// other processes use, that the hypervisor gives to other machines, or that a quota withholds.
//
// The counters are those of Linux. On other systems the findings report that they are not known.
package machine

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"
)

// A Level is how much a finding matters.
type Level string

const (
	Fine    Level = "fine"    // as a measurement needs it
	Note    Level = "note"    // worth knowing for the reader of the figures
	Warning Level = "warning" // likely to be visible in the figures
)

// A Finding is one thing found out about the machine.
type Finding struct {
	Name  string `json:"name"`  // what was examined: "stolen time"
	Value string `json:"value"` // what was found: "4 %"
	// sentences: the effect on the figures, and what helps
	Meaning string `json:"meaning,omitempty"`
	Level   Level  `json:"level"`
}

// A Watch measures the machine before and during a run. It reads counters between processes and
// does nothing while they run. It is not safe for concurrent use.
type Watch struct {
	system system
	sum    Taken // of all spans
}

// NewWatch returns a watch of this machine.
func NewWatch() *Watch { return &Watch{system: thisSystem()} }

// A Span is the time of one process.
type Span struct {
	w     *Watch
	begin counters
}

// Begin is called right before a process is started.
func (w *Watch) Begin() Span { return Span{w, w.system.counters()} }

// End is called after the process has been waited for, or its own time would count as that of
// others. It returns what was taken from the process.
func (s Span) End() Taken {
	t := s.w.system.counters().since(s.begin)
	s.w.sum = s.w.sum.plus(t)
	return t
}

// Before returns findings from before a run whose benchmarks will have these values of GOMAXPROCS.
// It measures for the duration while, or until ctx is done, what others do; so call it when nothing
// of your own runs. It returns at least one finding.
func (w *Watch) Before(ctx context.Context, while time.Duration, procs []int) []Finding {
	begin := w.system.counters()
	select {
	case <-ctx.Done():
	case <-time.After(while):
	}
	return append(w.system.cpus(procs), w.system.counters().since(begin).findings()...)
}

// During returns findings of all spans, at least one.
func (w *Watch) During() []Finding { return w.sum.findings() }

// Known reports whether the system reports what was taken from the spans.
func (w *Watch) Known() bool { return w.sum.Known }

// findings returns what the counters show, at least one thing.
func (t Taken) findings() []Finding {
	if !t.Known {
		return []Finding{{"other processes", "not known",
			"This system does not report what its CPUs " +
				"do. Make sure that it is otherwise idle.", Note}}
	}
	others := Finding{"other processes", t.others(), "", Fine}
	switch share := t.share(t.Others); {
	case share > 0.2:
		others.Level, others.Meaning = Warning, "Benchmarks share CPUs, caches and memory with "+
			"them, "+
			"and get slower and less steady. End them, or measure later."
	case share > 0.03:
		others.Level, others.Meaning = Note,
			"They add some spread. Old and new, measured interleaved, both have it."
	}
	all := []Finding{others}
	if share := t.stolenShare(); t.Stolen > 0 {
		f := Finding{"stolen time", fmt.Sprintf("%.0f %%", 100*share), "", Fine}
		if share > noisyShare {
			f.Level, f.Meaning = Warning, "The hypervisor runs other machines when this one has "+
				"work "+
				"to do. Use more rounds, or another machine."
		}
		all = append(all, f)
	}
	if t.Throttled > 0 {
		value := fmt.Sprintf("stopped threads for %v", t.Throttled.Round(time.Millisecond))
		all = append(all, Finding{"quota", value,
			"The cgroup of this process had used up its CPU " +
				"time. Use fewer threads (-cpu), or raise the quota.", Warning})
	}
	return all
}

// cpus reports whether there are enough CPUs.
func (s system) cpus(procs []int) []Finding {
	cpus := runtime.NumCPU()
	threads := cpus
	if n, err := strconv.Atoi(os.Getenv("GOMAXPROCS")); err == nil && n > 0 {
		threads = n
	}
	if len(procs) > 0 {
		threads = slices.Max(procs)
	}
	f := Finding{"CPUs", strconv.Itoa(cpus), "", Fine}
	if threads > cpus {
		f.Value, f.Level = fmt.Sprintf("%d for %d threads", cpus, threads), Warning
		f.Meaning = fmt.Sprintf("The threads wait for each other. Use -cpu up to %d.", cpus)
	}
	all := []Finding{f}
	if quota, limited := s.quota(); limited {
		f := Finding{"quota", fmt.Sprintf("%.2g CPUs", quota), "", Fine}
		if quota < float64(min(threads, cpus)) {
			f.Level, f.Meaning = Warning, "The cgroup of this process may use no more CPU time. A "+
				"benchmark that uses more is stopped for the rest of each period, up to 100 ms. "+
				"Use "+
				"fewer threads (-cpu), or raise the quota."
		}
		all = append(all, f)
	}
	return all
}
