// Package lanes keeps what each goroutine and each thread of a trace did, interval by interval, and
// draws windows of time.
//
// A [File] gets the intervals while the trace is read and keeps them in a temporary file, of about
// twice the size of the trace. [File.Tiles] reads it twice, whatever the number of windows, so that
// memory does not depend on the size of the trace.
package lanes

import (
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// A Kind says what an interval is. The numbers are also those of the page's script.
type Kind uint8

// The first five are the states of goroutines.
const (
	Running  Kind = iota
	Syscall       // on a thread, with a P or without
	Runnable      // ready, but not running
	Waiting
	Lock   // waiting for a Mutex or an RWMutex
	Life   // the goroutine exists; Name is its function, Stack is where it was created, by By
	Range  // the runtime's: a phase of the collector, a stopped world, an assist; Name says which
	Region // of runtime/trace, in a goroutine; Name is its type
	kinds
)

// KindNames are the names of the kinds in documents.
var KindNames = [kinds]string{
	"running", "syscall", "runnable", "waiting", "lock", "goroutine", "range", "region",
}

// None stands for a goroutine or a thread that is not in the trace.
const None = -1

// An Interval is what a goroutine, a thread or the program did for some time.
type Interval struct {
	Kind          Kind
	Start, Length time.Duration // from the start of the trace
	Goroutine     int64         // None if of the whole program
	Thread        int64         // that the goroutine ran on, None if it did not run
	Name          int32         // the reason or the type; see [Tables]
	Stack         int32         // where the goroutine stopped, or was created; see [Tables]
	By            int64         // the goroutine that made it ready or created it, or None
	ByStack       int32         // where that did so
	Task          uint64        // of a region; zero if none
}

// End returns when the interval ends.
func (v *Interval) End() time.Duration { return v.Start + v.Length }

// Within returns how much of the interval is between two times.
func (v *Interval) Within(from, to time.Duration) time.Duration {
	return max(0, min(v.End(), to)-max(v.Start, from))
}

// Tables have what the numbers in intervals stand for. The name and the stack zero are empty.
type Tables interface {
	Name(n int32) string
	Thread(id int64) string // the name of the system's thread, empty if the trace does not have it
	Stack(n int32) []report.Frame
	Place(n int32) report.Frame // the innermost frame of the program on a stack
}
