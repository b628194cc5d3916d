// Package hook writes down what a test binary allocates. It is compiled into the binary as a
// package of the module that is tested, together with record.Write, so this file must be Go as old
// as a module may ask for.
package hook

import (
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// Variables of the environment, and the files next to the profile.
const (
	ProfileVariable = "THREADCALL_ALLOCS_PROFILE" // the file for the profile; empty: there is none
	SeenVariable    = "THREADCALL_ALLOCS_SEEN"    // the file for calls of [Seen]

	BaseSuffix  = ".base"  // the profile before the last ResetTimer
	TimerSuffix = ".timer" // objects and bytes allocated since then while the timer was stopped
)

var (
	profile = os.Getenv(ProfileVariable)
	began   = time.Now()
)

func init() {
	if profile != "" {
		runtime.MemProfileRate = 1
	}
}

// Run runs the tests of m and writes the profile.
func Run(m interface{ Run() int }) int {
	status := m.Run()
	if profile == "" {
		return status
	}
	addStopped()
	text := strconv.FormatUint(timer.objects, 10) + " " + strconv.FormatUint(timer.bytes, 10)
	err := os.WriteFile(profile+TimerSuffix, []byte(text), 0600)
	if err == nil {
		err = Write(profile, began)
	}
	if err != nil {
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
	objects, bytes         uint64 // allocated while it was stopped
	resets                 int
	b                      interface{} // the benchmark that runs
	n                      int         // its operations
	kept                   *[32]byte
}

func addStopped() {
	if timer.stopped {
		objects, bytes := count()
		timer.objects += objects - timer.fromObjects
		timer.bytes += bytes - timer.fromBytes
	}
}

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
		addStopped()
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

// ResetTimer resets the timer and writes what was allocated before to a profile of its own.
func ResetTimer(b interface{ ResetTimer() }) {
	if profile != "" && timer.resets < 16 {
		timer.resets++
		stopped := timer.stopped
		stop()
		timer.objects, timer.bytes = 0, 0
		if err := Write(profile+BaseSuffix, began); err != nil {
			println("the profile before ResetTimer:", err.Error())
		}
		start()
		if stopped {
			stop()
		}
	}
	b.ResetTimer()
}

var seen struct {
	file  string
	once  [1 << 14]uint32
	lock  sync.Mutex
	lines map[string]bool
	tiny  *byte
}

func init() { seen.file = os.Getenv(SeenVariable) }

// Seen writes a line when a function is called for the first time, or with other values than
// before. Without a file, it uses up the block that tiny objects share.
//
//go:noinline
func Seen(id int, values ...int64) {
	if len(values) > 0 || atomic.LoadUint32(&seen.once[id]) == 0 {
		note(id, values)
	}
	for seen.file == "" {
		tiny := new(byte)
		seen.tiny = tiny
		if uintptr(unsafe.Pointer(tiny))&15 == 15 {
			return
		}
	}
}

func note(id int, values []int64) {
	line := strconv.Itoa(id)
	for _, v := range values {
		line += " " + strconv.FormatInt(v, 10)
	}
	seen.lock.Lock()
	defer seen.lock.Unlock()
	atomic.StoreUint32(&seen.once[id], 1)
	if seen.file == "" || seen.lines[line] || len(seen.lines) > 100000 {
		return
	}
	if seen.lines == nil {
		seen.lines = map[string]bool{}
	}
	seen.lines[line] = true
	f, err := os.OpenFile(seen.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0600)
	if err != nil {
		println("which functions were called:", err.Error())
		return
	}
	f.WriteString(line + "\n")
	f.Close()
}
