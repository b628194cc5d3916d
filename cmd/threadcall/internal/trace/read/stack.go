package read

import (
	"strings"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A stackID names a stack for as long as the trace is read; zero is the empty one.
type stackID int32

// stacks keeps each different stack and each different frame once. It copies strings, because those of the reader keep
// a whole generation of the trace in memory.
type stacks struct {
	frames  []report.Frame
	frameOf map[report.Frame]uint32
	strings map[string]string
	library string // the directory of the standard library, with a separator after it; empty if not known

	list [][]uint32
	of   map[string]stackID       // by the frames' numbers
	seen map[xtrace.Stack]stackID // those of the current generation
}

func newStacks() *stacks {
	return &stacks{
		frameOf: map[report.Frame]uint32{}, strings: map[string]string{},
		list: [][]uint32{nil}, of: map[string]stackID{"": 0}, seen: map[xtrace.Stack]stackID{},
	}
}

// generation drops the stacks of the reader.
func (s *stacks) generation() { clear(s.seen) }

func (s *stacks) id(st xtrace.Stack) stackID {
	if st == xtrace.NoStack {
		return 0
	}
	id, ok := s.seen[st]
	if !ok {
		id = s.add(st)
		s.seen[st] = id
	}
	return id
}

func (s *stacks) add(st xtrace.Stack) stackID {
	var numbers []uint32
	var key strings.Builder
	for f := range st.Frames() {
		n := s.frame(f)
		numbers = append(numbers, n)
		key.Write([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)})
	}
	id, ok := s.of[key.String()]
	if !ok {
		id = stackID(len(s.list))
		s.list = append(s.list, numbers)
		s.of[key.String()] = id
	}
	return id
}

func (s *stacks) frame(f xtrace.StackFrame) uint32 {
	key := report.Frame{Func: f.Func, File: f.File, Line: f.Line}
	n, ok := s.frameOf[key]
	if !ok {
		key.Func, key.File = s.own(f.Func), s.own(f.File)
		if i := strings.LastIndex(key.File, "runtime/"); i >= 0 && s.library == "" && strings.HasPrefix(key.Func, "runtime.") {
			s.library = key.File[:i]
		}
		n = uint32(len(s.frames))
		s.frames = append(s.frames, key)
		s.frameOf[key] = n
	}
	return n
}

// own returns a copy of text, in which control characters are visible.
func (s *stacks) own(text string) string {
	own, ok := s.strings[text]
	if !ok {
		own = strings.Clone(ui.Plain(text))
		s.strings[strings.Clone(text)] = own
	}
	return own
}

// get returns the stack, never nil.
func (s *stacks) get(id stackID) []report.Frame {
	list := []report.Frame{}
	for _, n := range s.list[id] {
		list = append(list, s.frames[n])
	}
	return list
}

// root returns the outermost function, empty if there is none.
func (s *stacks) root(id stackID) string {
	if numbers := s.list[id]; len(numbers) > 0 {
		return s.frames[numbers[len(numbers)-1]].Func
	}
	return ""
}

// place returns the first frame that is not threadcall's own, of a stack on which threadcall is called.
func (s *stacks) place(id stackID) report.Frame {
	for _, n := range s.list[id] {
		if f := s.frames[n]; !f.Own() {
			return f
		}
	}
	return report.Frame{Func: "?"}
}
