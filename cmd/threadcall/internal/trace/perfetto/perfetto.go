// Package perfetto writes the intervals of a trace in the protocol buffers of Perfetto, for ui.perfetto.dev and
// trace_processor.
//
// The process "threads" has a track for each thread, with the goroutines that it ran. The process "goroutines" has a track
// for each goroutine, with its states, and one below it with its regions, logs and assists. Flows lead from what ended
// a wait to the goroutine that became ready. Tasks, the collector, stopped worlds and the size of the heap have tracks
// of their own. Each interval has its stack, and who ended it, as arguments.
package perfetto

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// Fields of the messages, by message.
const (
	tracePacket = 1

	packetClockSnapshot   = 6
	packetTimestamp       = 8
	packetSequence        = 10
	packetTrackEvent      = 11
	packetInterned        = 12
	packetSequenceFlags   = 13
	packetTrackDescriptor = 60

	snapshotClock  = 1
	clockID        = 1
	clockTimestamp = 2

	trackUUID    = 1
	trackName    = 2
	trackProcess = 3
	trackThread  = 4
	trackParent  = 5
	trackCounter = 8

	processPID  = 1
	processName = 6

	threadPID  = 1
	threadTID  = 2
	threadName = 5

	counterUnit = 3

	eventAnnotation      = 4
	eventType            = 9
	eventName            = 10
	eventTrack           = 11
	eventCategory        = 3
	eventCounter         = 30
	eventFlow            = 47
	eventTerminatingFlow = 48

	annotationNameID = 1
	annotationUint   = 3
	annotationText   = 6
	annotationTextID = 17

	internedCategories      = 1
	internedEvents          = 2
	internedAnnotations     = 3
	internedAnnotationTexts = 29
	internedID              = 1
	internedText            = 2
)

// Values of enumerations.
const (
	sliceBegin = 1
	sliceEnd   = 2
	instant    = 3
	counter    = 4

	stateCleared = 1
	needsState   = 2

	unitBytes = 3

	realtime = 1
	boottime = 6
)

// Processes of the file, and the identifiers of their tracks.
const (
	pidThreads    = 1
	pidGoroutines = 2

	uuidThreads    = 1
	uuidGoroutines = 2
	uuidCollector  = 3
	uuidStopped    = 4
	uuidHeap       = 5
	uuidTasks      = 6
	uuidTracks     = 16 // the first of the others
)

// sequence is the number of the writer of all packets.
const sequence = 1

// Write writes a selection of the intervals. Begin is the time of the first event, if it is known.
func Write(w io.Writer, x *lanes.Index, s lanes.Selection, name string, begin *time.Time) error {
	part, err := x.Part(s)
	if err != nil {
		return err
	}
	e := &encoder{
		Part: part, out: bufio.NewWriterSize(w, 1<<16),
		threads: map[int64]uint64{}, goroutines: map[int64]*goroutine{}, next: uuidTracks, flow: 1,
		stacks: map[int32]uint64{},
	}
	for i := range e.interned {
		e.interned[i] = map[string]uint64{}
	}
	e.head(name, begin)
	err = part.Each(func(v *lanes.Interval) error {
		e.interval(v)
		return e.err
	})
	if flushed := e.out.Flush(); err == nil {
		err = flushed
	}
	return err
}

type encoder struct {
	*lanes.Part
	out        *bufio.Writer
	err        error
	threads    map[int64]uint64 // the identifiers of the tracks
	goroutines map[int64]*goroutine
	next       uint64
	flow       uint64
	interned   [internedAnnotationTexts + 1]map[string]uint64 // by field
	stacks     map[int32]uint64                               // the identifiers of interned texts
	pending    message                                        // interned data for the next packet
}

// A goroutine has its tracks; below is zero if there are no regions. Flow is that of the last wait.
type goroutine struct{ states, below, flow uint64 }

func (e *encoder) packet(p message) {
	p.uint(packetSequence, sequence)
	var head message
	head.message(tracePacket, p)
	if e.err == nil {
		_, e.err = e.out.Write(head)
	}
}

