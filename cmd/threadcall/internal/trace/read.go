package trace

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/unit"
)

// Options are what [Read] may be told. The zero value is valid.
type Options struct {
	Name     string           // of the trace, for the report
	Progress func(read int64) // if not nil, is called with the number of bytes that have been read, once for each generation or so
}

// Read reads a trace, also one compressed with gzip, to its end and reports what it says.
//
// A trace that ends too early or is damaged later on is reported up to there, with a warning and Trace.Truncated.
// The error wraps [ErrNoTrace] if nothing could be read because of what r has; other errors are those of r.
//
// Memory is bounded by the size of one of the trace's generations, which the runtime ends every second, by the number
// of goroutines and threads that exist at a time, and by that of different stacks. Traces of Go 1.21 and before have
// one generation.
func Read(r io.Reader, o Options) (*Report, error) {
	in := &counter{in: r}
	format, whole, err := recognize(in)
	if err != nil {
		return nil, err
	}
	a := newAnalysis()
	a.coroutines = format >= "go 1.22"
	told := int64(-1)
	err = a.read(whole, func() {
		if o.Progress != nil && told != in.read {
			told = in.read
			o.Progress(told)
		}
	})
	switch {
	case in.err != nil:
		return nil, in.err
	case a.events == 0:
		return nil, unreadable(err)
	}
	report := a.report()
	report.Trace.Name, report.Trace.Format, report.Trace.Bytes = o.Name, format, in.read
	if err != nil {
		report.Trace.Truncated = true
		report.Warnings = append(report.Warnings, cut(err, report.Trace.Duration))
	}
	return report, nil
}

// A counter counts what is read, and keeps an error that is not the end.
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

// ends tells whether the reader has met the end of the file too early, for which it has no error of its own. A file of
// Go 1.25 or before that ends in its first second lacks the frequency of its clock.
func ends(err error) bool {
	return err == nil || slices.ContainsFunc([]string{"EOF", "failed to read full batch", "incomplete generation",
		"no frequency event"}, func(text string) bool { return strings.Contains(err.Error(), text) })
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return short(strings.TrimSuffix(line, ":"), 160)
}

func unreadable(err error) error {
	if ends(err) {
		return fmt.Errorf("%w that can be read: it ends within its first second, before the runtime wrote what the "+
			"rest refers to; let the program run for longer, or end by itself", ErrNoTrace)
	}
	return fmt.Errorf("%w that can be read: %s; if a newer Go wrote it, threadcall must be built with a newer "+
		"golang.org/x/exp/trace", ErrNoTrace, firstLine(err))
}

func cut(err error, after time.Duration) string {
	if ends(err) {
		return fmt.Sprintf("The trace is cut off, as when its program is killed. What came after %v, less than two "+
			"seconds if the file is as the program left it, is missing.", unit.Duration(after))
	}
	return fmt.Sprintf("The trace is damaged after %v: %s. The rest is missing.", unit.Duration(after),
		firstLine(err))
}

// An analysis is all that is kept while a trace is read.
type analysis struct {
	events     uint64
	begun      bool
	start      xtrace.Time
	now        time.Duration // of the current event
	begin      *time.Time
	gomaxprocs uint64
	coroutines bool // a wait without a reason is a switch between them; older formats leave out other reasons, too

	stacks    *stacks
	functions functions
	heap      heap
	gc        collector
	stops     stops
	sched     scheduler
	calls     calls
}

func newAnalysis() *analysis {
	a := &analysis{stacks: newStacks()}
	a.functions.init()
	a.gc.init()
	a.stops.init()
	a.sched.init(a)
	a.calls.init(a)
	return a
}

// often is after how many events there is progress to tell.
const often = 1 << 14

func (a *analysis) read(in io.Reader, progress func()) (err error) {
	defer func() {
		if v := recover(); v != nil { // by the reader, which a broken trace may lead astray
			err = fmt.Errorf("it contradicts itself (%v)", v)
		}
	}()
	r, err := xtrace.NewReader(in)
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		ev, err := r.ReadEvent()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		a.event(&ev)
		if n%often == 0 {
			progress()
		}
	}
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
	case xtrace.EventTaskEnd:
		a.calls.taskEnd(ev)
	case xtrace.EventRegionBegin:
		a.calls.regionBegin(ev)
	case xtrace.EventRegionEnd:
		a.calls.regionEnd(ev)
	}
}

// clock finds out when the trace began.
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

// span takes what lasted.
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
		a.gc.assists(a.now, r.Scope, kind)
	case "GC incremental sweep":
		a.gc.sweeps(a.now, r.Scope, kind, ev)
	}
}

func (a *analysis) report() *Report {
	end := a.now
	a.sched.finish(end)
	r := &Report{
		Trace: Trace{
			Begin: a.begin, Duration: end, Events: a.events, GOMAXPROCS: a.gomaxprocs,
		},
		Warnings:   []string{},
		Heap:       a.heap.report(end),
		GC:         a.gc.report(),
		Stops:      a.stops.report(),
		Goroutines: a.sched.goroutines(end),
		Threads:    a.sched.threads(end),
		Affinity:   a.sched.affinity(),
		Locked:     a.sched.locked(end),
		Calls:      a.calls.report(),
		Functions:  a.functions.report(),
	}
	r.GC.BgSweep = a.functions.running("runtime.bgsweep")
	r.GC.Workers = a.functions.running("runtime.gcBgMarkWorker")
	r.Table = Table{
		Goroutines: r.Goroutines.Peak, Heap: r.Heap.Peak, Threads: r.Threads.Total,
		BgSweep: r.GC.BgSweep, STW: time.Duration(r.Stops.All.Sum),
	}
	return r
}
