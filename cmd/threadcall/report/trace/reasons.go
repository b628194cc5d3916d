package trace

// The reasons why goroutines wait or stop. Other reasons of the runtime are as it names them.
const (
	Mutex              = "mutex"
	RWMutex            = "RWMutex"
	Cond               = "sync.Cond"
	WaitGroup          = "WaitGroup"
	ChannelSend        = "channel send"
	ChannelReceive     = "channel receive"
	Select             = "select"
	Sleep              = "sleep"
	Network            = "network"
	SystemCall         = "system call"
	HTTP               = "HTTP" // an answer
	HTTPConnection     = "HTTP connection"
	DatabaseConnection = "database connection"
	Semaphore          = "semaphore"
	GCAssist           = "GC assist"
	Coroutine          = "coroutine"
	Runtime            = "runtime"      // of goroutines of the runtime, for whatever
	RuntimeLock        = "runtime lock" // of the program's, on which the collector and stopping begin
	Unknown            = "unknown"      // the trace has no reason
	Ran                = "ran"          // of places where goroutines stopped running
	Ready              = "ready"        // of places where goroutines did not run
)

// What runs in goroutines of the runtime and ends waits.
const (
	Finalizer = "finalizer"
	Cleanup   = "cleanup"
)

// The headings of the text, which a [Finding] names.
const (
	SlowCalls       = "Slow calls"
	Memory          = "Heap and collector"
	Population      = "Goroutines and threads"
	Waits           = "Waiting"
	BlockedAtEnd    = "Blocked at the end"
	ReadyNotRunning = "Ready, but not running"
	CallsToThreads  = "Calls to threads"
)

// NoFunction is in place of one that the trace does not have. A wait that it ended was ended by a
// timer, the network or the collector.
const NoFunction = "?"
