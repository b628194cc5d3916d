package main

import (
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// sizes are what things take from the heap, in bytes, the allocator's rounding included. Each is the size of one object
// that the memory profile, which counted all allocations, found where such objects are made; zero if it found none.
type sizes struct {
	Channel  float64 // make(chan struct{})
	Closure  float64 // a function literal over a function and a channel, sent on a channel
	InPlace  float64 // the same function literal, called where it stands
	Sudog    float64 // what the runtime keeps of a goroutine that waits for a channel
	HeapStep float64 // the least by which the heap grew while small objects were allocated
}

const objects = 2000 // of each kind

// measureSizes must be the first thing that a process does, because the profile should know all of it.
func measureSizes() sizes {
	runtime.MemProfileRate = 1
	channels(objects)
	sendClosures(objects)
	callClosures(objects)
	wait := waiters(objects)
	step := heapStep()
	wait()
	runtime.GC() // publishes what was allocated before
	runtime.GC()
	records := memoryProfile()
	return sizes{
		Channel:  objectSize(records, "runtime.makechan", ".channels"),
		Closure:  objectSize(records, "", ".sendClosure"),
		InPlace:  objectSize(records, "", ".callClosure"),
		Sudog:    objectSize(records, "runtime.acquireSudog", ""),
		HeapStep: float64(step),
	}
}

//go:noinline
func channels(n int) {
	for range n {
		channel = make(chan struct{})
	}
}

var channel chan struct{}

//go:noinline
func sendClosures(n int) {
	f, queue := func() {}, make(chan func(), 1)
	for range n {
		sendClosure(queue, f, channel)
		<-queue
	}
}

//go:noinline
func sendClosure(queue chan<- func(), f func(), done chan struct{}) {
	queue <- func() { f(); close(done) }
}

//go:noinline
func callClosures(n int) {
	sum := 0
	f := func() { sum++ }
	for range n {
		callClosure(f, &sum)
	}
}

//go:noinline
func callClosure(f func(), sum *int) {
	g := func() { f(); *sum++ }
	call(g)
}

//go:noinline
func call(f func()) { f() }

// waiters has n goroutines wait for a channel. The function that it returns ends them.
func waiters(n int) (end func()) {
	gate, begun, left := make(chan bool), make(chan bool, n), make(chan bool, n)
	for range n {
		go func() {
			begun <- true
			<-gate
			left <- true
		}()
	}
	for range n {
		<-begun
	}
	time.Sleep(10 * time.Millisecond) // most are at the gate by now
	return func() {
		close(gate)
		for range n {
			<-left
		}
	}
}

// heapStep returns the least by which the memory in use for the heap grows while small objects are allocated.
func heapStep() (least uint64) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	kept := make([]*[64]byte, objects)
	for i := range kept {
		before := m.HeapInuse
		kept[i] = new([64]byte)
		if runtime.ReadMemStats(&m); m.HeapInuse > before && (least == 0 || m.HeapInuse-before < least) {
			least = m.HeapInuse - before
		}
	}
	runtime.KeepAlive(kept)
	return least
}

func memoryProfile() []runtime.MemProfileRecord {
	for n := 100; ; {
		records := make([]runtime.MemProfileRecord, n)
		found, ok := runtime.MemProfile(records, true)
		if ok {
			return records[:found]
		}
		n = 2 * found
	}
}

// objectSize returns the mean size of the objects that were allocated in a function whose name ends in at, if that is
// not empty, by one named by, if that is not empty.
func objectSize(records []runtime.MemProfileRecord, by, at string) float64 {
	var bytes, count int64
	for _, r := range records {
		if names := functions(r.Stack()); has(names, by) && has(names, at) {
			bytes += r.AllocBytes
			count += r.AllocObjects
		}
	}
	if count < objects/2 { // the function's own few objects
		return 0
	}
	return float64(bytes) / float64(count)
}

func functions(stack []uintptr) (names []string) {
	for frames := runtime.CallersFrames(stack); ; {
		frame, more := frames.Next()
		names = append(names, frame.Function)
		if !more {
			return names
		}
	}
}

func has(names []string, end string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, end) })
}
