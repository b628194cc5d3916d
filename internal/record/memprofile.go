// Package record writes down who has allocated in this process, with the runtime's own frames, which runtime/pprof
// leaves out at the top of its stacks: they tell an append from a channel, and a channel from a goroutine's wait.
//
// The profile is complete only if [runtime.MemProfileRate] has been 1 from the beginning.
package record

import (
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
		Frames                 []frame
		Records                []record
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
	known := map[frame]int{}
	for i := range records {
		r := &records[i]
		out := record{r.AllocObjects, r.AllocBytes, r.InUseObjects(), r.InUseBytes(), nil}
		stack := runtime.CallersFrames(r.Stack())
		for more := len(r.Stack()) > 0; more; {
			var f runtime.Frame
			f, more = stack.Next()
			k := frame{f.Function, f.File, f.Line, f.Func == nil}
			at, found := known[k]
			if !found {
				at = len(p.Frames)
				known[k] = at
				p.Frames = append(p.Frames, k)
			}
			out.Stack = append(out.Stack, at)
		}
		p.Records = append(p.Records, out)
	}
	// Under another name first: who finds the file finds all of it.
	text, err := json.Marshal(&p)
	if err == nil {
		err = os.WriteFile(path+".part", text, 0666) // not 0o666: it is also compiled as Go 1.12
	}
	if err == nil {
		err = os.Rename(path+".part", path)
	}
	if err != nil {
		os.Remove(path + ".part")
	}
	return err
}
