package recorderhttp

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/threadcall/threadcall/internal/access"
	"github.com/threadcall/threadcall/internal/histogram"
)

// Metrics returns a handler that answers GET with metrics in the text format of Prometheus. The
// label thread is the name of [thread.WithName], main for the main thread; threads and pools of one
// name are added up, and after 200 names others count as "other names".
//
//	threadcall_threads               how many have this name now; 0: it died
//	threadcall_queue_length          functions that are queued
//	threadcall_oldest_wait_seconds   how long the oldest of them has waited, at least
//	threadcall_running_seconds       how long the function that has run for longest has run
//	threadcall_busy_seconds_total    how long threads had something to do: its rate is the load
//	threadcall_functions_total       by result: run, refused, withdrawn or panicked
//	threadcall_wait_seconds          histogram; with thread.WithTimes or MeasureTimes only
//	threadcall_run_seconds           likewise
//	threadcall_slow_calls_total      reports of WithSlowCall and OnSlowCall
//
// To alert on threadcall_oldest_wait_seconds finds threads that hang, loops that do not serve, and
// queues that grow. No call reads the clock for it: the handler remembers at each request which
// functions were queued. So it counts from the first request that found the function.
//
// A request does not stop the program; it takes some nanoseconds for each function that is queued.
func Metrics() http.Handler {
	return getOnly(func(w http.ResponseWriter, r *http.Request) (string, []byte) {
		var b bytes.Buffer
		WriteMetrics(&b)
		return "text/plain; version=0.0.4; charset=utf-8", b.Bytes()
	})
}

// WriteMetrics writes what [Metrics] serves to a page of the program's own. It drops errors of w.
func WriteMetrics(w io.Writer) {
	states, known, names := look(time.Now())
	oldest, timed := map[string]time.Duration{}, map[string]bool{}
	for i, s := range states {
		oldest[s.Label] = max(oldest[s.Label], known[i].oldestWait)
		timed[s.Label] = timed[s.Label] || s.Timed
	}
	m := metrics{names: names, sorted: slices.Sorted(maps.Keys(names))}
	m.write("threads", "gauge", "Threads of this name that have not ended.",
		func(_ string, n *access.Name) float64 { return float64(n.Threads) })
	m.write("queue_length", "gauge", "Functions that are queued.",
		func(_ string, n *access.Name) float64 { return float64(n.Queued) })
	m.write("oldest_wait_seconds", "gauge", "How long the oldest queued function waits, at least.",
		func(name string, _ *access.Name) float64 { return oldest[name].Seconds() })
	m.write("running_seconds", "gauge", "How long the function that has run for longest has run.",
		func(_ string, n *access.Name) float64 { return n.Running.Seconds() })
	m.write("busy_seconds_total", "counter", "How long threads had something to do.", neverLess)
	m.head("functions_total", "counter", "Functions, by what became of them.")
	for _, name := range m.sorted {
		n := names[name]
		m.line("functions_total", name, `,result="run"`, float64(n.Returned))
		m.line("functions_total", name, `,result="refused"`, float64(n.Refused))
		m.line("functions_total", name, `,result="withdrawn"`, float64(n.Withdrawn))
		m.line("functions_total", name, `,result="panicked"`, float64(n.Panicked))
	}
	m.histogram("wait_seconds", "How long functions have waited.", timed,
		func(n *access.Name) *histogram.Times { return &n.Waits })
	m.histogram("run_seconds", "How long functions have run.", timed,
		func(n *access.Name) *histogram.Times { return &n.Runs })
	m.write("slow_calls_total", "counter", "Reports of functions that have run or waited for long.",
		func(_ string, n *access.Name) float64 { return float64(n.Slow) })
	_, _ = w.Write(m.Bytes())
}

// neverLess returns the busy time of a name, or the one shown before if that was greater: a thread
// may have looked at the clock before it stored that it rests.
func neverLess(name string, n *access.Name) float64 {
	memory.mu.Lock()
	defer memory.mu.Unlock()
	if memory.busy == nil {
		memory.busy = map[string]float64{}
	}
	memory.busy[name] = max(memory.busy[name], n.Busy.Seconds())
	return memory.busy[name]
}

type metrics struct {
	bytes.Buffer
	names  map[string]*access.Name
	sorted []string
}

func (m *metrics) write(name, kind, help string, value func(string, *access.Name) float64) {
	m.head(name, kind, help)
	for _, thread := range m.sorted {
		m.line(name, thread, "", value(thread, m.names[thread]))
	}
}

func (m *metrics) head(name, kind, help string) {
	name = "threadcall_" + name
	m.WriteString("# HELP " + name + " " + help + "\n# TYPE " + name + " " + kind + "\n")
}

var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func (m *metrics) line(name, thread, labels string, value float64) {
	m.WriteString("threadcall_" + name + `{thread="` + escape.Replace(thread) + `"` + labels + "} " +
		strconv.FormatFloat(value, 'g', -1, 64) + "\n")
}

// histogram writes one with seven buckets, from 10 µs to 10 s, for each name with times.
func (m *metrics) histogram(name, help string, timed map[string]bool,
	of func(*access.Name) *histogram.Times) {
	without := func(thread string) bool { return !timed[thread] && of(m.names[thread]).Count == 0 }
	with := slices.DeleteFunc(slices.Clone(m.sorted), without)
	if len(with) > 0 {
		m.head(name, "histogram", help)
	}
	for _, thread := range with {
		h := of(m.names[thread])
		below, next := uint64(0), 10*time.Microsecond
		for i, n := range h.Buckets {
			if next <= 10*time.Second && histogram.Bound(i) == next {
				m.line(name+"_bucket", thread, `,le="`+strconv.FormatFloat(next.Seconds(), 'g', -1, 64)+`"`,
					float64(below))
				next *= 10
			}
			below += n
		}
		m.line(name+"_bucket", thread, `,le="+Inf"`, float64(h.Count))
		m.line(name+"_sum", thread, "", h.Sum.Seconds())
		m.line(name+"_count", thread, "", float64(h.Count))
	}
}
