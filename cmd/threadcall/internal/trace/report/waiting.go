package report

import "time"

// Waiting has what goroutines waited for, and where. A wait that the trace has as a whole is in Times; one that began
// before the trace is in Earlier; one that has not ended is in Blocked.
type Waiting struct {
	Running time.Duration `json:"running_ns"` // of all goroutines
	Reasons []WaitReason  `json:"reasons"`    // the longest sum first
	Places  []WaitPlace   `json:"places"`     // the longest sum first, at most 500
	Blocked []Blocked     `json:"blocked"`    // at the end of the trace, most goroutines first, at most 500
	Latency Latency       `json:"latency"`
	Totals  []Total       `json:"totals"` // in the order of [TotalKinds]
}

// A WaitReason has all waits for one reason.
type WaitReason struct {
	Reason  string       `json:"reason"` // mutex, channel send, select, network, system call, …
	Times   Distribution `json:"times_ns"`
	Earlier Sum          `json:"earlier"`
	Blocked uint64       `json:"blocked"` // goroutines that wait at the end, without the runtime's
}

// A Sum counts times.
type Sum struct {
	N    uint64        `json:"n"`
	Time time.Duration `json:"time_ns"`
}

// Add adds a time.
func (s *Sum) Add(t time.Duration) { s.N, s.Time = s.N+1, s.Time+t }

// A WaitPlace is where goroutines waited for one reason: the innermost frame of the program, or if there is none, outside of
// the runtime and the packages below sync, os and net.
type WaitPlace struct {
	Reason string `json:"reason"`
	Frame
	Library   bool          `json:"library"` // the frame is of the standard library, since the stack has none of the program
	Times     Distribution  `json:"times_ns"`
	Earlier   Sum           `json:"earlier"`
	Contended time.Duration `json:"contended_ns"` // while at least one goroutine waited here
	Most      uint64        `json:"most"`         // goroutines at a time
	Longest   Moment        `json:"longest"`      // of all waits that ended
	Stack     []Frame       `json:"stack"`        // the one that waited for longest in sum
	Wakers    []Waker       `json:"wakers"`       // the longest waits first, at most ten; none for system calls
}

// A Moment is a time of one goroutine.
type Moment struct {
	At        time.Duration `json:"t_ns"`
	Length    time.Duration `json:"length_ns"`
	Goroutine int64         `json:"goroutine"`
}

// A Waker is a place that ended waits: where a mutex was unlocked, which its goroutine held until then, where a channel was
// written or closed. Waits that timers and the network ended have the function "?".
type Waker struct {
	Frame
	Sum
}

// Blocked has goroutines that have not continued when the trace ends. Those of the runtime are omitted.
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

// A LatencyPlace is where goroutines were when they became ready, and how: "woken", "system call", "preempted", "yielded",
// "mutex hand-off", or "created", whose place is where. Goroutines of the runtime have "runtime", and are not in All.
type LatencyPlace struct {
	How string `json:"how"`
	Frame
	Times   Distribution `json:"times_ns"`
	Longest Moment       `json:"longest"`
}

// TotalKinds are the kinds of profiles of go tool trace -pprof.
var TotalKinds = []string{"net", "sync", "syscall", "sched"}

// A Total sums up the profile that go tool trace -pprof=KIND makes of the trace. It omits waits whose begin or end is not in
// the trace, and the latency of each goroutine's first run.
type Total struct {
	Kind string `json:"kind"`
	Sum
}

// An Assist describes how goroutines that allocate helped the collector.
type Assist struct {
	Worked time.Duration `json:"worked_ns"` // ran
	Waited time.Duration `json:"waited_ns"` // for credit
	Ready  time.Duration `json:"ready_ns"`  // for a P
	Places []AssistPlace `json:"places"`    // the longest sum first, at most 100
}

// An AssistPlace is where goroutines allocated and had to assist.
type AssistPlace struct {
	Frame
	N      uint64        `json:"n"`
	Worked time.Duration `json:"worked_ns"`
	Waited time.Duration `json:"waited_ns"`
	Ready  time.Duration `json:"ready_ns"`
}

// A Finding is something that stands out.
type Finding struct {
	Rule   string        `json:"rule"`  // of docs/trace.md
	Text   string        `json:"text"`  // one sentence
	Table  string        `json:"table"` // with the details: the id of an element of the page
	At     time.Duration `json:"t_ns"`  // where it is in the picture
	Length time.Duration `json:"length_ns"`
}