func (e *encoder) head(name string, begin *time.Time) {
	var first message
	first.uint(packetSequenceFlags, stateCleared)
	if begin != nil {
		var snapshot message
		for _, c := range [][2]uint64{{boottime, 0}, {realtime, uint64(begin.UnixNano())}} {
			var clock message
			clock.uint(clockID, c[0])
			clock.uint(clockTimestamp, c[1])
			snapshot.message(snapshotClock, clock)
		}
		first.uint(packetTimestamp, 0)
		first.message(packetClockSnapshot, snapshot)
	}
	e.packet(first)
	process := func(uuid, pid uint64, name string) {
		var p message
		p.uint(processPID, pid)
		p.text(processName, name)
		var d message
		d.uint(trackUUID, uuid)
		d.message(trackProcess, p)
		e.descriptor(d)
	}
	process(uuidThreads, pidThreads, "threads of "+name)
	process(uuidGoroutines, pidGoroutines, "goroutines of "+name)
	e.track(uuidCollector, uuidThreads, "collector")
	e.track(uuidStopped, uuidThreads, "world stopped")
	e.track(uuidTasks, uuidGoroutines, "tasks")
	var unit, d message
	unit.uint(counterUnit, unitBytes)
	d.uint(trackUUID, uuidHeap)
	d.uint(trackParent, uuidThreads)
	d.text(trackName, "heap")
	d.message(trackCounter, unit)
	e.descriptor(d)
}

func (e *encoder) descriptor(d message) {
	var p message
	p.message(packetTrackDescriptor, d)
	e.packet(p)
}

func (e *encoder) track(uuid, parent uint64, name string) {
	var d message
	d.uint(trackUUID, uuid)
	d.uint(trackParent, parent)
	d.text(trackName, name)
	e.descriptor(d)
}

func (e *encoder) uuid() uint64 {
	e.next++
	return e.next - 1
}

func (e *encoder) thread(id int64) uint64 {
	uuid, ok := e.threads[id]
	if !ok {
		uuid = e.uuid()
		e.threads[id] = uuid
		var t, d message
		t.uint(threadPID, pidThreads)
		name := e.Thread(id)
		if name == "" {
			name = "thread"
		}
		tid := uint64(id)
		if id <= 0 || id > math.MaxInt32 { // as on darwin; the field has 32 bits, and zero has a meaning
			name, tid = fmt.Sprint(name, " ", id), uint64(len(e.threads))
		}
		t.uint(threadTID, tid)
		t.text(threadName, name)
		d.uint(trackUUID, uuid)
		d.message(trackThread, t)
		e.descriptor(d)
	}
	return uuid
}

func (e *encoder) goroutine(id int64) *goroutine {
	g := e.goroutines[id]
	if g == nil {
		g = &goroutine{states: e.uuid()}
		e.goroutines[id] = g
		e.track(g.states, uuidGoroutines, e.Title(id))
	}
	return g
}

// below returns the track of what overlaps the states of a goroutine.
func (e *encoder) below(id int64) uint64 {
	g := e.goroutine(id)
	if g.below == 0 {
		g.below = e.uuid()
		e.track(g.below, g.states, "regions and logs")
	}
	return g.below
}

// intern returns the identifier of a text, which the next packet defines if it is new.
func (e *encoder) intern(field int, text string) uint64 {
	id, ok := e.interned[field][text]
	if !ok {
		id = uint64(len(e.interned[field]) + 1)
		e.interned[field][text] = id
		var m message
		m.uint(internedID, id)
		m.text(internedText, text)
		e.pending.message(field, m)
	}
	return id
}

// stack returns the identifier of a stack, as a text.
func (e *encoder) stack(n int32) uint64 {
	id, ok := e.stacks[n]
	if !ok {
		var text strings.Builder
		for i, f := range e.Stack(n) {
			if i > 0 {
				text.WriteByte('\n')
			}
			fmt.Fprintf(&text, "%s %s:%d", f.Func, f.File, f.Line)
		}
		id = e.intern(internedAnnotationTexts, text.String())
		e.stacks[n] = id
	}
	return id
}

// An event is a TrackEvent in the making.
type event struct {
	*encoder
	message
}

func (e *encoder) begin(kind, track uint64, category, name string) *event {
	ev := &event{encoder: e}
	ev.uint(eventType, kind)
	ev.uint(eventTrack, track)
	if category != "" {
		ev.uint(eventCategory, e.intern(internedCategories, category))
	}
	if name != "" {
		ev.uint(eventName, e.intern(internedEvents, name))
	}
	return ev
}

func (ev *event) annotate(name string, field int, n uint64) {
	var a message
	a.uint(annotationNameID, ev.intern(internedAnnotations, name))
	a.uint(field, n)
	ev.message.message(eventAnnotation, a)
}

func (ev *event) number(name string, n int64) {
	if n >= 0 {
		ev.annotate(name, annotationUint, uint64(n))
	}
}

func (ev *event) stackOf(name string, stack int32) {
	if stack != 0 {
		ev.annotate(name, annotationTextID, ev.stack(stack))
	}
}

