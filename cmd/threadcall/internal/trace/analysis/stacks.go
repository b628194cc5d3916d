package analysis

import (
	"strings"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/report/trace"
)

// tables keep each different name once, and each frame and stack under a number; the stack zero is
// the empty one. They copy strings, because those of the reader keep a whole generation of the
// trace in memory.
type tables struct {
	names   map[string]string // without control characters
	library string            // the directory of the standard library, or empty

	frames  []trace.Frame
	frameOf map[trace.Frame]uint32
	own     []bool // by frame: it is threadcall's
	stacks  [][]uint32
	places  map[int32]trace.Place  // of stacks
	of      map[string]int32       // stacks by the numbers of their frames
	seen    map[xtrace.Stack]int32 // those of the current generation
}

func newTables() *tables {
	return &tables{
		names:   map[string]string{},
		frameOf: map[trace.Frame]uint32{}, places: map[int32]trace.Place{},
		stacks: [][]uint32{nil}, of: map[string]int32{"": 0}, seen: map[xtrace.Stack]int32{},
	}
}

// text returns a copy of a name, in which control characters become visible.
func (t *tables) text(name string) string {
	text, ok := t.names[name]
	if !ok {
		text = strings.Clone(ui.Plain(name))
		t.names[strings.Clone(name)] = text
	}
	return text
}

func (t *tables) stack(st xtrace.Stack) int32 {
	if st == xtrace.NoStack {
		return 0
	}
	id, ok := t.seen[st]
	if !ok {
		id = t.add(st)
		t.seen[st] = id
	}
	return id
}

func (t *tables) add(st xtrace.Stack) int32 {
	var numbers []uint32
	var key strings.Builder
	for f := range st.Frames() {
		n := t.frame(f)
		numbers = append(numbers, n)
		key.Write([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)})
	}
	id, ok := t.of[key.String()]
	if !ok {
		id = int32(len(t.stacks))
		t.stacks = append(t.stacks, numbers)
		t.of[key.String()] = id
	}
	return id
}

func (t *tables) frame(f xtrace.StackFrame) uint32 {
	key := trace.Frame{Func: f.Func, File: f.File, Line: f.Line}
	n, ok := t.frameOf[key]
	if !ok {
		key.Func, key.File = t.text(f.Func), t.text(f.File)
		i := strings.LastIndex(key.File, "runtime/")
		if i >= 0 && t.library == "" && strings.HasPrefix(key.Func, "runtime.") {
			t.library = key.File[:i]
			clear(t.places) // which depend on it
		}
		n = uint32(len(t.frames))
		t.frames, t.own = append(t.frames, key), append(t.own, key.Own())
		t.frameOf[key] = n
	}
	return n
}

func (t *tables) root(stack int32) string {
	if numbers := t.stacks[stack]; len(numbers) > 0 {
		return t.frames[numbers[len(numbers)-1]].Func
	}
	return ""
}

// list returns the frames of a stack. It never returns nil, which would be null in JSON.
func (t *tables) list(n int32) []trace.Frame {
	list := []trace.Frame{}
	for _, f := range t.stacks[n] {
		list = append(list, t.frames[f])
	}
	return list
}
