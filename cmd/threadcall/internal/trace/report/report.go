// Package report has the report on an execution trace as plain data, and the summaries of which it
// consists.
package report

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
)

// A Report describes an execution trace. All times are nanoseconds; times in the trace count from
// its first event.
//
// Its size is bounded: points over time are merged ([Series]), distributions are counted in classes
// ([Distribution]), and lists have the longest, busiest or worst of their kind.
type Report struct {
	Trace      Trace          `json:"trace"`
	Warnings   []string       `json:"warnings"` // about the rest of the report; never nil
	Table      Table          `json:"table"`
	Heap       Heap           `json:"heap"`
	GC         GC             `json:"gc"`
	Stops      Stops          `json:"stop_the_world"`
	Goroutines Goroutines     `json:"goroutines"`
	Threads    Threads        `json:"threads"`
	Functions  []Function     `json:"functions"` // the longest running first
	Affinity   Affinity       `json:"affinity"`
	Locked     []LockedThread `json:"locked_threads"` // those that served most calls first
	Calls      Calls          `json:"calls"`
	Waiting    Waiting        `json:"waiting"`
	Tasks      []Task         `json:"tasks"`          // by type, the longest sum first, at most 1,000
	Verdict    []Finding      `json:"verdict"`        // the most costly first, at most five; never nil
	Path       *Path          `json:"path,omitempty"` // if one was requested
}

// A Trace describes the trace itself.
type Trace struct {
	Name       string        `json:"name"`
	Bytes      int64         `json:"bytes"`           // read
	Format     string        `json:"format"`          // of the file: "go 1.26"
	Begin      *time.Time    `json:"begin,omitempty"` // by the wall clock; nil before Go 1.25
	Duration   time.Duration `json:"duration_ns"`     // from the first event to the last
	Events     uint64        `json:"events"`
	Truncated  bool          `json:"truncated"`  // the report ends before the trace should
	GOMAXPROCS uint64        `json:"gomaxprocs"` // the last value; zero if not in the trace
}

// A Table is the row by which "Understanding Allocations in Go" (James Kirk) compares programs.
type Table struct {
	Goroutines uint64        `json:"goroutines"` // most at a time, the runtime's own included
	Heap       uint64        `json:"heap_bytes"` // most at a time
	Threads    uint64        `json:"threads"`    // that ran a goroutine
	BgSweep    time.Duration `json:"bgsweep_ns"` // for which the runtime's sweeping goroutine ran
	STW        time.Duration `json:"stw_ns"`     // for which the world was stopped, not by tracing
}

// A Frame is one of a stack. Stacks begin with the innermost function.
type Frame struct {
	Func string `json:"func"`
	File string `json:"file"`
	Line uint64 `json:"line"`
}

