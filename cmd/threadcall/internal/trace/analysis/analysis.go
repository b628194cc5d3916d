// Package analysis follows the events of an execution trace and makes a report of them.
//
// An event goes one way: [Trace] passes it to the file of its kind, which joins events to
// intervals. goroutine.go has the states of goroutines, calls.go tasks, regions and logs,
// collector.go ranges of the runtime. Each interval is counted where it ends, and kept in package
// lanes if that is requested.
package analysis

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/verdict"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// Options are those of [Trace]. The zero value is valid.
type Options struct {
	Name  string      // of the trace, for the report
	Lanes *lanes.File // if not nil, gets all intervals
}

// Trace reads a trace, which may be compressed with gzip, to its end and reports on it.
//
// A trace that ends too early or is damaged is reported up to there, with a warning and
// Trace.Truncated. The error wraps [ErrNoTrace] if r has no readable trace; other errors are those
// of r.
//
// Memory is bounded by the size of one of the trace's generations, which the runtime ends every
// second, by the number of goroutines and threads that exist at a time, and by the number of
// different stacks. Traces of Go 1.21 and before have one generation.
func Trace(r io.Reader, o Options) (*report.Report, error) {
	in := &counter{in: r}
	format, whole, err := recognize(in)
	if err != nil {
		return nil, err
	}
	a := newAnalysis(o.Lanes)
	a.coroutines = format >= "go 1.22"
	err = a.read(whole)
	switch {
	case in.err != nil:
		return nil, in.err
	case a.events == 0:
		return nil, unreadable(err)
	}
	rep := a.report()
	if o.Lanes != nil {
		o.Lanes.Finish(a.now, a.tables)
	}
	rep.Trace.Name, rep.Trace.Format, rep.Trace.Bytes = o.Name, format, in.read
	if err != nil {
		rep.Trace.Truncated = true
		rep.Warnings = append(rep.Warnings, cut(err, rep.Trace.Duration))
	}
	rep.Verdict = verdict.Of(rep)
	return rep, nil
}

// A counter counts bytes that are read, and keeps an error other than the end.
type counter struct {
	in   io.Reader
	read int64
	err  error
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.read += int64(n)
	if err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
		c.err = err
	}
	return n, err
}

// early are texts in errors of the reader when a file ends too early. A file of Go 1.25 or before
// that ends in its first second lacks the frequency of its clock.
var early = []string{"EOF", "failed to read full batch", "incomplete generation",
	"no frequency event"}

func endsEarly(err error) bool {
	return err == nil || slices.ContainsFunc(early, func(text string) bool {
		return strings.Contains(err.Error(), text)
	})
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return ui.Head(strings.TrimSuffix(line, ":"), 160)
}

func unreadable(err error) error {
	if endsEarly(err) {
		return fmt.Errorf("%w that can be read: it ends within its first second, before the runtime has "+
			"written the data that events refer to; run the program for longer, or until it ends",
			ErrNoTrace)
	}
	return fmt.Errorf("%w that can be read: %s; if a newer Go wrote it, threadcall must be built "+
		"with a newer golang.org/x/exp/trace", ErrNoTrace, firstLine(err))
}

func cut(err error, after time.Duration) string {
	if endsEarly(err) {
		return fmt.Sprintf("The trace is cut off, as when its program is killed. Events after %v are "+
			"missing; they are of less than two seconds if the file is as the program left it.",
			ui.Duration(after))
	}
	return fmt.Sprintf("The trace is damaged after %v: %s. The rest is missing.", ui.Duration(after),
		firstLine(err))
}

// An analysis is the state while a trace is read.
type analysis struct {
	*tables
	kept *lanes.File // nil unless intervals are to be kept

	events     uint64
	begun      bool
	start      xtrace.Time
	now        time.Duration // of the current event
	begin      *time.Time
	gomaxprocs uint64
	coroutines bool // a wait without a reason is a switch between coroutines, not so before Go 1.22

	existing  map[int64]*goroutine
	functions map[int32]*report.Function
	counts    population
	threads   threads
	moves     moves
	locked    []report.LockedThread
	waits     waiting
	heap      report.Curve
	collector collector
	tasks     map[xtrace.TaskID]*task
	types     map[int32]*report.Task
	calls     calls
}

