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
// Its size is bounded: distributions are counted in classes ([Distribution]), and lists have the
// longest, busiest or worst of their kind.
type Report struct {
	Trace      Trace      `json:"trace"`
	Warnings   []string   `json:"warnings"` // about the rest of the report; never nil
	Heap       Heap       `json:"heap"`
	GC         GC         `json:"gc"`
	Stops      Stops      `json:"stop_the_world"`
	Goroutines Goroutines `json:"goroutines"`
	Threads    uint64     `json:"threads"`   // that ran a goroutine
	Functions  []Function `json:"functions"` // the longest running first
	Calls      Calls      `json:"calls"`
	Waiting    Waiting    `json:"waiting"`
	Verdict    []Finding  `json:"verdict"` // the most costly first, at most five; never nil
}

// A Trace describes the trace itself.
type Trace struct {
	Name       string        `json:"name"`
	Bytes      int64         `json:"bytes"`       // read
	Format     string        `json:"format"`      // of the file: "go 1.26"
	Duration   time.Duration `json:"duration_ns"` // from the first event to the last
	Events     uint64        `json:"events"`
	Truncated  bool          `json:"truncated"`  // the report ends before the trace should
	GOMAXPROCS uint64        `json:"gomaxprocs"` // the last value; zero if not in the trace
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

// own are the packages of threadcall that others call, what they are built of, and what marks
// calls.
var own = regexp.MustCompile(`^(runtime/trace|github\.com/threadcall/threadcall/(thread|` +
	`mainthread|keyed|osthread|nativeloop|app|compat/\w+|recorder|internal/\w*))(/|$)`)

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
	First uint64 `json:"first_bytes"`
	Last  uint64 `json:"last_bytes"`
	Peak  uint64 `json:"peak_bytes"`
}

// A GC describes the collector.
type GC struct {
	Cycles  uint64        `json:"cycles"`     // with their start or end in the trace
	Mark    Distribution  `json:"mark_ns"`    // mark phases that the trace has as a whole
	Workers time.Duration `json:"workers_ns"` // for which goroutines of the collector marked
	Tight   Tight         `json:"tight"`
	Assist  Assist        `json:"assist"`
}

// A Tight has the collections after which the goal of the heap was less than 1.5 times as large as
// what was live: because of the memory limit, or of a small GOGC.
type Tight struct {
	Live Distribution `json:"live_bytes"`
	Goal Distribution `json:"goal_bytes"`
	Room Distribution `json:"room_ppm"` // between the two, in millionths of what was live
}

// An Assist describes how goroutines that allocate helped the collector: for how long they ran
// meanwhile. Goroutines that record the trace are left out.
type Assist struct {
	Sum
	Sites []Waker `json:"sites"` // where they allocated, the longest first, at most ten
}

// Stops has when the world was stopped: from the request to stop to the restart, but not to start
// or stop the trace.
type Stops struct {
	All     Distribution `json:"all_ns"`
	Longest Interval     `json:"longest"`
}

// Goroutines counts those that exist, the runtime's own included.
type Goroutines struct {
	First   uint64 `json:"first"`
	Peak    uint64 `json:"peak"`
	Last    uint64 `json:"last"`
	Created uint64 `json:"created"` // while the trace was taken
	Ended   uint64 `json:"ended"`   // while the trace was taken
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
	Name       string `json:"name"` // "?" if not in the trace
	Goroutines uint64 `json:"goroutines"`
	Times
	Assist time.Duration `json:"assist_ns"` // in GC assists
	RanAt  Deed          `json:"ran_at"`    // where most of Running ended
}

// A Finding is something that stands out, and its moment.
type Finding struct {
	Rule  string `json:"rule"`  // of docs/trace.md
	Text  string `json:"text"`  // one sentence
	Table string `json:"table"` // with the details: a heading of the text
	Moment
}
