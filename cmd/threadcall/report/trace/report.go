// Package trace has the JSON document of threadcall trace: a report on an execution trace, and the
// summaries of which it consists.
package trace

import (
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
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
	Longest Moment       `json:"longest"`
	Why     string       `json:"why"` // the world was stopped then, as the runtime says it
}

// Goroutines counts those that exist, the runtime's own included.
type Goroutines struct {
	First   uint64 `json:"first"`
	Peak    uint64 `json:"peak"`
	Last    uint64 `json:"last"`
	Created uint64 `json:"created"` // while the trace was taken
	Ended   uint64 `json:"ended"`   // while the trace was taken
}

// A Function sums up the goroutines whose outermost function it is.
type Function struct {
	Name       string        `json:"name"` // "?" if not in the trace
	Goroutines uint64        `json:"goroutines"`
	Timed      uint64        `json:"timed"` // of Goroutines: that timers started, by time.AfterFunc
	Running    time.Duration `json:"running_ns"`
	Runnable   time.Duration `json:"runnable_ns"` // ready, but not running
	Waiting    time.Duration `json:"waiting_ns"`
	Syscall    time.Duration `json:"syscall_ns"`
	Assist     time.Duration `json:"assist_ns"` // in GC assists
	RanAt      Deed          `json:"ran_at"`    // where most of Running ended
}

// A Finding is something that stands out, and its moment.
type Finding struct {
	Rule  string `json:"rule"`  // of docs/trace.md
	Text  string `json:"text"`  // one sentence
	Table string `json:"table"` // with the details: a heading of the text
	Moment
}

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
	Place
	Sum
	Longest Moment `json:"longest"`
}

// A Place is the innermost frame of the program, or if there is none, outside of the runtime and
// the packages below sync, os and net.
type Place struct {
	Frame
	From Frame  `json:"from"` // the function of the program that called it; empty if there is none
	In   string `json:"in"`   // the function of a library that the program called there, if any
}

// A WaitPlace is where goroutines waited for one reason. From is that of the longest wait.
type WaitPlace struct {
	Reason string `json:"reason"`
	Place
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
	Total      uint64      `json:"total"`      // that ran, from their start to their end in the trace
	InPlace    uint64      `json:"in_place"`   // of Total: called on the thread itself, not queued
	Unfinished uint64      `json:"unfinished"` // with only the start or only the end in the trace
	NotRun     uint64      `json:"not_run"`    // that were refused or withdrawn
	Places     []CallPlace `json:"places"`     // the largest sum of delays and run times first
	Slow       []SlowCall  `json:"slow"`       // the last ten that OnSlowCall reported
}

// A CallPlace is where threads are called: the first frame outside of threadcall, and the kind.
type CallPlace struct {
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

// The reasons why goroutines wait or stop. Other reasons of the runtime are as it names them.
const (
	Mutex              = "mutex"
	RWMutex            = "RWMutex"
	Cond               = "sync.Cond"
	WaitGroup          = "WaitGroup"
	ChannelSend        = "channel send"
	ChannelReceive     = "channel receive"
	Select             = "select"
	Sleep              = "sleep"
	Forever            = "forever" // an empty select
	Close              = "close"   // of a file, for reads and writes of it
	Network            = "network"
	SystemCall         = "system call"
	HTTP               = "HTTP" // an answer
	HTTPConnection     = "HTTP connection"
	DatabaseConnection = "database connection"
	Semaphore          = "semaphore"
	GCAssist           = "GC assist"
	Coroutine          = "coroutine"
	Runtime            = "runtime"      // of goroutines of the runtime, for whatever
	RuntimeLock        = "runtime lock" // of the program's, on which the collector and stopping begin
	Unknown            = "unknown"      // the trace has no reason
	Ran                = "ran"          // of places where goroutines stopped running
	Ready              = "ready"        // of places where goroutines did not run
)

// What runs in goroutines of the runtime and ends waits.
const (
	Finalizer = "finalizer"
	Cleanup   = "cleanup"
)

// The headings of the text, which a [Finding] names.
const (
	SlowCalls       = "Slow calls"
	Memory          = "Heap and collector"
	Population      = "Goroutines and threads"
	Waits           = "Waiting"
	BlockedAtEnd    = "Blocked at the end"
	ReadyNotRunning = "Ready, but not running"
	CallsToThreads  = "Calls to threads"
)

// NoFunction is in place of one that the trace does not have. A wait that it ended was ended by a
// timer, the network or the collector.
const NoFunction = "?"

// A Distribution summarizes numbers. N, Sum, Min and Max are exact. A quantile is the middle of a
// class, of which there are eight from each power of two to the next, so it is wrong by at most
// 6.25 %; below 15 it is exact.
type Distribution struct {
	N   uint64  `json:"n"`
	Sum float64 `json:"sum"`
	Min float64 `json:"min"`
	P50 float64 `json:"p50"` // this and P99 are set by Finish
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`

	// Numbers of at least Half have half of Sum. Finish sets it.
	Half float64 `json:"half"`

	counts []uint64 // by class, up to the last that is not empty
}

// The class of x is the exponent of x+1 and the first bits of its fraction.
const (
	cut  = 52 - 3    // bits of a float64's fraction that a class leaves out
	base = 1023 << 3 // of 1, the least x+1
)

func classOf(x uint64) int { return int(math.Float64bits(float64(x)+1)>>cut) - base }

func least(class int) float64 { return math.Float64frombits(uint64(class+base)<<cut) - 1 }

// Add adds x.
func (d *Distribution) Add(x uint64) {
	v, class := float64(x), classOf(x)
	if d.N == 0 || v < d.Min {
		d.Min = v
	}
	d.N, d.Sum, d.Max = d.N+1, d.Sum+v, max(d.Max, v)
	d.counts = append(d.counts, make([]uint64, max(0, class+1-len(d.counts)))...)
	d.counts[class]++
}

// Finish sets the quantiles of all numbers so far.
func (d *Distribution) Finish() {
	d.P50, d.P99 = d.quantile(0.5), d.quantile(0.99)
	sum := 0.0
	for class, n := range slices.Backward(d.counts) {
		if sum += float64(n) * d.middle(class); sum >= d.Sum/2 {
			d.Half = d.middle(class)
			return
		}
	}
}

// middle returns the number that stands for those of a class.
func (d *Distribution) middle(class int) float64 {
	from, next := least(class), least(class+1)
	return min(max(from+max(0, next-1-from)/2, d.Min), d.Max)
}

// quantile returns the number that the share q of all numbers does not exceed.
func (d *Distribution) quantile(q float64) float64 {
	rank := uint64(max(1, math.Ceil(q*float64(d.N))))
	for class, n := range d.counts {
		if n >= rank {
			return d.middle(class)
		}
		rank -= n
	}
	return 0
}
