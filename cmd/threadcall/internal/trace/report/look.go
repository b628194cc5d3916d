package report

import "time"

// A Look describes a part of a trace: a time, goroutines, or what happened at a place. Times of intervals that are only
// partly within From and To count with that part; lengths of single intervals are whole.
type Look struct {
	From       time.Duration   `json:"from_ns"`
	To         time.Duration   `json:"to_ns"`
	Place      string          `json:"place"`      // as requested
	Of         int             `json:"goroutines"` // that are selected and existed
	States     []LookState     `json:"states"`     // by state, reason and place; the longest sum first
	Goroutines []LookGoroutine `json:"busiest"`    // by the time that they ran, were ready or in system calls
	Threads    []LookThread    `json:"threads"`    // the busiest first
	Longest    []LookInterval  `json:"longest"`    // by length, without those of the runtime's goroutines, unless goroutines are selected
	Course     []LookInterval  `json:"course"`     // of a single goroutine: its first intervals, in the order of time
	CourseMore int             `json:"course_more"`
	Tasks      []LookUser      `json:"tasks"`   // of runtime/trace, by type
	Regions    []LookUser      `json:"regions"` // of runtime/trace, by type
	Logs       []LookLog       `json:"logs"`    // the first, in the order of time
	LogsMore   int             `json:"logs_more"`
}

// A LookState sums up the intervals of one state, one reason and one place.
type LookState struct {
	State  string        `json:"state"`  // running, syscall, runnable or waiting
	Reason string        `json:"reason"` // as in Waiting
	Place  Frame         `json:"place"`  // where the goroutines stopped; empty if they ran
	N      uint64        `json:"n"`
	Time   time.Duration `json:"time_ns"`
	Max    time.Duration `json:"max_ns"`
}

// A LookGoroutine has the times of a goroutine by state.
type LookGoroutine struct {
	ID       int64         `json:"id"`
	Function string        `json:"function"`
	Running  time.Duration `json:"running_ns"`
	Runnable time.Duration `json:"runnable_ns"`
	Waiting  time.Duration `json:"waiting_ns"`
	Syscall  time.Duration `json:"syscall_ns"`
}

// A LookThread has the times of a thread.
type LookThread struct {
	ID      int64         `json:"id"`
	Name    string        `json:"name"` // of the operating system's thread, empty if not in the trace
	Running time.Duration `json:"running_ns"`
	Syscall time.Duration `json:"syscall_ns"`
}

// A LookInterval is an interval of a goroutine.
type LookInterval struct {
	At        time.Duration `json:"t_ns"`
	Length    time.Duration `json:"length_ns"`
	Goroutine int64         `json:"goroutine"`
	Thread    int64         `json:"thread"` // -1 if it did not run
	State     string        `json:"state"`
	Reason    string        `json:"reason"`
	Place     Frame         `json:"place"` // of Stack
	Stack     []Frame       `json:"stack"`
	By        int64         `json:"by"`       // the goroutine that ended the wait or made it ready; -1 if none
	ByPlace   Frame         `json:"by_place"` // of ByStack
	ByStack   []Frame       `json:"by_stack"`
}

// A LookUser sums up tasks or regions of a type.
type LookUser struct {
	Type  string       `json:"type"`
	Times Distribution `json:"times_ns"`
}

// A LookLog is a log event of runtime/trace.
type LookLog struct {
	At        time.Duration `json:"t_ns"`
	Goroutine int64         `json:"goroutine"` // -1 if none
	Task      uint64        `json:"task"`      // zero if none
	Category  string        `json:"category"`
	Message   string        `json:"message"`
}