func newAnalysis(kept *lanes.File) *analysis {
	a := &analysis{
		tables: newTables(), kept: kept, existing: map[int64]*goroutine{},
		functions: map[int32]*report.Function{}, tasks: map[xtrace.TaskID]*task{},
		types: map[int32]*report.Task{},
	}
	a.counts.over.Add(0, 0)
	a.threads.busy, a.moves.why = map[int64]bool{}, map[int32]*report.Count{}
	a.waits.tables = a.tables
	a.waits.places, a.waits.latency = map[place]*waitPlace{}, map[place]*report.LatencyPlace{}
	a.collector.open, a.collector.reasons = map[rangeKey]openRange{}, map[string]*report.StopReason{}
	a.collector.stops.Longest = []report.Interval{}
	a.calls.Slow, a.calls.Worst = []report.SlowCall{}, []report.Call{}
	a.calls.places = map[place]*report.Place{}
	return a
}

// read ends with an error of the reader. The end of the trace is none.
func (a *analysis) read(in io.Reader) (err error) {
	defer func() {
		if v := recover(); v != nil { // the reader panics on some damaged traces
			err = fmt.Errorf("it contradicts itself (%v)", v)
		}
	}()
	r, err := xtrace.NewReader(in)
	for err == nil {
		var ev xtrace.Event
		if ev, err = r.ReadEvent(); err == nil {
			a.event(&ev)
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

func (a *analysis) event(ev *xtrace.Event) {
	if !a.begun {
		a.begun, a.start = true, ev.Time()
	}
	a.now = max(a.now, ev.Time().Sub(a.start))
	kind := ev.Kind()
	if kind != xtrace.EventSync {
		a.events++
	}
	switch kind {
	case xtrace.EventSync:
		clear(a.seen) // the stacks of the reader
		a.clock(ev)
	case xtrace.EventStateTransition:
		if t := ev.StateTransition(); t.Resource.Kind == xtrace.ResourceGoroutine {
			a.transition(ev, &t)
		}
	case xtrace.EventMetric:
		a.metric(ev.Metric())
	case xtrace.EventRangeBegin, xtrace.EventRangeActive:
		a.rangeBegin(ev, kind == xtrace.EventRangeActive)
	case xtrace.EventRangeEnd:
		a.rangeEnd(ev)
	case xtrace.EventTaskBegin:
		a.taskBegin(ev)
	case xtrace.EventTaskEnd:
		a.taskEnd(ev)
	case xtrace.EventRegionBegin:
		a.regionBegin(ev)
	case xtrace.EventRegionEnd:
		a.regionEnd(ev)
	case xtrace.EventLog:
		a.log(ev)
	}
}

// end ends an interval now and keeps it.
func (a *analysis) end(v *lanes.Interval) {
	v.Length = max(0, a.now-v.Start)
	if a.kept != nil {
		a.kept.Add(v)
	}
}

// clock sets the wall clock time of the first event.
func (a *analysis) clock(ev *xtrace.Event) {
	if c := ev.Sync().ClockSnapshot; c != nil && a.begin == nil {
		t := c.Wall.Add(a.start.Sub(c.Trace))
		a.begin = &t
	}
}

func (a *analysis) metric(m xtrace.Metric) {
	if m.Value.Kind() != xtrace.ValueUint64 {
		return
	}
	x := m.Value.Uint64()
	switch m.Name {
	case "/sched/gomaxprocs:threads":
		a.gomaxprocs = x
	case "/memory/classes/heap/objects:bytes":
		a.heap.Add(a.now, float64(x))
	}
}

// report ends all intervals with the trace.
func (a *analysis) report() *report.Report {
	a.finishGoroutines()
	a.finishRanges()
	a.collector.finish()
	r := &report.Report{
		Trace: report.Trace{
			Begin: a.begin, Duration: a.now, Events: a.events, GOMAXPROCS: a.gomaxprocs,
		},
		Warnings: []string{},
		Heap: report.Heap{
			Allocated: a.heap.Series(a.now, 0), First: uint64(a.heap.First), Last: uint64(a.heap.Last),
			Peak: uint64(a.heap.Peak),
		},
		GC:         a.collector.GC,
		Stops:      a.collector.stops,
		Goroutines: a.counts.report(a.now),
		Threads: report.Threads{
			Busy: a.threads.active.Series(a.now, 0), Total: uint64(len(a.threads.busy)),
			Peak: uint64(a.threads.active.Peak),
		},
		Affinity:  a.moves.report(),
		Locked:    lockedFirst(a.locked),
		Tasks:     a.finishTasks(),
		Functions: a.functionList(),
		Waiting:   a.waits.report(a.now),
	}
	r.Calls = a.calls.report()
	r.GC.Workers = a.running("runtime.gcBgMarkWorker")
	r.Table = report.Table{
		Goroutines: r.Goroutines.Peak, Heap: r.Heap.Peak, Threads: r.Threads.Total,
		BgSweep: a.running("runtime.bgsweep"), STW: time.Duration(r.Stops.All.Sum),
	}
	return r
}
