// Package hook writes down what a test binary allocates. It is compiled into the binary as a
// package of the module that is tested, so this file must be Go as old as a module may ask for.
package hook

import (
	"bytes"
	"encoding/json"
	"os"
	"runtime"
	"time"
)

// ProfileVariable is a variable of the environment: the file for the profile. Empty: there is none.
const ProfileVariable = "THREADCALL_ALLOCS_PROFILE"

// A Profile has what a process has allocated, with the runtime's own frames, which runtime/pprof
// leaves out: they tell an append from a channel, and a channel from a goroutine's wait. What was
// allocated before the last ResetTimer and while the timer was stopped is left out.
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
	Inlined  bool   `json:"inlined,omitempty"` // into the next frame of the stack
}

// A Record is what was allocated with one stack and one size. Objects without pointers that are
// smaller than 16 bytes share blocks of 16; those count as one object then.
type Record struct {
	Objects, Bytes int64
	Stack          []int // in Frames, innermost first; at most 32 functions not inlined
}

var profile = os.Getenv(ProfileVariable)

func init() {
	if profile != "" {
		runtime.MemProfileRate = 1
	}
}

// Run runs the tests of m and writes the profile.
func Run(m interface{ Run() int }) int {
	status := m.Run()
	if profile != "" && !timer.stopped {
		stop() // what follows is of no interest, and would take longer
	}
	// When a benchmark panics, package testing goes on and may exit before the panic ends the process.
	stacks := make([]byte, 1<<20)
	if n := runtime.Stack(stacks, true); bytes.Contains(stacks[:n], []byte("\npanic(")) {
		time.Sleep(time.Second)
	}
	if profile == "" {
		return status
	}
	if err := write(profile); err != nil {
		println("the profile of allocations:", err.Error())
		if status == 0 {
			status = 1
		}
	}
	return status
}

// While the timer of a benchmark is stopped, nothing is in the profile, as it is not in the figures
// of -benchmem.
var timer struct {
	stopped                bool
	fromObjects, fromBytes uint64 // when it was stopped
	objects, bytes         uint64 // allocated while it was stopped, or before it was reset
	before                 map[key]amount
	resets                 int
	b                      interface{} // the benchmark that runs
	n                      int         // its operations
	kept                   *[32]byte
}

type key struct {
	stack [32]uintptr
	size  int64
}

type amount struct{ objects, bytes int64 }

func count() (objects, bytes uint64) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs, m.TotalAlloc
}

func stop() {
	timer.stopped = true
	timer.fromObjects, timer.fromBytes = count()
	runtime.MemProfileRate = 0
	timer.kept = new([32]byte) // a processor takes the new rate after its next object
}

func start() {
	if timer.stopped {
		objects, bytes := count()
		timer.objects += objects - timer.fromObjects
		timer.bytes += bytes - timer.fromBytes
		timer.stopped = false
		runtime.MemProfileRate = 1
	}
}

// Begin is called where a benchmark begins: the timer runs, even if the last run has stopped it.
func Begin(b interface{}, n int) {
	if timer.b != b || timer.n != n {
		timer.b, timer.n = b, n
		start()
	}
}

// StopTimer stops the timer and the profile.
func StopTimer(b interface{ StopTimer() }) {
	b.StopTimer()
	if profile != "" && !timer.stopped {
		stop()
	}
}

// StartTimer starts the profile and the timer.
func StartTimer(b interface{ StartTimer() }) {
	start()
	b.StartTimer()
}

// ResetTimer resets the timer and leaves out what was allocated before.
func ResetTimer(b interface{ ResetTimer() }) {
	if profile != "" && timer.resets < 16 {
		timer.resets++
		stopped := timer.stopped
		stop()
		timer.before = map[key]amount{}
		for _, r := range records() {
			k := keyOf(&r)
			sum := timer.before[k]
			timer.before[k] = amount{sum.objects + r.AllocObjects, sum.bytes + r.AllocBytes}
		}
		timer.objects, timer.bytes = timer.fromObjects, timer.fromBytes
		start()
		if stopped {
			stop()
		}
	}
	b.ResetTimer()
}

func keyOf(r *runtime.MemProfileRecord) key {
	k := key{stack: r.Stack0}
	if r.AllocObjects > 0 {
		k.size = r.AllocBytes / r.AllocObjects
	}
	return k
}

// records returns the runtime's profile. It collects garbage first, because the runtime shows only
// what was allocated before a collection.
func records() (list []runtime.MemProfileRecord) {
	runtime.GC()
	for n, ok := 0, false; !ok; {
		n, ok = runtime.MemProfile(list, true)
		if ok {
			list = list[:n]
		} else {
			list = make([]runtime.MemProfileRecord, n+n/8+64) // the making adds some
		}
	}
	return list
}

func write(path string) error {
	p := Profile{Go: runtime.Version(), Objects: timer.fromObjects - timer.objects,
		Bytes: timer.fromBytes - timer.bytes}
	known := map[Frame]int{}
	places := map[uintptr][]int{} // of a program counter; most are on many stacks
	all := records()
	for i := range all {
		r := &all[i]
		next := Record{Objects: r.AllocObjects, Bytes: r.AllocBytes}
		if b, some := timer.before[keyOf(r)]; some {
			part := b
			if part.objects > next.Objects { // the stack of another record begins alike
				part = amount{next.Objects, next.Bytes}
			}
			next.Objects, next.Bytes = next.Objects-part.objects, next.Bytes-part.bytes
			timer.before[keyOf(r)] = amount{b.objects - part.objects, b.bytes - part.bytes}
		}
		for _, pc := range r.Stack() {
			at, found := places[pc]
			if !found {
				inlined := runtime.CallersFrames([]uintptr{pc})
				for more := true; more; {
					var f runtime.Frame
					f, more = inlined.Next()
					k := Frame{f.Function, f.File, f.Line, f.Func == nil}
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
	// Under another name first, so that the file is there only when it is complete.
	if err := os.WriteFile(path+".part", text, 0600); err != nil {
		return err
	}
	return os.Rename(path+".part", path)
}
