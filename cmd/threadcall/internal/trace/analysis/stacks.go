package analysis

import (
	_ "embed"
	"encoding/binary"
	"slices"
	"strings"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/report/trace"
)

// stacks keep each different name, frame and stack once. They copy strings, because those of the
// reader keep a whole generation of the trace in memory.
type stacks struct {
	names   map[string]string // without control characters
	library string            // the directory of the standard library, or empty
	frames  map[trace.Frame]*frame
	of      map[string]*stack       // by the numbers of their frames
	seen    map[xtrace.Stack]*stack // those of the current generation
	nowhere *stack                  // the empty one
}

// A stack begins with the innermost frame.
type stack struct {
	frames []*frame
	at     *trace.Place // nil if it was not looked for
	spots  []spot
}

type frame struct {
	trace.Frame
	number uint32
	own    bool // it is threadcall's
}

func newStacks() stacks {
	nowhere := &stack{}
	return stacks{names: map[string]string{}, frames: map[trace.Frame]*frame{}, nowhere: nowhere,
		of: map[string]*stack{"": nowhere}, seen: map[xtrace.Stack]*stack{}}
}

// text returns a copy of a name, in which control characters become visible.
func (t *stacks) text(name string) string {
	text, ok := t.names[name]
	if !ok {
		text = strings.Clone(ui.Plain(name))
		t.names[strings.Clone(name)] = text
	}
	return text
}

func (t *stacks) stack(st xtrace.Stack) *stack {
	s := t.seen[st]
	if s != nil {
		return s
	}
	var frames []*frame
	var key []byte
	for f := range st.Frames() {
		one := t.frame(trace.Frame{Func: f.Func, File: f.File, Line: f.Line})
		frames, key = append(frames, one), binary.NativeEndian.AppendUint32(key, one.number)
	}
	s = entry(t.of, string(key), stack{frames: frames})
	t.seen[st] = s
	return s
}

func (t *stacks) frame(key trace.Frame) *frame {
	key.Func, key.File = t.text(key.Func), t.text(key.File)
	f := t.frames[key]
	if f == nil {
		i := strings.LastIndex(key.File, "runtime/")
		if i >= 0 && t.library == "" && strings.HasPrefix(key.Func, "runtime.") {
			t.library = key.File[:i]
			for _, s := range t.of {
				s.at = nil // which depends on it
			}
		}
		f = &frame{key, uint32(len(t.frames)), key.Own()}
		t.frames[key] = f
	}
	return f
}

// root returns the outermost function.
func (s *stack) root() string {
	if n := len(s.frames); n > 0 {
		return s.frames[n-1].Func
	}
	return ""
}

// list returns the frames. It never returns nil, which would be null in JSON.
func (s *stack) list() []trace.Frame {
	list := []trace.Frame{}
	for _, f := range s.frames {
		list = append(list, f.Frame)
	}
	return list
}

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
func (t *stacks) waitReason(reason string, s *stack) string {
	if ofRuntime(s.root()) && t.standard(t.place(s).Frame) {
		return trace.Runtime
	}
	for _, f := range s.frames {
		if name := libraries[f.Func]; name != "" && reason != trace.SystemCall && reason != trace.Ready {
			return name
		} else if !t.standard(f.Frame) {
			break
		}
	}
	if name, ok := reasons[reason]; ok {
		return name
	}
	if reason != "sync" && reason != "" {
		return t.text(reason)
	}
	switch meaning := s.meaning(); {
	case meaning != "":
		return meaning
	case reason == "":
		return trace.Unknown
	case len(s.frames) > 0 && symbol.Package(s.frames[0].Func) == "runtime":
		return trace.RuntimeLock
	}
	return "sync"
}

// meaning returns what the outermost known name of the frames inside the runtime and package sync
// means.
func (s *stack) meaning() (meaning string) {
	for _, f := range s.frames {
		if m, ok := meanings[f.Func]; ok {
			meaning = m
		} else if !inside(symbol.Package(f.Func)) {
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
func (s *stack) caller() trace.Frame {
	for _, f := range s.frames {
		if !f.own {
			return f.Frame
		}
	}
	return trace.Frame{Func: trace.NoFunction}
}

// place returns where a stack is.
func (t *stacks) place(s *stack) trace.Place {
	if s.at == nil {
		s.at = new(t.findPlace(s))
	}
	return *s.at
}

func (t *stacks) findPlace(s *stack) (p trace.Place) {
	own, library, ended := false, "", false // what the program has called
	var outside trace.Frame                 // of the packages that others wait with, of os and of net
	for _, f := range s.frames {
		switch pkg := symbol.Package(f.Func); {
		case p.Func == "" && tracer(f.Func):
			p.Frame = f.Frame
		case f.own:
			own, ended = true, true
		case !t.standard(f.Frame) && p.Func != "":
			p.From = f.Frame
			return p
		case !t.standard(f.Frame):
			p.Frame, ended = f.Frame, true
		case inside(pkg):
			ended = ended || library != ""
		default:
			if ended = ended || library != "" && library != pkg; !ended {
				library, p.In = pkg, symbol.Short(f.Func)
			}
			if outside.Func == "" && pkg != "os" && pkg != "net" {
				outside = f.Frame
			}
		}
	}
	switch n := len(s.frames); {
	case p.Func != "":
	case own:
		p.Frame.Func = itself
	case outside.Func != "":
		p.Frame = outside
	case n > 0: // the function that the goroutine began with
		p.Frame = s.frames[n-1].Frame
	default:
		p.Frame.Func = trace.NoFunction
	}
	return p
}

// standard reports whether a frame is of the standard library. Its files are below the directory of
// the runtime's; a program that was built with -trimpath has no directories, and then the first
// element of an import path decides.
func (t *stacks) standard(f trace.Frame) bool {
	pkg := symbol.Package(f.Func)
	first, _, _ := strings.Cut(pkg, "/")
	switch {
	case strings.HasPrefix(pkg, "golang.org/x/sync/"), pkg == itself:
		return true
	case pkg == "main", strings.Contains(first, "."):
		return false
	case t.library != "":
		return strings.HasPrefix(f.File, t.library)
	}
	return true
}
