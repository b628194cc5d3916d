package trace

// Why says what ended an execution, and so what a move is put down to: the goroutine would have stayed otherwise.
type Why uint8

const (
	Channel   Why = iota // it waited to send or to receive
	Select               // it waited in a select with several cases, or forever
	Sync                 // it waited for a lock, a condition or a group of package sync
	Network              // it waited for the network poller
	Sleep                // it slept
	Syscall              // it lost its P in a system call or in C
	Preempted            // the scheduler or the collector interrupted it
	Yielded              // it called runtime.Gosched
	Assist               // it waited for credit of the collector
	Coroutine            // it switched to another coroutine of an iter.Pull
	Runtime              // it waited for something else in the runtime
	Unknown              // the trace does not say
	whys
)

var whyNames = [whys]string{"channel", "select", "sync", "network", "sleep", "syscall", "preempted", "yielded", "GC assist",
	"coroutine", "runtime", "unknown"}

func (w Why) String() string { return whyNames[w] }

// whyWaits translates the runtime's reasons for a wait.
var whyWaits = map[string]Why{
	"chan send":                    Channel,
	"chan receive":                 Channel,
	"select":                       Select,
	"forever":                      Select,
	"sync":                         Sync,
	"sync.(*Cond).Wait":            Sync,
	"network":                      Network,
	"sleep":                        Sleep,
	"preempted":                    Preempted,
	"GC mark assist wait for work": Assist,
	"GC background sweeper wait":   Runtime,
	"system goroutine wait":        Runtime,
	"wait until GC ends":           Runtime,
	"GC weak to strong wait":       Runtime,
	"wait for debug call":          Runtime,
	"synctest":                     Sync,
	switched:                       Coroutine,
}

// switched is what reports say of a goroutine that switches to another coroutine. The trace gives no reason for that, not
// even that it is unspecified.
const switched = "coroutine"

// whyWaits does not know what a later runtime may say.
func whyWaited(reason string) Why {
	if w, ok := whyWaits[reason]; ok {
		return w
	}
	return Unknown
}

// whyStopped translates the runtime's reasons to stop a goroutine that could go on.
func whyStopped(reason string) Why {
	switch reason {
	case "runtime.Gosched":
		return Yielded
	case "preempted":
		return Preempted
	}
	return Unknown
}

// Via says how the thread of an execution came by the goroutine, as far as the trace tells.
type Via uint8

const (
	Waker   Via = iota // it made the goroutine ready itself
	Stolen             // another P had made it ready: from that P's queue, or from the global one
	Handoff            // the P on which the goroutine was made ready has changed threads in between
	Global             // it lay in the queue of all Ps: after a system call, a yield, a preemption, or a wake-up by no P
	vias
)

var viaNames = [vias]string{"waker", "stolen", "handoff", "global queue"}

func (v Via) String() string { return viaNames[v] }