func (ev *event) write(at time.Duration) {
	var p message
	p.uint(packetTimestamp, uint64(at))
	if len(ev.pending) > 0 {
		p.message(packetInterned, ev.pending)
		ev.pending = ev.pending[:0]
	}
	p.uint(packetSequenceFlags, needsState)
	p.message(packetTrackEvent, ev.message)
	ev.packet(p)
}

// slice writes an interval on a track; more adds to its begin.
func (e *encoder) slice(v *lanes.Interval, track uint64, category, name string, more func(*event)) {
	ev := e.begin(sliceBegin, track, category, name)
	ev.stackOf("stack", v.Stack)
	if more != nil {
		more(ev)
	}
	ev.write(v.Start)
	e.begin(sliceEnd, track, "", "").write(v.End())
}

func (e *encoder) interval(v *lanes.Interval) {
	name := e.Name(v.Name)
	switch v.Kind {
	case lanes.Running, lanes.Syscall, lanes.Runnable, lanes.Waiting:
		e.state(v, name)
	case lanes.Life:
		e.goroutine(v.Goroutine)
	case lanes.Range:
		switch {
		case v.Goroutine != lanes.None:
			e.slice(v, e.below(v.Goroutine), "runtime", name, nil)
		case v.By != lanes.None || strings.HasPrefix(name, "stop-the-world"):
			e.slice(v, uuidStopped, "runtime", name, func(ev *event) { ev.number("goroutine", v.By) })
		default:
			e.slice(v, uuidCollector, "runtime", name, nil)
		}
	case lanes.Region:
		e.slice(v, e.below(v.Goroutine), "region", name, func(ev *event) { ev.task(v) })
	case lanes.Task:
		track := e.uuid()
		e.track(track, uuidTasks, fmt.Sprintf("%s #%d", name, v.Task))
		e.slice(v, track, "task", name, func(ev *event) {
			ev.task(v)
			ev.number("begun by goroutine", v.Goroutine)
			ev.number("ended by goroutine", v.By)
		})
	case lanes.Log:
		track := uint64(uuidTasks)
		if v.Goroutine != lanes.None {
			track = e.below(v.Goroutine)
		}
		text := v.Text
		if name != "" {
			text = name + ": " + text
		}
		ev := e.begin(instant, track, "log", "log")
		var a message
		a.uint(annotationNameID, e.intern(internedAnnotations, "message"))
		a.text(annotationText, strings.ToValidUTF8(text, "�"))
		ev.message.message(eventAnnotation, a)
		ev.task(v)
		ev.stackOf("stack", v.Stack)
		ev.write(v.Start)
	case lanes.Heap:
		ev := e.begin(counter, uuidHeap, "", "")
		ev.uint(eventCounter, v.Task)
		ev.write(v.Start)
	}
}

func (ev *event) task(v *lanes.Interval) {
	if v.Task != 0 {
		ev.annotate("task", annotationUint, v.Task)
	}
	if v.Parent != 0 {
		ev.annotate("parent task", annotationUint, v.Parent)
	}
}

// state writes a state of a goroutine, and on the thread what ran there. The goroutine that ended a wait has an instant,
// from which a flow leads to the time after the wait.
func (e *encoder) state(v *lanes.Interval, reason string) {
	name := v.Kind.String()
	if reason != "" {
		name += ": " + reason
	}
	g := e.goroutine(v.Goroutine)
	e.slice(v, g.states, "goroutine", name, func(ev *event) {
		ev.number("thread", v.Thread)
		by := map[lanes.Kind]string{lanes.Waiting: "ended by", lanes.Runnable: "made ready by"}[v.Kind]
		if by != "" && v.By != lanes.None {
			ev.number(by+" goroutine", v.By)
			ev.stackOf(by, v.ByStack)
		}
		if v.Kind == lanes.Runnable && g.flow != 0 {
			ev.fixed(eventTerminatingFlow, g.flow)
		}
	})
	switch {
	case v.Kind == lanes.Waiting && v.By != lanes.None && e.Has(v.By):
		g.flow, e.flow = e.flow, e.flow+1
		ev := e.begin(instant, e.goroutine(v.By).states, "wake", "wakes "+ui.Head(e.Title(v.Goroutine), 60))
		ev.fixed(eventFlow, g.flow)
		ev.write(v.End())
	case v.Kind != lanes.Waiting:
		g.flow = 0
	}
	if v.Thread >= 0 && v.Kind <= lanes.Syscall {
		title := e.Title(v.Goroutine)
		if v.Kind == lanes.Syscall {
			title = "syscall of " + title
		}
		e.slice(v, e.thread(v.Thread), "thread", title, func(ev *event) { ev.number("goroutine", v.Goroutine) })
	}
}
