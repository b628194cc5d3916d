package report

import (
	"slices"
	"time"
)

// Waiting has what goroutines waited for, and where. A wait that the trace has as a whole is in
// Times; one that began before the trace is in Earlier; one that has not ended is in Blocked.
type Waiting struct {
	Running time.Duration `json:"running_ns"` // of all goroutines
	Reasons []WaitReason  `json:"reasons"`    // the longest sum first
	Places  []WaitPlace   `json:"places"`     // the longest sum first, at most 500
	Blocked []Blocked     `json:"blocked"`    // at the end, most goroutines first, at most 500
	Latency Latency       `json:"latency"`
}

// A WaitReason has all waits for one reason.
type WaitReason struct {
	Reason  string       `json:"reason"` // mutex, channel send, select, network, system call, …
	Times   Distribution `json:"times_ns"`
	Earlier Sum          `json:"earlier"`
	Blocked uint64       `json:"blocked"` // goroutines that wait at the end, without the runtime's
}

// A WaitPlace is where goroutines waited for one reason: the innermost frame of the program, or if
// there is none, outside of the runtime and the packages below sync, os and net.
type WaitPlace struct {
	Reason string `json:"reason"`
	Frame
	Library   bool          `json:"library"` // of the standard library; the stack has no other frame
	Times     Distribution  `json:"times_ns"`
	Earlier   Sum           `json:"earlier"`
	Contended time.Duration `json:"contended_ns"` // while at least one goroutine waited here
	Longest   Moment        `json:"longest"`      // of all waits that ended
	Stack     []Frame       `json:"stack"`        // of the longest wait
	Wakers    []Waker       `json:"wakers"`       // the longest waits first, at most ten
}

// A Waker is a place that ended waits: where a mutex was unlocked, which its goroutine held until
// then, where a channel was written or closed. Waits that timers and the network ended have the
// function "?", system calls have none.
type Waker struct {
	Frame
	Sum
}

// Blocked has goroutines that have not continued when the trace ends. Those of the runtime are
// omitted.
type Blocked struct {
	Reason string `json:"reason"`
	Frame
	N       uint64        `json:"n"`
	New     uint64        `json:"new"`        // of N: created while the trace was taken
	Ended   uint64        `json:"ended"`      // waits at the place that have ended
	Longest time.Duration `json:"longest_ns"` // so far
	Sum     time.Duration `json:"sum_ns"`     // so far
	Created []Waker       `json:"created"`    // where, most goroutines first, at most ten; their waits
	Stack   []Frame       `json:"stack"`      // of one of them
}

// Latency is the time from when a goroutine is ready to when it runs.
type Latency struct {
	All    Distribution   `json:"all_ns"`
	Places []LatencyPlace `json:"places"` // the longest sum first, at most 500
}

// A LatencyPlace is where goroutines were when they became ready, and how: "woken", "system call",
// "preempted", "yielded", or "created", whose place is where. Goroutines of the
// runtime have "runtime", and are not in All.
type LatencyPlace struct {
	How string `json:"how"`
	Frame
	Times   Distribution `json:"times_ns"`
	Longest Moment       `json:"longest"`
}

// Calls are those of threadcall.
type Calls struct {
	Total      uint64  `json:"total"`      // that ran, from their start to their end in the trace
	InPlace    uint64  `json:"in_place"`   // of Total: called on the thread itself, not queued
	Unfinished uint64  `json:"unfinished"` // with only the start or only the end in the trace
	NotRun     uint64  `json:"not_run"`    // that were refused or withdrawn
	Places     []Place `json:"places"`     // the largest sum of delays and run times first
	Worst      []Call  `json:"worst"`      // the longest, at most ten, the longest first

	Slow []SlowCall `json:"slow"` // that OnSlowCall reported, in the order of time; the last ten
}

// A Place is where threads are called: the first frame outside of threadcall, and the kind of call.
type Place struct {
	Frame
	Kind   string       `json:"kind"` // the task's type after "threadcall.", or "in place"
	N      uint64       `json:"n"`
	Queued Distribution `json:"queued_ns"` // from the start of the call to that of the function
	Run    Distribution `json:"run_ns"`    // the function
	Return Distribution `json:"return_ns"` // from the end of the function to that of the call
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
	Stacks
	Stopped *Wait `json:"stopped,omitempty"` // the longest wait, in On; nil if there was none
}

// Stacks are those of the caller, and of the thread: where it waited for longest in the function,
// or waits when it is reported as slow, or the start of the function.
type Stacks struct {
	From []Frame `json:"from"`
	On   []Frame `json:"on"`
}

// Caller returns the stack of the caller, without threadcall's frames.
func (s Stacks) Caller() []Frame {
	if i := slices.IndexFunc(s.From, func(f Frame) bool { return !f.Own() }); i > 0 {
		return s.From[i:]
	}
	return s.From
}

// Function returns the stack of the thread up to the function that was called.
func (s Stacks) Function() []Frame {
	if i := slices.IndexFunc(s.On, Frame.Own); i > 0 {
		return s.On[:i]
	}
	return s.On
}

// Total returns the time from the start of the call to its end.
func (c Call) Total() time.Duration { return c.Queued + c.Run + c.Return }

// A SlowCall is a function that OnSlowCall reported while the trace was recorded.
type SlowCall struct {
	At        time.Duration `json:"t_ns"`       // when it was reported
	Running   time.Duration `json:"running_ns"` // how long it had run by then
	Thread    int64         `json:"thread"`     // that it ran on
	Runner    int64         `json:"runner"`     // the goroutine that it ran in
	Kind      string        `json:"kind"`       // Call or Go; empty if the call is not in the trace
	Goroutine int64         `json:"goroutine"`  // that called; -1 if not in the trace
	Queued    time.Duration `json:"queued_ns"`  // -1 if not in the trace
	Waits     string        `json:"waits"`      // what for, when it was reported; empty if it ran
	Waited    time.Duration `json:"waited_ns"`  // how long by then
	Stacks
}

// Begin returns when the function began, zero if that was before the trace.
func (s SlowCall) Begin() time.Duration { return max(0, s.At-s.Running) }
