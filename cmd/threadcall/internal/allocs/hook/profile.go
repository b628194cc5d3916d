package hook

import (
	"encoding/json"
	"os"
	"runtime"
	"time"
)

// A Profile has what a process has allocated, with the runtime's own frames, which runtime/pprof
// leaves out: they tell an append from a channel, and a channel from a goroutine's wait. It is
// complete only if [runtime.MemProfileRate] was 1 from the start.
type Profile struct {
	Go             string
	Seconds        float64 // since the start
	Objects, Bytes uint64  // counted by the runtime, each tiny object by itself
	Frames         []Frame
	Records        []Record
}

// A Frame is one function on a stack.
type Frame struct {
	Function, File string
	Line           int
	Inlined        bool // into the next frame of the stack
}

// A Record is what was allocated with one stack and one size. Objects without pointers that are
// smaller than 16 bytes share blocks of 16; those count as one object then.
type Record struct {
	Objects, Bytes         int64 // ever allocated
	LiveObjects, LiveBytes int64 // of these, still in use after the last collection
	Stack                  []int // in Frames, innermost first; at most 32 functions not inlined
}

// Write writes the profile to a file. It collects garbage first, because the runtime shows only
// what was allocated before a collection.
func Write(path string, began time.Time) error {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	p := Profile{Go: runtime.Version(), Seconds: time.Since(began).Seconds(), Objects: m.Mallocs,
		Bytes: m.TotalAlloc}
	rate := runtime.MemProfileRate
	runtime.MemProfileRate = 0 // what follows is of no interest, and would take longer
	defer func() { runtime.MemProfileRate = rate }()
	runtime.GC()
	var records []runtime.MemProfileRecord
	for n, ok := 0, false; !ok; {
		n, ok = runtime.MemProfile(records, true)
		if ok {
			records = records[:n]
		} else {
			records = make([]runtime.MemProfileRecord, n+n/8+64) // the making adds some
		}
	}
	known := map[Frame]int{}
	places := map[uintptr][]int{} // of a program counter; most are on many stacks
	for i := range records {
		r := &records[i]
		next := Record{r.AllocObjects, r.AllocBytes, r.InUseObjects(), r.InUseBytes(), nil}
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
