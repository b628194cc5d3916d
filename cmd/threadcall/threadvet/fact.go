package threadvet

import (
	"fmt"
	"strings"
)

// A funcFact is what other packages must know of a function.
type funcFact struct {
	On     string // the thread that it is marked with
	Needs  []need // of the functions that it calls
	Params []use  // what it does with its parameters; shorter if it does nothing with the last ones
	Runs   string // the thread that runs functions given to it, by a mark
	Inits  bool   // mentions what serves the main thread
}

// A need is a thread that a function must be called on.
type need struct {
	Thread  string
	What    string   // the function that needs it
	Path    []string // the functions that lead to it, innermost first: "draw (draw.go:12)"
	Library bool     // What is of a shipped table
	NoTests bool     // tests may call What on their goroutines

	own bool // What is of this package, and has no package name
}

// A use is what a function does with a parameter that is a function.
type use struct {
	Kind   useKind
	Thread string // of onThread; empty if it is one that was made for the purpose
	How    string // a phrase for onThread and elsewhere, such as "which errgroup.Group.Go runs on a goroutine"
	Later  bool   // does not wait for it
}

type useKind int

const (
	unknownUse useKind = iota // stored, or several of the others
	inPlace                   // called by the goroutine that calls the function
	onThread
	elsewhere // on a goroutine
)

// A varFact says which thread a variable or field holds, or what runs the functions that are stored in it.
type varFact struct{ Thread string }

// A packageFact holds for a package and those that it imports.
type packageFact struct {
	Locks    bool   // an init function locks the main goroutine
	Relevant bool   // calls to the package can matter
	TestMain string // "", "inits" or "forgets", of this package alone
	Uses     string // what a test of this package alone calls that must be served, and the path
}

func (*funcFact) AFact()    {}
func (*varFact) AFact()     {}
func (*packageFact) AFact() {}

func (f *funcFact) String() string {
	var parts []string
	if f.On != "" {
		parts = append(parts, "on "+f.On)
	}
	for _, n := range f.Needs {
		parts = append(parts, fmt.Sprintf("needs %s for %s", strings.TrimPrefix(n.Thread, "!"), n.What))
	}
	for i, p := range f.Params {
		switch p.Kind {
		case inPlace:
			parts = append(parts, fmt.Sprintf("calls parameter %d", i))
		case onThread:
			parts = append(parts, fmt.Sprintf("runs parameter %d on %s", i, threadName(p.Thread)))
		case elsewhere:
			parts = append(parts, fmt.Sprintf("runs parameter %d elsewhere", i))
		}
	}
	if f.Runs != "" {
		parts = append(parts, "runs functions on "+f.Runs)
	}
	if f.Inits {
		parts = append(parts, "inits")
	}
	return strings.Join(parts, ", ")
}

func (f *varFact) String() string { return "thread " + f.Thread }

func (f *packageFact) String() string {
	var parts []string
	for name, is := range map[string]bool{"locks": f.Locks, "relevant": f.Relevant} {
		if is {
			parts = append(parts, name)
		}
	}
	return strings.Join(parts, ", ")
}

// threadName returns a thread in the words of a report.
func threadName(name string) string {
	switch name {
	case "":
		return "a thread of its own"
	case mainThread:
		return "the main thread"
	case unknownThread:
		return "a thread"
	}
	return "thread " + name
}
