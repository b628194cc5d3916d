package trace

import "time"

// Waiting has what goroutines waited for, and where. A wait that the trace has as a whole is in
// Times; one that has not ended is in Blocked.
type Waiting struct {
	Places  []WaitPlace `json:"places"`  // the longest sum first, at most 500
	Blocked []Blocked   `json:"blocked"` // at the end, most goroutines first, at most 500

	Latency Distribution `json:"latency"` // from when a goroutine is ready to when it runs
	Load    Load         `json:"load"`
	Wakeups []Wakeups    `json:"wakeups"`        // the longest time ready first, at most ten
	Servers []Server     `json:"servers"`        // the longest waits for them first, at most ten
	Loop    *Loop        `json:"loop,omitempty"` // nil if the main goroutine has none
}

// A Load has when all Ps ran goroutines.
type Load struct {
	Full   time.Duration `json:"full_ns"`
	Ready  time.Duration `json:"ready_ns"` // of other goroutines meanwhile
	Late   Sum           `json:"late"`     // waits for timers and the network that ended then
	Latest Moment        `json:"latest"`
}

// A Wakeups has the occasions on which one goroutine made many ready at one place without stopping.
type Wakeups struct {
	Frame
	N       uint64        `json:"n"`
	Woken   uint64        `json:"woken"`    // goroutines, in all
	Most    uint64        `json:"most"`     // on one occasion
	Ready   time.Duration `json:"ready_ns"` // of these goroutines until they ran
	Largest Moment        `json:"largest"`
}

// A Server is a goroutine for which others waited: it ended their waits, or the goroutine that did
// so waited for it meanwhile.
type Server struct {
	Goroutine int64         `json:"goroutine"`
	Function  string        `json:"function"`
	Lived     time.Duration `json:"lived_ns"`    // in the trace
	Active    time.Duration `json:"active_ns"`   // running, ready, or in system calls
	Depended  time.Duration `json:"depended_ns"` // on other goroutines that ended its waits
	Waits     Sum           `json:"waits"`       // of others for it
	Sends     time.Duration `json:"sends_ns"`    // of Waits: to send on a channel
	Most      Deed          `json:"most"`        // what it did for longest
}

// A Loop is where the main goroutine waits again and again.
type Loop struct {
	Deed
	Span   time.Duration `json:"span_ns"` // from the first wait to the last
	Moved  bool          `json:"moved"`   // the goroutine has moved from one thread to another
	Stalls []Deed        `json:"stalls"`  // what else it waited for in this time
}

// A Deed is what a goroutine did at one place.
type Deed struct {
	Doing string `json:"doing"` // ran, system call, or a reason for a wait
	Frame
	From Frame  `json:"from"` // the function of the program that called it; empty if there is none
	In   string `json:"in"`   // the function of a library that the program called there, if any
	Sum
	Longest Moment `json:"longest"`
}

// A WaitPlace is where goroutines waited for one reason: the innermost frame of the program, or if
// there is none, outside of the runtime and the packages below sync, os and net.
type WaitPlace struct {
	Reason string `json:"reason"`
	Frame
	From      Frame         `json:"from"`    // the caller in the program, in the longest wait
	In        string        `json:"in"`      // the function of a library that waited there, if any
	Library   bool          `json:"library"` // of the standard library; the stack has no other frame
	Times     Distribution  `json:"times_ns"`
	Shared    time.Duration `json:"shared_ns"`    // waits ended by goroutines that had waited here
	Contended time.Duration `json:"contended_ns"` // while at least one goroutine waited here
	Main      time.Duration `json:"main_ns"`      // waits of the main goroutine
	Ready     Distribution  `json:"ready_ns"`     // of the goroutines after the waits, until they ran
	Ran       Distribution  `json:"ran_ns"`       // of the goroutines after that, until they stopped
	Longest   Moment        `json:"longest"`      // of all waits that ended
	Stack     []Frame       `json:"stack"`        // of the longest wait
	Wakers    []Waker       `json:"wakers"`       // the longest waits first, at most ten
	Causes    []Cause       `json:"causes"`       // the longest first, at most three
}

// A Waker is a place that ended waits: where a mutex was unlocked, which its goroutine held until
// then, where a channel was written or closed. Waits that timers and the network ended have the
// function "?", system calls have none.
type Waker struct {
	Frame
	Sum
	By string `json:"by,omitempty"` // finalizer or cleanup, if one of these did
}

// A Cause is what the goroutine that ended a wait did since the last one that had ended there. Of a
// lock, that is what its holder did.
type Cause struct {
	Deed
	Root *Deed `json:"root,omitempty"` // if it waited for another goroutine: what that did
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

// Calls are those of threadcall.
type Calls struct {
	Total      uint64     `json:"total"`      // that ran, from their start to their end in the trace
	InPlace    uint64     `json:"in_place"`   // of Total: called on the thread itself, not queued
	Unfinished uint64     `json:"unfinished"` // with only the start or only the end in the trace
	NotRun     uint64     `json:"not_run"`    // that were refused or withdrawn
	Places     []Place    `json:"places"`     // the largest sum of delays and run times first
	Slow       []SlowCall `json:"slow"`       // the last ten that OnSlowCall reported
}

// A Place is where threads are called: the first frame outside of threadcall, and the kind of call.
type Place struct {
	Frame
	Kind    string       `json:"kind"`      // the task's type after "threadcall.", or "in place"
	Queued  Distribution `json:"queued_ns"` // from the start of the call to that of the function
	Run     Distribution `json:"run_ns"`    // the function
	Longest Moment       `json:"longest"`   // from the start of the call to its end
}

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
	By        Frame         `json:"by"`         // the first of From outside of threadcall
	Place     Frame         `json:"place"`      // of On, in the program
	From      []Frame       `json:"from"`       // the stack of the caller

	// On is the stack of the thread: where it waited when the call was reported, or the start of the
	// function.
	On []Frame `json:"on"`
}

// Begin returns when the function began, zero if that was before the trace.
func (s SlowCall) Begin() time.Duration { return max(0, s.At-s.Running) }
