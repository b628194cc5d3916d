package read

// The reasons for the end of an execution that are not in waits. The goroutine would have stayed on its thread
// otherwise, so they are the reasons for moves.
const (
	preempted = "preempted"
	inSyscall = "syscall"
	coroutine = "coroutine"
	unknown   = "unknown" // the trace has no reason
)

// waits has the names in reports for the runtime's reasons for a wait.
var waits = map[string]string{
	"chan send":                    "channel",
	"chan receive":                 "channel",
	"select":                       "select",
	"forever":                      "select",
	"sync":                         "sync",
	"sync.(*Cond).Wait":            "sync",
	"synctest":                     "sync",
	"network":                      "network",
	"sleep":                        "sleep",
	"preempted":                    preempted,
	"GC mark assist wait for work": "GC assist",
	"GC background sweeper wait":   "runtime",
	"system goroutine wait":        "runtime",
	"wait until GC ends":           "runtime",
	"GC weak to strong wait":       "runtime",
	"wait for debug call":          "runtime",
	coroutine:                      coroutine, // not the runtime's, which gives no reason, not even "unspecified"
}

// whyWaited returns the name for a reason for a wait, which may be of a newer runtime.
func whyWaited(reason string) string {
	if why, ok := waits[reason]; ok {
		return why
	}
	return unknown
}

// whyStopped returns the name for the runtime's reason to stop a goroutine that is ready.
func whyStopped(reason string) string {
	switch reason {
	case "runtime.Gosched":
		return "yielded"
	case "preempted":
		return preempted
	}
	return unknown
}

// The ways in which a thread gets a goroutine, as far as the trace shows them.
const (
	waker       = "waker"        // the thread made the goroutine ready
	stolen      = "stolen"       // another P made it ready: from that P's queue, or from the global one
	handoff     = "handoff"      // the P on which the goroutine was made ready has changed threads since
	globalQueue = "global queue" // after a system call, a yield or a preemption, or made ready by no P
)
