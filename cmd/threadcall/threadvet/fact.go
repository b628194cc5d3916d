package threadvet

// A funcFact is what other packages must know of a function.
type funcFact struct {
	On     string // the thread that it is marked with
	Needs  []need // of the functions that it calls
	Params []use  // what it does with its parameters; shorter if it does nothing with the last ones
	Runs   string // the thread that runs functions given to it, by a mark
	Inits  bool   // mentions what serves the main thread

	Effects []effect         // on the thread that calls it
	Returns map[int][]effect // of the functions that it returns, by result
}

// A need is a thread that a function must be called on.
type need struct {
	Thread  string
	What    string   // the function that needs it
	Path    []string // the functions that lead to it, innermost first: "draw (draw.go:12)"
	Library bool     // What is of a table, and does not itself lock the main goroutine
	NoTests bool     // tests may call What on their goroutines
	Fix     string   // the dispatcher of suggested fixes, or noFix; empty for package mainthread

	own bool // What is of this package, and has no package name
}

// noFix is for what no dispatcher calls.
const noFix = "-"

// A use is what a function does with a parameter that is a function.
type use struct {
	Kind   useKind
	Thread string // of onThread; empty if it is one that was made for the purpose
	How    string // for onThread and elsewhere: "which Group.Go runs on a goroutine"
	Later  bool   // does not wait for it
}

type useKind int

const (
	unknownUse useKind = iota // stored, or several of the others
	inPlace                   // called by the goroutine that calls the function
	onThread
	elsewhere // on a goroutine
)

// A varFact says which thread a variable or field holds, or what runs the functions that are stored
// in it.
type varFact struct{ Thread string }

// A packageFact holds for a package and those that it imports.
type packageFact struct {
	Locks    bool // an init function locks the main goroutine
	Relevant bool // calls to the package can matter
}

func (*funcFact) AFact()    {}
func (*varFact) AFact()     {}
func (*packageFact) AFact() {}

// threadName returns a thread in the words of a report.
func threadName(name string) string {
	switch name {
	case "":
		return "a thread of its own"
	case mainThread:
		return "the main thread"
	case lockedThread:
		return "a goroutine that runtime.LockOSThread has locked"
	case unknownThread:
		return "a thread"
	}
	return "thread " + name
}
