package report

import "time"

// A Task sums up the tasks of one type (runtime/trace.NewTask) of which the trace has begin and end.
type Task struct {
	Type       string       `json:"type"`
	Times      Distribution `json:"times_ns"`
	Unfinished uint64       `json:"unfinished"` // with only the begin or only the end in the trace
	ID         uint64       `json:"longest_id"`
	Longest    Moment       `json:"longest"` // and the goroutine that ended it
}

// A Path is the critical path of a task, or of a goroutine: for each moment, what the task waited for in the end. Its
// steps have no gaps. When the task's goroutine waits and another one ends the wait, the path has what that one did
// during the wait, and so on.
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

// A Step is a time in which one goroutine ran, was ready, or waited for something that no goroutine ended.
type Step struct {
	At        time.Duration `json:"t_ns"`
	Length    time.Duration `json:"length_ns"`
	Goroutine int64         `json:"goroutine"`
	Doing     string        `json:"doing"` // "ran", "ready", "system call", a reason for a wait, or "unknown"
	Frame                   // where it stopped then, or woke the next one
	Depth     int           `json:"depth"` // waits between the task's goroutine and this one
	For       string        `json:"for"`   // the innermost of these; empty if Depth is zero
}
