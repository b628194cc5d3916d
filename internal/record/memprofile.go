// Package record writes down who has allocated in this process, with the runtime's own frames, which runtime/pprof
// leaves out at the top of its stacks: they tell an append from a channel, and a channel from a goroutine's wait.
//
// The profile is complete only if [runtime.MemProfileRate] has been 1 from the beginning.
package record

import (
	"bufio"
	"encoding/json"
	"os"
	"runtime"
	"time"
)

// Write writes a [Profile] to the file path, as JSON, or returns why it could not. It collects garbage first, because
// the runtime shows only what was allocated before a collection. It uses no other declaration of its package, because
// it is also copied into test binaries, by its [Source].
func Write(path string, began time.Time) error {
	type frame struct {
		Function, File string
		Line           int
		Inlined        bool
	}
	type record struct {
		Objects, Bytes, LiveObjects, LiveBytes int64
		Stack                                  []int
	}
	var p struct {
		Version                int
		Go, OS, Arch           string
		Seconds                float64
		Procs, Goroutines      int
		Collections            uint32
		Objects, Bytes         uint64
		StackBytes, OtherBytes uint64
		SpanBytes, CacheBytes  uint64
		GCBytes, BucketBytes   uint64
	}
	p.Version = 1
	p.Seconds = time.Since(began).Seconds()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	p.Go, p.OS, p.Arch = runtime.Version(), runtime.GOOS, runtime.GOARCH
	p.Procs, p.Goroutines = runtime.GOMAXPROCS(0), runtime.NumGoroutine()
	p.Collections, p.Objects, p.Bytes = m.NumGC, m.Mallocs, m.TotalAlloc
	p.StackBytes, p.OtherBytes, p.SpanBytes, p.CacheBytes = m.StackInuse, m.OtherSys, m.MSpanInuse, m.MCacheInuse
	p.GCBytes, p.BucketBytes = m.GCSys, m.BuckHashSys
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
	// Under another name first, so that the file is there only when it is complete.
	out, err := os.Create(path + ".part")
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(out, 1<<16)
	head, err := json.Marshal(&p)
	if err == nil {
		w.Write(head[:len(head)-1])
		w.WriteString(`,"Records":[`)
	}
	known := map[frame]int{}
	places := map[uintptr][]int{} // of a program counter; most are on many stacks
	var frames []frame
	for i := range records {
		r := &records[i]
		next := record{r.AllocObjects, r.AllocBytes, r.InUseObjects(), r.InUseBytes(), nil}
		stack := r.Stack()
		for j := range stack {
			at, found := places[stack[j]]
			if !found {
				inlined := runtime.CallersFrames(stack[j : j+1])
				for more := true; more; {
					var f runtime.Frame
					f, more = inlined.Next()
					k := frame{f.Function, f.File, f.Line, f.Func == nil}
					n, is := known[k]
					if !is {
						n = len(frames)
						known[k] = n
						frames = append(frames, k)
					}
					at = append(at, n)
				}
				places[stack[j]] = at
			}
			next.Stack = append(next.Stack, at...)
		}
		text, err1 := json.Marshal(&next)
		if err == nil {
			err = err1
		}
		if i > 0 {
			w.WriteByte(',')
		}
		w.Write(text)
	}
	w.WriteString(`],"Frames":`)
	text, err1 := json.Marshal(frames)
	if err == nil {
		err = err1
	}
	w.Write(text)
	w.WriteByte('}')
	if err1 := w.Flush(); err == nil {
		err = err1
	}
	if err1 := out.Close(); err == nil {
		err = err1
	}
	if err == nil {
		err = os.Rename(path+".part", path)
	}
	if err != nil {
		os.Remove(path + ".part")
	}
	return err
}
