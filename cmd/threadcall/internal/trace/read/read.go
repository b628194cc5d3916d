// Package read follows the events of an execution trace and makes a report of them.
//
// [Trace] keeps sums, not events: read.go passes each event to the analyses, one file each.
package read

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
	Name     string           // of the trace, for the report
	Progress func(read int64) // if not nil, is called with the number of bytes read, about once for each generation
	Lanes    *lanes.Writer    // if not nil, gets the intervals of goroutines and threads
	Path     Selector         // for whose window Window is called, for Path
	Window   func(Window)
	total    func(kind string, stack []report.Frame, sum report.Sum) // if not nil, gets what Waiting.Totals sums up
}

// Trace reads a trace, which may be compressed with gzip, to its end and reports on it.
//
// A trace that ends too early or is damaged is reported up to there, with a warning and Trace.Truncated. The error
// wraps [ErrNoTrace] if r has no readable trace; other errors are those of r.
//
// Memory is bounded by the size of one of the trace's generations, which the runtime ends every second, by the number
// of goroutines and threads that exist at a time, and by the number of different stacks. Traces of Go 1.21 and before
// have one generation.
func Trace(r io.Reader, o Options) (*report.Report, error) {
	in := &counter{in: r}
	format, whole, err := recognize(in)
	if err != nil {
		return nil, err
	}
	a := newAnalysis()
	if o.Lanes != nil {
		a.follower = newFollower(a, o.Lanes)
	}
	a.coroutines, a.waits.total = format >= "go 1.22", o.total
	a.tasks.path = o.Path
	reported := int64(-1)
	err = a.read(whole, func() {
		if o.Progress != nil && reported != in.read {
			reported = in.read
			o.Progress(reported)
		}
	})
	switch {
	case in.err != nil:
		return nil, in.err
	case a.events == 0:
		return nil, unreadable(err)
	}
	ended := err == nil && !a.sched.advancing()
	rep := a.report()
	if a.follower != nil {
		a.follower.finish()
		o.Lanes.Finish(a.now, stackList{a.stacks})
	}
	if a.tasks.window != nil && o.Window != nil {
		o.Window(*a.tasks.window)
	}
	rep.Trace.Name, rep.Trace.Format, rep.Trace.Bytes = o.Name, format, in.read
	if !ended {
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

// ends reports whether err means that the file ends too early, for which the reader has no error of its own. A file of
// Go 1.25 or before that ends in its first second lacks the frequency of its clock.
func ends(err error) bool {
	return err == nil || slices.ContainsFunc([]string{"EOF", "failed to read full batch", "incomplete generation",
		"no frequency event"}, func(text string) bool { return strings.Contains(err.Error(), text) })
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return ui.Head(strings.TrimSuffix(line, ":"), 160)
}

func unreadable(err error) error {
	if ends(err) {
		return fmt.Errorf("%w that can be read: it ends within its first second, before the runtime has written the "+
			"data that events refer to; run the program for longer, or until it ends", ErrNoTrace)
	}
	return fmt.Errorf("%w that can be read: %s; if a newer Go wrote it, threadcall must be built with a newer "+
		"golang.org/x/exp/trace", ErrNoTrace, firstLine(err))
}

func cut(err error, after time.Duration) string {
	if ends(err) {
		return fmt.Sprintf("The trace is cut off, as when its program is killed. Events after %v are missing; they are of "+
			"less than two seconds if the file is as the program left it.", ui.Duration(after))
	}
	return fmt.Sprintf("The trace is damaged after %v: %s. The rest is missing.", ui.Duration(after),
		firstLine(err))
}

// An analysis is the state while a trace is read.
type analysis struct {
	events     uint64
	begun      bool
	start      xtrace.Time
	now        time.Duration // of the current event
	begin      *time.Time
	gomaxprocs uint64
	coroutines bool // a wait without a reason is a switch between coroutines; older formats omit other reasons, too

	stacks    *stacks
	functions functions
	heap      heap
	gc        collector
	stops     stops
	sched     scheduler
	calls     calls
	follower  *follower // nil unless intervals are to be kept
	waits     waiting
	assists   assists
	tasks     tasks
}

func newAnalysis() *analysis {
	a := &analysis{stacks: newStacks()}
	a.functions.init()
	a.gc.init()
	a.stops.init()
	a.sched.init(a)
	a.calls.init(a)
	a.waits.init(a)
	a.assists.init(a)
	a.tasks.init(a)
	return a
}

// interval is the number of events from one call of progress to the next.
const interval = 1 << 14

func (a *analysis) read(in io.Reader, progress func()) error {
	return guarded(in, func(r *xtrace.Reader) error {
		for n := 0; ; n++ {
			ev, err := r.ReadEvent()
			if err != nil {
				return err
			}
			a.event(&ev)
			if n%interval == 0 {
				progress()
			}
		}
	})
}

// guarded calls read, which ends with an error, and returns it. The end of the trace is none.
func guarded(in io.Reader, read func(*xtrace.Reader) error) (err error) {
	defer func() {
		if v := recover(); v != nil { // the reader panics on some damaged traces
			err = fmt.Errorf("it contradicts itself (%v)", v)
		}
	}()
	r, err := xtrace.NewReader(in)
	if err == nil {
		err = read(r)
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
		a.stacks.generation()
		a.clock(ev)
	case xtrace.EventStateTransition:
		a.sched.transition(ev)
	case xtrace.EventMetric:
		a.metric(ev.Metric())
	case xtrace.EventRangeBegin, xtrace.EventRangeActive, xtrace.EventRangeEnd:
		a.span(ev, kind)
	case xtrace.EventTaskBegin:
		a.calls.taskBegin(ev)
		a.tasks.begin(ev)
	case xtrace.EventTaskEnd:
		a.calls.taskEnd(ev)
		a.tasks.end(ev)
	case xtrace.EventRegionBegin:
		a.calls.regionBegin(ev)
	case xtrace.EventRegionEnd:
		a.calls.regionEnd(ev)
	case xtrace.EventLog:
		a.calls.slowCall(ev)
	}
	if a.follower != nil {
		a.follower.event(ev, kind)
	}
}

// clock sets the wall clock time of the first event.
func (a *analysis) clock(ev *xtrace.Event) {
	if a.begin != nil {
		return
	}
	if c := ev.Sync().ClockSnapshot; c != nil {
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
		a.heap.allocated(a.now, x)
	case "/gc/heap/goal:bytes":
		a.heap.goal(a.now, x)
	}
}

// span follows a range of time.
func (a *analysis) span(ev *xtrace.Event, kind xtrace.EventKind) {
	r := ev.Range()
	if reason, ok := strings.CutPrefix(r.Name, "stop-the-world ("); ok {
		a.stops.span(a.now, r.Scope, a.stacks.own(strings.TrimSuffix(reason, ")")), kind)
		return
	}
	switch r.Name {
	case "GC concurrent mark phase":
		a.gc.marks(a.now, kind)
		if kind == xtrace.EventRangeEnd {
			a.heap.collected()
		} else {
			a.heap.collecting()
		}
	case "GC mark assist":
		a.gc.assist.follow(a.now, r.Scope, kind)
		a.assists.follow(ev, r.Scope, kind)
	case "GC incremental sweep":
		a.gc.sweeps(a.now, r.Scope, kind, ev)
	}
}

func (a *analysis) report() *report.Report {
	end := a.now
	a.sched.finish(end)
	r := &report.Report{
		Trace: report.Trace{
			Begin: a.begin, Duration: end, Events: a.events, GOMAXPROCS: a.gomaxprocs,
		},
		Warnings:   []string{},
		Heap:       a.heap.report(end),
		GC:         a.gc.report(),
		Stops:      a.stops.report(),
		Goroutines: a.sched.population.report(end),
		Threads:    a.sched.threads(end),
		Affinity:   a.sched.moves.report(),
		Locked:     a.sched.locked(end),
		Calls:      a.calls.report(),
		Functions:  a.functions.report(),
		Waiting:    a.waits.report(),
		Tasks:      a.tasks.report(),
	}
	r.GC.Assisted = a.assists.report()
	r.GC.BgSweep = a.functions.running("runtime.bgsweep")
	r.GC.Workers = a.functions.running("runtime.gcBgMarkWorker")
	r.Table = report.Table{
		Goroutines: r.Goroutines.Peak, Heap: r.Heap.Peak, Threads: r.Threads.Total,
		BgSweep: r.GC.BgSweep, STW: time.Duration(r.Stops.All.Sum),
	}
	return r
}
