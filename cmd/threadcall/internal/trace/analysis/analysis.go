// Package analysis follows the events of an execution trace and makes a report of them.
//
// An event goes one way: [Trace] passes it to the file of its kind, which joins events to
// intervals. goroutine.go has the states of goroutines, calls.go tasks, regions and logs,
// collector.go ranges of the runtime. Each interval is counted where it ends.
package analysis

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/verdict"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/report/trace"
)

// Trace reads a trace, which may be compressed with gzip, to its end and reports on it under a
// name.
//
// A trace that ends too early or is damaged is reported up to there, with a warning and
// Trace.Truncated. The error wraps [ErrNoTrace] if r has no readable trace; other errors are those
// of r.
//
// Memory is bounded by the size of one of the trace's generations, which the runtime ends every
// second, by the number of goroutines and threads that exist at a time, and by the number of
// different stacks.
func Trace(r io.Reader, name string) (*trace.Report, error) {
	in := &counter{in: r}
	format, whole, err := recognize(in)
	if err != nil {
		return nil, err
	}
	a := newAnalysis()
	err = a.read(whole)
	switch {
	case in.err != nil:
		return nil, in.err
	case a.Trace.Events == 0:
		return nil, unreadable(err)
	}
	a.finish()
	rep := &a.Report
	rep.Trace.Name, rep.Trace.Format, rep.Trace.Bytes = name, format, in.read
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

// early is what errors of the reader say when a file ends too early. A file of Go 1.25 or before
// that ends in its first second lacks the frequency of its clock.
var early = regexp.MustCompile(
	"EOF|failed to read full batch|incomplete generation|no frequency event")

func endsEarly(err error) bool { return err == nil || early.MatchString(err.Error()) }

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

// An analysis is the state while a trace is read. Its report has what is counted already.
type analysis struct {
	trace.Report
	stacks

	start xtrace.Time   // zero before the first event
	now   time.Duration // of the current event

	existing  map[int64]*goroutine
	functions map[string]*trace.Function
	stopped   map[ranAt]*trace.Deed
	// goroutines more than Goroutines.First: those from before the trace become known one by one,
	// those that wait not before the end of the first generation
	more, peak int64
	ran        map[int64]bool // threads that ran a goroutine
	waits      map[placeKey]*waitPlace
	load       load
	bursts     map[*stack]*trace.Wakeups // by the stack that made goroutines ready

	open   map[rangeKey]openRange
	sites  map[*stack]trace.Sum // of assists
	marked bool                 // a mark phase has ended, after which the next goal is set

	tasks map[xtrace.TaskID]*task
	calls map[placeKey]*trace.CallPlace
}

func newAnalysis() *analysis {
	a := &analysis{
		stacks: newStacks(), existing: map[int64]*goroutine{}, ran: map[int64]bool{},
		functions: map[string]*trace.Function{}, stopped: map[ranAt]*trace.Deed{},
		waits: map[placeKey]*waitPlace{}, bursts: map[*stack]*trace.Wakeups{},
		open: map[rangeKey]openRange{}, sites: map[*stack]trace.Sum{},
		tasks: map[xtrace.TaskID]*task{}, calls: map[placeKey]*trace.CallPlace{},
	}
	a.Warnings, a.Calls.Slow, a.Waiting.Servers = []string{}, []trace.SlowCall{}, []trace.Server{}
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
	if a.start == 0 {
		a.start = ev.Time()
	}
	a.now = max(a.now, ev.Time().Sub(a.start))
	kind := ev.Kind()
	if kind != xtrace.EventSync {
		a.Trace.Events++
	}
	switch kind {
	case xtrace.EventSync:
		clear(a.seen) // the stacks of the reader
	case xtrace.EventStateTransition:
		if t := ev.StateTransition(); t.Resource.Kind == xtrace.ResourceGoroutine {
			a.transition(ev, &t)
		}
	case xtrace.EventMetric:
		a.metric(ev.Metric())
	case xtrace.EventRangeBegin:
		a.rangeBegin(ev)
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

func (a *analysis) metric(m xtrace.Metric) {
	if m.Value.Kind() != xtrace.ValueUint64 {
		return
	}
	x := m.Value.Uint64()
	switch m.Name {
	case "/sched/gomaxprocs:threads":
		a.Trace.GOMAXPROCS = x
	case "/gc/heap/goal:bytes":
		a.goal(a.Heap.Last, x)
	case "/memory/classes/heap/objects:bytes":
		if a.Heap.Peak == 0 {
			a.Heap.First = x
		}
		a.Heap.Last, a.Heap.Peak = x, max(a.Heap.Peak, x)
	}
}

// finish ends all intervals with the trace, and completes the report.
func (a *analysis) finish() {
	a.change(0, 0)
	a.finishGoroutines()
	a.Trace.Duration, a.Threads = a.now, uint64(len(a.ran))
	a.Goroutines.Peak = a.Goroutines.First + uint64(a.peak)
	a.Goroutines.Last = a.Goroutines.First + a.Goroutines.Created - a.Goroutines.Ended
	for key, at := range a.stopped {
		if f := a.function(key.function); at.Time > f.RanAt.Time {
			f.RanAt = *at
		}
	}
	a.Functions = first(maxFunctions, a.functions,
		func(x *trace.Function) float64 { return float64(x.Running) })
	a.GC.Workers = a.function("runtime.gcBgMarkWorker").Running
	a.GC.Assist.Sites = a.byPlace(a.sites)
	finish(&a.GC.Mark, &a.GC.Tight.Live, &a.GC.Tight.Goal, &a.GC.Tight.Room, &a.Stops.All,
		&a.Waiting.Latency)
	a.finishWaits()
	a.finishWakeups()
	a.Calls.Unfinished += uint64(len(a.tasks))
	for _, p := range a.calls {
		finish(&p.Queued, &p.Run)
	}
	a.Calls.Places = first(maxPlaces, a.calls,
		func(x *trace.CallPlace) float64 { return x.Queued.Sum + x.Run.Sum })
}

func finish(all ...*trace.Distribution) {
	for _, d := range all {
		d.Finish()
	}
}

// ErrNoTrace is wrapped by the errors of [Trace] about a file that is not a trace, or not one that
// can be read.
var ErrNoTrace = errors.New("not a Go execution trace")

// recognize returns the trace's format, which its header names: "go 1.26 trace" and zeros. Whole
// has the whole trace, decompressed.
func recognize(r io.Reader) (format string, whole io.Reader, err error) {
	const size = 16 // of the header
	in := bufio.NewReaderSize(r, 1<<16)
	head, err := in.Peek(size)
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		unzipped, err := gzip.NewReader(in)
		if err != nil {
			return "", nil, fmt.Errorf("%w: it begins like a gzip file, but: %v", ErrNoTrace, err)
		}
		in = bufio.NewReaderSize(unzipped, 1<<16)
		head, _ = in.Peek(size)
	} else if err != nil && err != io.EOF {
		return "", nil, err
	}
	format, _, ok := strings.Cut(string(head), " trace\x00")
	switch {
	case len(head) == 0:
		err = fmt.Errorf("%w: it is empty; was the program killed before it wrote anything?", ErrNoTrace)
	case !ok || !strings.HasPrefix(format, "go 1."):
		err = fmt.Errorf("%w: it begins with %q; runtime/trace, `go test -trace` and /debug/pprof/trace "+
			"write traces, go tool pprof reads profiles, and -- stands before a program that is to run",
			ErrNoTrace, head)
	case len(format) < len("go 1.22") || format < "go 1.22":
		err = fmt.Errorf("%w that can be read: %s wrote it, and since Go 1.22 the format is another one",
			ErrNoTrace, format)
	default:
		err = nil
	}
	return format, in, err
}

// The limits of lists in a report.
const (
	maxPlaces    = 500 // of waits, of calls
	maxFunctions = 200
	shown        = 10 // slow calls, goroutines, places that end waits or make many ready
)

// first returns the values of a map with the greatest weights, at most limit. It is never nil,
// which would be null in JSON.
func first[K comparable, T any](limit int, all map[K]*T, weight func(*T) float64) []T {
	list := []T{}
	for _, key := range slices.SortedFunc(maps.Keys(all), func(a, b K) int {
		if heavier := cmp.Compare(weight(all[b]), weight(all[a])); heavier != 0 {
			return heavier
		}
		return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) // in each run the same
	}) {
		if len(list) < limit {
			list = append(list, *all[key])
		}
	}
	return list
}

// entry returns what a map has for a key, at first a copy of initial.
func entry[K comparable, T any](all map[K]*T, key K, initial T) *T {
	if all[key] == nil {
		all[key] = new(initial)
	}
	return all[key]
}

// function returns the sums of the goroutines of a function.
func (a *analysis) function(name string) *trace.Function {
	return entry(a.functions, name, trace.Function{Name: cmp.Or(name, trace.NoFunction)})
}
