package analysis

import (
	"encoding/binary"
	"strings"

	xtrace "golang.org/x/exp/trace"

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
