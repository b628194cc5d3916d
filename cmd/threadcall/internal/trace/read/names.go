package read

import (
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// A known name is a function of the standard library by which the frames inside of it are understood.
type known struct {
	function string
	means    string
	from, to int // minor versions of Go that have the function; 0 is no limit
}

// The reasons for waits, as in reports.
const (
	mutex       = "mutex"
	rwMutex     = "RWMutex"
	waitGroup   = "WaitGroup"
	cond        = "sync.Cond"
	channelSend = "channel send"
	channelRecv = "channel receive"
	selecting   = "select"
	network     = "network"
	sleep       = "sleep"
	closing     = "close" // of a file or connection, for reads and writes of it
	systemCall  = "system call"
	gcAssist    = "GC assist"
	runtimes    = "runtime"        // of goroutines of the runtime, for whatever
	runtimeLock = "runtime lock"   // of goroutines of the program, on which the collector and a stop of the world begin
	handOff     = "mutex hand-off" // a stop, not a wait: the goroutine that unlocks a mutex yields to the one that it is for
)

// knownNames have the functions on which a goroutine waits or stops. The outermost one counts: an RWMutex locks a Mutex.
var knownNames = []known{
	{"sync.(*Mutex).Lock", mutex, 0, 0},
	{"sync.(*Mutex).lockSlow", mutex, 13, 23},
	{"internal/sync.(*Mutex).Lock", mutex, 24, 0},
	{"internal/sync.(*Mutex).lockSlow", mutex, 24, 0},
	{"sync.(*RWMutex).Lock", rwMutex, 0, 0},
	{"sync.(*RWMutex).RLock", rwMutex, 0, 0},
	{"sync.(*WaitGroup).Wait", waitGroup, 0, 0},
	{"sync.(*Cond).Wait", cond, 0, 0},
	{"runtime.chansend", channelSend, 0, 0},
	{"runtime.chansend1", channelSend, 0, 0},
	{"runtime.chanrecv", channelRecv, 0, 0},
	{"runtime.chanrecv1", channelRecv, 0, 0},
	{"runtime.chanrecv2", channelRecv, 0, 0},
	{"runtime.selectgo", selecting, 0, 0},
	{"runtime.block", "forever", 0, 0},
	{"runtime.netpollblock", network, 0, 0},
	{"internal/poll.runtime_pollWait", network, 0, 0},
	{"internal/poll.(*FD).Close", closing, 10, 0},
	{"time.Sleep", sleep, 0, 0},
	{"runtime.gcParkAssist", gcAssist, 0, 0},
	{"runtime.gcAssistAlloc", gcAssist, 0, 0},
	{"runtime.coroswitch", coroutine, 23, 0},
	{"runtime.goyield", handOff, 14, 0},
}

var meaningOf = func() map[string]string {
	m := map[string]string{}
	for _, k := range knownNames {
		m[k.function] = k.means
	}
	return m
}()

// waitNames has the names in reports for the runtime's reasons whose names are other ones.
var waitNames = map[string]string{
	systemCall:                     systemCall, // not the runtime's, which has a state for it
	"chan send":                    channelSend,
	"chan receive":                 channelRecv,
	"sync.(*Cond).Wait":            cond,
	"GC mark assist wait for work": gcAssist,
	"GC background sweeper wait":   runtimeLock,
	"system goroutine wait":        runtimeLock,
	"wait until GC ends":           runtimeLock,
	"GC weak to strong wait":       runtimeLock,
	"wait for debug call":          runtimeLock,
}

// waitReason returns the name for the runtime's reason for a wait. Package sync has one reason for all that it has, and
// what waits when the trace begins has none.
func (s *stacks) waitReason(reason string, id stackID) string {
	if ofRuntime(s.root(id)) {
		return runtimes
	}
	if name, ok := waitNames[reason]; ok {
		return name
	}
	if reason != "sync" && reason != "" && reason != unknown {
		return reason
	}
	if meaning := s.meaning(id); meaning != "" && meaning != handOff {
		return meaning
	}
	switch list := s.list[id]; {
	case reason == "":
		return unknown
	case len(list) > 0 && symbol.Package(s.frames[list[0]].Func) == "runtime":
		return runtimeLock
	}
	return reason
}

// ofRuntime reports whether goroutines of the function are the runtime's, or write the trace.
func ofRuntime(function string) bool {
	return isSystem(function) || strings.HasPrefix(function, "runtime/trace.") || strings.HasPrefix(function, recorderPackage)
}

// recorderPackage begins the names of the functions of package recorder, which starts goroutines only to record.
const recorderPackage = "github.com/threadcall/threadcall/recorder."

// stopReason returns the name for the runtime's reason to stop a goroutine that is ready. A goroutine that unlocks a mutex
// for which another one has waited for long yields to it, which the runtime calls a preemption.
func (s *stacks) stopReason(reason string, id stackID) string {
	why := whyStopped(reason)
	if why == preempted && s.meaning(id) == handOff {
		return handOff
	}
	return why
}

// meaning returns what the outermost known name of the frames inside the runtime and package sync means.
func (s *stacks) meaning(id stackID) (meaning string) {
	for _, n := range s.list[id] {
		f := s.frames[n].Func
		if m, ok := meaningOf[f]; ok {
			meaning = m
		} else if !inside(symbol.Package(f)) {
			break
		}
	}
	return meaning
}

// inside reports whether a package is what others wait with.
func inside(pkg string) bool {
	switch first, _, _ := strings.Cut(pkg, "/"); first {
	case "runtime", "internal", "sync", "syscall", "time":
		return true
	}
	return false
}

// waitPlace returns the innermost frame of the program, or if there is none, outside of the packages that others wait
// with, of os and of net.
func (s *stacks) waitPlace(id stackID) report.Frame {
	var library *report.Frame
	for _, n := range s.list[id] {
		f := &s.frames[n]
		switch pkg := symbol.Package(f.Func); {
		case !s.standard(f, pkg) && !f.Own():
			return *f
		case library == nil && !inside(pkg) && pkg != "os" && pkg != "net" && !f.Own():
			library = f
		}
	}
	switch list := s.list[id]; {
	case library != nil:
		return *library
	case len(list) > 0: // the function that the goroutine began with
		return s.frames[list[len(list)-1]]
	}
	return report.Frame{Func: "?"}
}

// standard reports whether a frame is of the standard library. Its files are below the directory of the runtime's; a
// program that was built with -trimpath has no directories, and then the first element of an import path decides.
func (s *stacks) standard(f *report.Frame, pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	switch {
	case pkg == "main", strings.Contains(first, "."):
		return false
	case s.library != "":
		return strings.HasPrefix(f.File, s.library)
	}
	return true
}
