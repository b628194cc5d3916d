// Package report has the report on an execution trace as plain data, and the summaries of which it consists.
package report

import (
	"slices"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
)

// Shown is the length of the lists of the most moved goroutines and the worst calls, and of lists in the text.
const Shown = 10

// A Report describes an execution trace. All times are nanoseconds; times in the trace count from its first event.
//
// Its size is bounded: points over time are merged ([Series]), distributions are counted in classes ([Distribution]),
// and lists have the longest, busiest or worst of their kind.
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
	Locked     []LockedThread `json:"locked_threads"` // those that served most calls first, then the longest running
	Calls      Calls          `json:"calls"`
	Look       *Look          `json:"look,omitempty"` // the part that is requested, nil for the whole trace
	Waiting    Waiting        `json:"waiting"`
	Tasks      []Task         `json:"tasks"`          // by type, the longest sum first, at most 1,000
	Path       *Path          `json:"path,omitempty"` // if one was requested
	Verdict    []Finding      `json:"verdict"`        // what stands out, the most costly first, at most five; never nil
}

// A Trace describes the trace itself.
type Trace struct {
	Name       string        `json:"name"`
	Bytes      int64         `json:"bytes"`           // read
	Format     string        `json:"format"`          // of the file: "go 1.26"; not the version that built the program
	Begin      *time.Time    `json:"begin,omitempty"` // by the wall clock; nil for formats before Go 1.25
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
	STW        time.Duration `json:"stw_ns"`     // for which the world was stopped, tracing itself left out
}

// A Series is a number over time. Points are merged beyond some hundreds, with their peaks and lows.
type Series struct {
	Step   time.Duration `json:"step_ns"` // the time of a point
	Points []Point       `json:"points"`  // in order; a step in which the number did not change has none
}

// A Point has a number from At on, for one step. The number then stays at Last until the next point.
type Point struct {
	At   time.Duration `json:"t_ns"`
	Min  float64       `json:"min"`
	Max  float64       `json:"max"`
	Last float64       `json:"last"`
}

// A Distribution summarizes numbers. N, Sum, Min and Max are exact. A quantile is the middle of a class, of which there
// are eight from each power of two to the next, so it is wrong by at most 6.25 %; below 16 it is exact.
type Distribution struct {
	N       uint64  `json:"n"`
	Sum     float64 `json:"sum"`
	Min     float64 `json:"min"`
	P50     float64 `json:"p50"`
	P90     float64 `json:"p90"`
	P99     float64 `json:"p99"`
	Max     float64 `json:"max"`
	Classes []Class `json:"classes"` // that are not empty, in order; never nil
}

// A Class counts the numbers x with Low <= x < High.
type Class struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	N    uint64  `json:"n"`
}

// A Count is the number of events of one name.
type Count struct {
	Name string `json:"name"`
	N    uint64 `json:"n"`
}

// A Frame is one of a stack. Stacks begin with the innermost function.
type Frame struct {
	Func string `json:"func"`
	File string `json:"file"`
	Line uint64 `json:"line"`
}

// An Interval is a range of time.
type Interval struct {
	At     time.Duration `json:"t_ns"`
	Length time.Duration `json:"length_ns"`
	What   string        `json:"what"`
}

// A Heap is the memory, in bytes, that is allocated and not yet known to be garbage. The trace has it when a thread
// takes a new span to allocate from, not with each object, so that it is ahead of the program by up to some kilobytes
// for each P.
type Heap struct {
	Allocated Series  `json:"allocated"`
	Goal      Series  `json:"goal"` // of the collector: the heap at the end of the next collection
	First     uint64  `json:"first_bytes"`
	Last      uint64  `json:"last_bytes"`
	Peak      uint64  `json:"peak_bytes"`
	Growth    float64 `json:"growth_bytes_per_minute"` // from the first value to the last
	Lows      *Trend  `json:"lows,omitempty"`          // nil with fewer than three collections
}

// A Trend is a line of least squares through the heap's lows. A low is the least value between the end of one
// collection and the begin of the next, which is the reachable memory. Its growth shows a leak, and does not depend on
// where in a cycle the trace begins and ends.
type Trend struct {
	N      int     `json:"n"` // lows
	First  uint64  `json:"first_bytes"`
	Last   uint64  `json:"last_bytes"`
	Growth float64 `json:"growth_bytes_per_minute"`
	Error  float64 `json:"error_bytes_per_minute"` // the standard error of Growth
}

// A GC describes the collector.
type GC struct {
	Cycles    uint64        `json:"cycles"`          // with their begin or end in the trace
	Mark      Distribution  `json:"mark_ns"`         // concurrent mark phases of which the trace has begin and end
	Workers   time.Duration `json:"workers_ns"`      // for which goroutines of the collector marked
	BgSweep   time.Duration `json:"bgsweep_ns"`      // for which the sweeping goroutine ran
	Assist    Distribution  `json:"assist_ns"`       // of goroutines that allocate: marking, waiting for credit, or ready
	Assisted  Assist        `json:"assist"`          // what they did for that time
	Sweep     Distribution  `json:"sweep_ns"`        // sweeping by goroutines that allocate
	Swept     uint64        `json:"swept_bytes"`     // by those
	Reclaimed uint64        `json:"reclaimed_bytes"` // by those
	Longest   []Interval    `json:"longest"`         // mark phases, in the order of time
}