// String names the function and its place, as "main.f (main.go:7)".
func (f Frame) String() string {
	if f.File == "" {
		return symbol.Short(f.Func)
	}
	file := path.Base(strings.ReplaceAll(f.File, `\`, "/"))
	return fmt.Sprintf("%s (%s:%d)", symbol.Short(f.Func), file, f.Line)
}

// own are the packages of a call's way through threadcall, and what marks it.
var own = regexp.MustCompile(`^(runtime/trace|github\.com/threadcall/threadcall/` +
	`(thread|mainthread|keyed|internal/(engine|callq|park|ident|freelist)))(/|$)`)

// Own reports whether the frame is of threadcall, or of package runtime/trace, which marks calls.
func (f Frame) Own() bool { return own.MatchString(symbol.Package(f.Func)) }

// A Sum counts times.
type Sum struct {
	N    uint64        `json:"n"`
	Time time.Duration `json:"time_ns"`
}

// Add adds a time.
func (s *Sum) Add(t time.Duration) { s.N, s.Time = s.N+1, s.Time+t }

// Merge adds the times of another sum.
func (s *Sum) Merge(t Sum) { s.N, s.Time = s.N+t.N, s.Time+t.Time }

// A Moment is a time of one goroutine.
type Moment struct {
	At        time.Duration `json:"t_ns"`
	Length    time.Duration `json:"length_ns"`
	Goroutine int64         `json:"goroutine"`
}

// An Interval is a range of time.
type Interval struct {
	At     time.Duration `json:"t_ns"`
	Length time.Duration `json:"length_ns"`
	What   string        `json:"what"`
}

// A Heap is the memory, in bytes, that is allocated and not yet known to be garbage. The trace has
// it when a thread takes a new span to allocate from, not with each object, so that it is ahead of
// the program by up to some kilobytes for each P.
type Heap struct {
	Allocated Series `json:"allocated"`
	First     uint64 `json:"first_bytes"`
	Last      uint64 `json:"last_bytes"`
	Peak      uint64 `json:"peak_bytes"`
}

// A GC describes the collector.
type GC struct {
	Cycles  uint64        `json:"cycles"`     // with their start or end in the trace
	Mark    Distribution  `json:"mark_ns"`    // mark phases that the trace has as a whole
	Workers time.Duration `json:"workers_ns"` // for which goroutines of the collector marked
	Assist  Assist        `json:"assist"`
}

// An Assist describes how goroutines that allocate helped the collector.
type Assist struct {
	N      uint64        `json:"n"`
	Worked time.Duration `json:"worked_ns"`
}

// Stops has when the world was stopped: from the request to stop to the restart. Starting and
// stopping the trace stop the world, too; that is in Reasons but nowhere else.
type Stops struct {
	All     Distribution `json:"all_ns"`
	Reasons []StopReason `json:"reasons"` // the longest sum first
	Longest []Interval   `json:"longest"` // at most ten, the longest first
}

// A StopReason has the stops for one reason, as the runtime names it.
type StopReason struct {
	Reason string       `json:"reason"`
	Own    bool         `json:"own"` // the trace itself is the reason
	Times  Distribution `json:"times_ns"`
}

// Goroutines counts those that exist, the runtime's own included.
type Goroutines struct {
	Existing Series `json:"existing"`
	First    uint64 `json:"first"`
	Peak     uint64 `json:"peak"`
	Last     uint64 `json:"last"`
	Created  uint64 `json:"created"` // while the trace was taken
	Ended    uint64 `json:"ended"`   // while the trace was taken
	System   uint64 `json:"system"`  // of Last: those of the runtime
}

// Threads are those of the operating system. The trace has neither their start nor their end.
type Threads struct {
	Busy  Series `json:"busy"` // that run a goroutine or are in a system call of one
	Total uint64 `json:"total"`
	Peak  uint64 `json:"peak_busy"`
}

// Times are the times that goroutines spent in each state.
type Times struct {
	Running  time.Duration `json:"running_ns"`
	Runnable time.Duration `json:"runnable_ns"` // ready, but not running
	Waiting  time.Duration `json:"waiting_ns"`
	Syscall  time.Duration `json:"syscall_ns"`
}

// A Function sums up the goroutines whose outermost function it is.
type Function struct {
	Name       string `json:"name"`   // "?" if not in the trace
	System     bool   `json:"system"` // the runtime's
	Goroutines uint64 `json:"goroutines"`
	Executions uint64 `json:"executions"`
	Moves      uint64 `json:"moves"`
	Times
}

// Affinity describes how goroutines moved from thread to thread. An execution is an uninterrupted
// stay on a thread, of which system calls are part as long as they keep their P. A goroutine has
// moved when an execution is on another thread than the one before.
type Affinity struct {
	Executions uint64  `json:"executions"`
	Moves      uint64  `json:"moves"`
	Why        []Count `json:"why"` // moves, by the end of the execution before; most first
}

// A Count is the number of events of one name.
type Count struct {
	Name string `json:"name"`
	N    uint64 `json:"n"`
}

// A LockedThread is a thread that threadcall has locked: it ran functions for callers, in a
// goroutine that ran nowhere else.
type LockedThread struct {
	Thread    int64         `json:"thread"`
	Goroutine int64         `json:"goroutine"`
	Function  string        `json:"function"`
	Running   time.Duration `json:"running_ns"`
	Syscall   time.Duration `json:"syscall_ns"`
	Idle      time.Duration `json:"idle_ns"`
	Calls     uint64        `json:"calls"`      // of threadcall, that it ran
	Serving   time.Duration `json:"serving_ns"` // them; a call within a call counts once
}

// A Wait sums up the times for which a goroutine waited for one reason.
type Wait struct {
	Reason string `json:"reason"` // as in Waiting
	Sum
}

// A Task sums up the tasks of one type (runtime/trace.NewTask).
type Task struct {
	Type       string       `json:"type"`
	Times      Distribution `json:"times_ns"`   // of those that the trace has as a whole
	Unfinished uint64       `json:"unfinished"` // with only the start or only the end in the trace
	ID         uint64       `json:"longest_id"`
	Longest    Moment       `json:"longest"` // and the goroutine that ended it
}

// A Finding is something that stands out. Its moment is where it is in the plots.
type Finding struct {
	Rule  string `json:"rule"`  // of docs/trace.md
	Text  string `json:"text"`  // one sentence
	Table string `json:"table"` // with the details: the id of an element of the page
	Moment
}

// A Path is the critical path of a task, or of a goroutine: for each moment, what the task waited
// for in the end. Its steps have no gaps. When the task's goroutine waits and another one ends the
// wait, the path has what that one did during the wait, and so on.
type Path struct {
	What      string        `json:"what"`
	At        time.Duration `json:"t_ns"`
	Length    time.Duration `json:"length_ns"`
	Goroutine int64         `json:"goroutine"` // that ended the task
	Parts     []Part        `json:"parts"`     // the longest first; their sum is Length
	Steps     []Step        `json:"steps"`     // in the order of time, at most 2,000, the longest
	Omitted   uint64        `json:"omitted"`   // steps
}

// A Part sums up the steps in which goroutines did the same at one place.
type Part struct {
	Doing string `json:"doing"`
	Frame
	Sum
}

// A Step is a time in which one goroutine ran, was ready, or waited for something that no goroutine
// ended.
type Step struct {
	Moment
	Doing string `json:"doing"` // "ran", "ready", "system call", a reason for a wait, or "unknown"
	Frame        // where it stopped then, or woke the next one
	Depth int    `json:"depth"` // waits between the task's goroutine and this one
	For   string `json:"for"`   // the innermost of these; empty if Depth is zero
}
