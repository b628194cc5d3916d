// Package hook writes down what a benchmark allocates. Its text becomes a part of the test binary's
// package testing, so names that are not exported begin with threadcall.
package hook

//lint:file-ignore U1000 package testing calls it

import (
	"encoding/json"
	"os"
	"reflect"
	"runtime"
	"strings"
)

// ProfileVariable is a variable of the environment: the file for the profile. Empty: there is none.
const ProfileVariable = "THREADCALL_ALLOCS_PROFILE"

// A Profile has what a benchmark has allocated while its timer ran and since it was last reset, in
// all its runs, with the runtime's own frames, which runtime/pprof leaves out: they tell an append
// from a channel, and a channel from a goroutine's wait.
type Profile struct {
	Go             string
	Objects, Bytes uint64 // counted by the runtime, each tiny object by itself
	Frames         []Frame
	Records        []Record
}

// A Frame is one function on a stack.
type Frame struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Inlined  bool   `json:"inlined,omitempty"`  // into the next frame of the stack
	Standard bool   `json:"standard,omitempty"` // of the standard library
}

// A Record is what was allocated with one stack and one size. Objects without pointers that are
// smaller than 16 bytes share blocks of 16; those count as one object then.
type Record struct {
	Objects, Bytes int64
	Stack          []int // in Frames, innermost first; at most 32 functions not inlined
}

var threadcallProfile = os.Getenv(ProfileVariable)

func init() {
	if threadcallProfile != "" {
		runtime.MemProfileRate = 0
		threadcallTimer.before = map[threadcallKey][2]int64{}
	}
}

// The profile is on while the timer of a benchmark runs. The counts are of objects and bytes.
var threadcallTimer struct {
	on         bool
	from       [2]uint64                  // when the timer started
	sum        [2]uint64                  // while it ran before, since it was reset
	resetByRun bool                       // testing itself will reset the timer, before a run
	before     map[threadcallKey][2]int64 // objects and bytes
	kept       *[32]byte
}

type threadcallKey struct {
	stack [32]uintptr
	size  int64
}

// A threadcallHook is what a testing.B calls. Benchmarks run one after the other.
type threadcallHook struct{}

func (threadcallHook) begin() { threadcallTimer.resetByRun = true }
func (threadcallHook) end()   {}

func (threadcallHook) start() {
	t := &threadcallTimer
	if threadcallProfile != "" && !t.on {
		t.on, t.from = true, threadcallCount()
		runtime.MemProfileRate = 1
	}
}

func (threadcallHook) stop() {
	t := &threadcallTimer
	if !t.on {
		return
	}
	now := threadcallCount()
	for i := range now {
		t.sum[i] += now[i] - t.from[i]
	}
	t.on = false
	runtime.MemProfileRate = 0
	t.kept = new([32]byte) // a processor takes the new rate after its next object
}

// reset leaves out what the benchmark has allocated before. If testing resets the timer, before a
// run, what the last run has allocated stays: the profile of any number of operations has it.
func (h threadcallHook) reset() {
	t := &threadcallTimer
	if t.resetByRun {
		t.resetByRun = false
		return
	}
	if threadcallProfile == "" {
		return
	}
	on := t.on
	h.stop()
	t.sum, t.before = [2]uint64{}, map[threadcallKey][2]int64{}
	for _, r := range threadcallRecords() {
		k := threadcallKeyOf(&r)
		sum := t.before[k]
		t.before[k] = [2]int64{sum[0] + r.AllocObjects, sum[1] + r.AllocBytes}
	}
	if on {
		h.start()
	}
}

// report writes the profile.
func (threadcallHook) report(any) {
	if threadcallProfile == "" {
		return
	}
	if err := threadcallWrite(); err != nil {
		println("the profile of allocations:", err.Error())
		os.Exit(1)
	}
}

func threadcallCount() [2]uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return [2]uint64{m.Mallocs, m.TotalAlloc}
}

func threadcallKeyOf(r *runtime.MemProfileRecord) threadcallKey {
	k := threadcallKey{stack: r.Stack0}
	if r.AllocObjects > 0 {
		k.size = r.AllocBytes / r.AllocObjects
	}
	return k
}

// threadcallRecords returns the runtime's profile. It collects garbage first, because the runtime
// shows only what was allocated before a collection.
func threadcallRecords() (list []runtime.MemProfileRecord) {
	runtime.GC()
	for n, ok := 0, false; !ok; {
		if n, ok = runtime.MemProfile(list, true); ok {
			list = list[:n]
		} else {
			list = make([]runtime.MemProfileRecord, n+n/8+64) // the making adds some
		}
	}
	return list
}

func threadcallWrite() error {
	t := &threadcallTimer
	p := Profile{Go: runtime.Version(), Objects: t.sum[0], Bytes: t.sum[1]}
	file, _ := runtime.FuncForPC(reflect.ValueOf(runtime.GC).Pointer()).FileLine(0)
	src, _, _ := strings.Cut(file, "/runtime/mgc.go")
	known := map[Frame]int{}
	places := map[uintptr][]int{} // of a program counter; most are on many stacks
	for _, r := range threadcallRecords() {
		next := Record{Objects: r.AllocObjects, Bytes: r.AllocBytes}
		k := threadcallKeyOf(&r)
		b := t.before[k]
		// the stack of another record may begin alike
		part := [2]int64{min(b[0], next.Objects), min(b[1], next.Bytes)}
		next.Objects, next.Bytes = next.Objects-part[0], next.Bytes-part[1]
		t.before[k] = [2]int64{b[0] - part[0], b[1] - part[1]}
		for _, pc := range r.Stack() {
			at, found := places[pc]
			if !found {
				inlined := runtime.CallersFrames([]uintptr{pc})
				for more := true; more; {
					var f runtime.Frame
					f, more = inlined.Next()
					k := Frame{f.Function, f.File, f.Line, f.Func == nil,
						strings.HasPrefix(f.File, src+"/") || strings.HasPrefix(f.Function, "testing.")}
					n, is := known[k]
					if !is {
						n = len(p.Frames)
						known[k] = n
						p.Frames = append(p.Frames, k)
					}
					at = append(at, n)
				}
				places[pc] = at
			}
			next.Stack = append(next.Stack, at...)
		}
		p.Records = append(p.Records, next)
	}
	text, err := json.Marshal(&p)
	if err != nil {
		return err
	}
	return os.WriteFile(threadcallProfile, text, 0600)
}