// Stops has when the world was stopped: from the request to stop to the restart. Starting and stopping the trace stop
// the world, too; that is in Reasons but nowhere else.
type Stops struct {
	All     Distribution `json:"all_ns"`
	Reasons []StopReason `json:"reasons"` // the longest sum first
	Longest []Interval   `json:"longest"` // in the order of time
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

// Threads are those of the operating system. The trace has neither their begin nor their end.
type Threads struct {
	Seen    Series   `json:"seen"` // that have run a goroutine so far
	Busy    Series   `json:"busy"` // that run a goroutine or are in a system call of one
	Total   uint64   `json:"total"`
	Peak    uint64   `json:"peak_busy"`
	Busiest []Thread `json:"busiest"` // by the time that they ran goroutines, the busiest first
}

// A Thread is one thread. Running, Syscall and Idle sum up to the time from its first event to the end of the trace.
type Thread struct {
	ID         int64         `json:"id"`       // the runtime's or the system's, as the trace has it
	First      time.Duration `json:"first_ns"` // of its events
	Running    time.Duration `json:"running_ns"`
	Syscall    time.Duration `json:"syscall_ns"`
	Idle       time.Duration `json:"idle_ns"`
	Executions uint64        `json:"executions"`
	Only       int64         `json:"only_goroutine"` // zero if it ran several, or none
	Timeline   Timeline      `json:"timeline"`
}

// A Timeline has the states of a thread in each step of time from the begin of the trace: shares from 0 to 1.
type Timeline struct {
	Step    time.Duration `json:"step_ns"`
	Running []float64     `json:"running"`
	Syscall []float64     `json:"syscall"` // as long as Running
}

// A Function sums up the goroutines whose outermost function it is.
type Function struct {
	Name       string        `json:"name"`   // "?" if not in the trace
	System     bool          `json:"system"` // the runtime's
	Goroutines uint64        `json:"goroutines"`
	Executions uint64        `json:"executions"`
	Moves      uint64        `json:"moves"`
	Running    time.Duration `json:"running_ns"`
	Runnable   time.Duration `json:"runnable_ns"` // ready, but not running
	Waiting    time.Duration `json:"waiting_ns"`
	Syscall    time.Duration `json:"syscall_ns"`
}

// Affinity describes how goroutines moved from thread to thread. An execution is an uninterrupted stay on a thread, of
// which system calls are part as long as they keep their P. A goroutine has moved when an execution is on another thread
// than the one before.
type Affinity struct {
	Goroutines uint64       `json:"goroutines"` // that ran
	Executions uint64       `json:"executions"`
	Moves      uint64       `json:"moves"`
	Why        []Count      `json:"why"` // moves, by the end of the execution before: "channel", "syscall", "preempted"; most first
	Via        []Count      `json:"via"` // moves, by how the new thread got the goroutine: "waker", "stolen", "handoff", "global queue"; most first
	Per        Distribution `json:"moves_per_goroutine"`
	On         Distribution `json:"threads_per_goroutine"`
	Top        []Mover      `json:"top"` // those that moved most, at most ten
}

// A Mover is a goroutine that moved.
type Mover struct {
	Goroutine  int64         `json:"goroutine"`
	Function   string        `json:"function"`
	Created    []Frame       `json:"created"` // where; empty if before the trace
	Threads    uint64        `json:"threads"` // different ones
	Executions uint64        `json:"executions"`
	Moves      uint64        `json:"moves"`
	Why        []Count       `json:"why"`
	Via        []Count       `json:"via"`
	Running    time.Duration `json:"running_ns"`
}

// A LockedThread is a thread and the one goroutine that it ran from Since to Until, while that ran on no other thread. The
// trace does not have whether a goroutine is locked; Evidence is the reason to take it for locked.
type LockedThread struct {
	Thread     int64         `json:"thread"`
	Goroutine  int64         `json:"goroutine"`
	Function   string        `json:"function"`
	Evidence   Evidence      `json:"evidence"`
	Since      time.Duration `json:"since_ns"`
	Until      time.Duration `json:"until_ns"`
	Executions uint64        `json:"executions"`
	Running    time.Duration `json:"running_ns"`
	Syscall    time.Duration `json:"syscall_ns"`
	Idle       time.Duration `json:"idle_ns"`
	Waits      []Wait        `json:"waits"`      // while it was idle, the longest sum first
	Calls      uint64        `json:"calls"`      // of threadcall, that it ran
	Serving    time.Duration `json:"serving_ns"` // them; a call within a call counts once
	Timeline   Timeline      `json:"timeline"`   // of the thread, from the begin of the trace
}

// Evidence is the reason to take a thread for locked.
type Evidence string

const (
	// ServesCalls: it ran functions of threadcall, which locks its threads.
	ServesCalls Evidence = "serves calls"
	// HandedOver: ten times or more in a row, another thread gave it a P when the goroutine was ready, as the scheduler
	// does for locked goroutines.
	HandedOver Evidence = "handed a P"
)

// A Wait sums up the times for which a goroutine waited for one reason, as the runtime names it.
type Wait struct {
	Reason string        `json:"reason"`
	N      uint64        `json:"n"`
	Time   time.Duration `json:"time_ns"`
}

// Calls are those of threadcall.
type Calls struct {
	Total      uint64  `json:"total"`      // that ran, from their begin to their end in the trace
	InPlace    uint64  `json:"in_place"`   // of Total: called on the thread itself, and so never queued
	Unfinished uint64  `json:"unfinished"` // with only the begin or only the end in the trace
	NotRun     uint64  `json:"not_run"`    // that were refused or withdrawn
	Places     []Place `json:"places"`     // by the sum of delays and run times, the largest first
	Worst      []Call  `json:"worst"`      // the longest from begin to end, at most ten, the longest first

	Slow []SlowCall `json:"slow"` // those that OnSlowCall reported, in the order of time; the last ten
}

// A SlowCall is a function that OnSlowCall reported while the trace was recorded.
type SlowCall struct {
	At        time.Duration `json:"t_ns"`       // when it was reported
	Running   time.Duration `json:"running_ns"` // how long it had run by then
	Thread    int64         `json:"thread"`     // that it ran on
	Runner    int64         `json:"runner"`     // the goroutine that it ran in
	Kind      string        `json:"kind"`       // Call or Go; empty, as the following, if the call is not in the trace
	Goroutine int64         `json:"goroutine"`  // that called; -1 if not in the trace
	Queued    time.Duration `json:"queued_ns"`  // -1 if not in the trace
	From      []Frame       `json:"from"`       // the stack of the caller
	Waits     string        `json:"waits"`      // what for, when it was reported; empty if it ran or if that is not in the trace
	Waited    time.Duration `json:"waited_ns"`  // how long by then
	On        []Frame       `json:"on"`         // the stack of the thread: where it waits, or at the begin of the function
}

// Begin returns when the function began, zero if that was before the trace.
func (s SlowCall) Begin() time.Duration { return max(0, s.At-s.Running) }

// Caller returns the stack of the caller, without threadcall's frames.
func (s SlowCall) Caller() []Frame { return Call{From: s.From}.Caller() }

// Function returns the stack of the thread up to the function that was called.
func (s SlowCall) Function() []Frame { return Call{On: s.On}.Function() }

// A Place is where threads are called: the first frame outside of threadcall, and the kind of call.
type Place struct {
	Frame
	Kind    string       `json:"kind"` // Call, Go, …: the task's type after "threadcall."; "in place" without a task
	N       uint64       `json:"n"`
	Queued  Distribution `json:"queued_ns"` // from the begin of the call to that of the function
	Run     Distribution `json:"run_ns"`    // the function
	Return  Distribution `json:"return_ns"` // from the end of the function to that of the call
	Threads []int64      `json:"threads"`   // that ran the functions; at most eight
}

// A Call is one of threadcall.
type Call struct {
	Kind      string        `json:"kind"`
	At        time.Duration `json:"t_ns"`
	Goroutine int64         `json:"goroutine"` // that called
	Thread    int64         `json:"thread"`    // that ran the function
	Queued    time.Duration `json:"queued_ns"`
	Run       time.Duration `json:"run_ns"`
	Return    time.Duration `json:"return_ns"`
	From      []Frame       `json:"from"`              // the stack of the caller
	On        []Frame       `json:"on"`                // the stack of the thread: where it stopped for longest in the function, or at the begin of the function
	Stopped   *Wait         `json:"stopped,omitempty"` // the longest stop, in On; nil if there was none
}

// Total returns the time from the begin of the call to its end.
func (c Call) Total() time.Duration { return c.Queued + c.Run + c.Return }

// Own reports whether the frame is of threadcall, or of package runtime/trace, which marks calls.
func (f Frame) Own() bool {
	switch symbol.Package(f.Func) {
	case "runtime/trace",
		"github.com/threadcall/threadcall/thread",
		"github.com/threadcall/threadcall/mainthread",
		"github.com/threadcall/threadcall/keyed",
		"github.com/threadcall/threadcall/internal/engine":
		return true
	}
	return false
}

// Caller returns the stack of the caller, without threadcall's frames.
func (c Call) Caller() []Frame {
	if i := slices.IndexFunc(c.From, func(f Frame) bool { return !f.Own() }); i > 0 {
		return c.From[i:]
	}
	return c.From
}

// Function returns the stack of the thread up to the function that was called.
func (c Call) Function() []Frame {
	if i := slices.IndexFunc(c.On, Frame.Own); i > 0 {
		return c.On[:i]
	}
	return c.On
}
