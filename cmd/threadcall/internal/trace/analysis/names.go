package analysis

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/report/trace"
)

//go:embed names.txt
var namesText string

// What functions and reasons of the runtime mean. names.txt says how.
var (
	libraries  = names("# libraries")
	meanings   = names("# meanings")
	reasons    = names("# reasons")
	finalizers = names("# finalizers")
)

// names returns the section of names.txt with this title.
func names(title string) map[string]string {
	_, text, _ := strings.Cut(namesText, title)
	text, _, _ = strings.Cut(text, "\n\n")
	section := map[string]string{}
	for line := range strings.Lines(text) {
		if name, meaning, ok := strings.Cut(strings.TrimSpace(line), " = "); ok {
			section[name] = meaning
		}
	}
	return section
}

// waitReason returns the name for the runtime's reason for a wait. Package sync has one reason for
// all that it has, and what waits when the trace begins has none.
func (t *tables) waitReason(reason string, stack int32) string {
	if f := t.place(stack).Frame; ofRuntime(t.root(stack)) && t.standard(&f) {
		return trace.Runtime
	}
	for _, n := range t.stacks[stack] {
		f := &t.frames[n]
		if name := libraries[f.Func]; name != "" && reason != trace.SystemCall && reason != trace.Ready {
			return name
		} else if !t.standard(f) {
			break
		}
	}
	if name, ok := reasons[reason]; ok {
		return name
	}
	if reason != "sync" && reason != "" {
		return t.text(reason)
	}
	if meaning := t.meaning(stack); meaning != "" {
		return meaning
	}
	switch list := t.stacks[stack]; {
	case reason == "":
		return trace.Unknown
	case len(list) > 0 && symbol.Package(t.frames[list[0]].Func) == "runtime":
		return trace.RuntimeLock
	}
	return "sync"
}

// meaning returns what the outermost known name of the frames inside the runtime and package sync
// means.
func (t *tables) meaning(stack int32) (meaning string) {
	for _, n := range t.stacks[stack] {
		f := t.frames[n].Func
		if m, ok := meanings[f]; ok {
			meaning = m
		} else if !inside(symbol.Package(f)) {
			break
		}
	}
	return meaning
}

// inside reports whether a package is what others wait with.
func inside(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	return slices.Contains([]string{"runtime", "internal", "sync", "syscall", "time"}, first)
}

// isSystem reports whether goroutines of the function are the runtime's, as for
// runtime.NumGoroutine.
func isSystem(function string) bool {
	return strings.HasPrefix(function, "runtime.") && function != "runtime.main"
}

// ofRuntime reports whether goroutines of the function are the runtime's, or write the trace.
func ofRuntime(function string) bool {
	return isSystem(function) || tracer(function)
}

func tracer(function string) bool {
	return strings.HasPrefix(function, "runtime/trace.") ||
		strings.HasPrefix(function, "github.com/threadcall/threadcall/recorder.")
}

// itself is in place of a frame where no function of a stack is of the program that calls
// threadcall.
const itself = "threadcall"

// caller returns the first frame that is not threadcall's own, of a stack on which threadcall is
// called.
func (t *tables) caller(stack int32) trace.Frame {
	for _, n := range t.stacks[stack] {
		if !t.own[n] {
			return t.frames[n]
		}
	}
	return trace.Frame{Func: trace.NoFunction}
}

// place returns where a stack is.
func (t *tables) place(stack int32) trace.Place {
	p, ok := t.places[stack]
	if !ok {
		p = t.findPlace(stack)
		t.places[stack] = p
	}
	return p
}

func (t *tables) findPlace(stack int32) (p trace.Place) {
	list, own := t.stacks[stack], false
	library, ended := "", false // what the program has called
	var outside trace.Frame     // of the packages that others wait with, of os and of net
	for _, n := range list {
		f := t.frames[n]
		switch pkg := symbol.Package(f.Func); {
		case p.Func == "" && tracer(f.Func):
			p.Frame = f
		case t.own[n]:
			own, ended = true, true
		case !t.standard(&f) && p.Func != "":
			p.From = f
			return p
		case !t.standard(&f):
			p.Frame, ended = f, true
		case inside(pkg):
			ended = ended || library != ""
		default:
			if ended = ended || library != "" && library != pkg; !ended {
				library, p.In = pkg, symbol.Short(f.Func)
			}
			if outside.Func == "" && pkg != "os" && pkg != "net" {
				outside = f
			}
		}
	}
	switch {
	case p.Func != "":
	case own:
		p.Frame.Func = itself
	case outside.Func != "":
		p.Frame = outside
	case len(list) > 0: // the function that the goroutine began with
		p.Frame = t.frames[list[len(list)-1]]
	default:
		p.Frame.Func = trace.NoFunction
	}
	return p
}

// standard reports whether a frame is of the standard library. Its files are below the directory of
// the runtime's; a program that was built with -trimpath has no directories, and then the first
// element of an import path decides.
func (t *tables) standard(f *trace.Frame) bool {
	pkg := symbol.Package(f.Func)
	first, _, _ := strings.Cut(pkg, "/")
	switch {
	case strings.HasPrefix(pkg, "golang.org/x/sync/"):
		return true
	case pkg == itself:
		return true
	case pkg == "main", strings.Contains(first, "."):
		return false
	case t.library != "":
		return strings.HasPrefix(f.File, t.library)
	}
	return true
}
