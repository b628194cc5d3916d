package analysis

import (
	"strings"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// tables keep each different name, frame and stack once, under a number; zero is the empty one.
// They copy strings, because those of the reader keep a whole generation of the trace in memory.
// [lanes.Tables] describes the methods.
type tables struct {
	names   []string
	nameOf  map[string]int32
	threads map[int64]string
	library string // the directory of the standard library with its separator; empty if not known

	frames  []report.Frame
	frameOf map[report.Frame]uint32
	own     []bool // by frame: it is threadcall's
	stacks  [][]uint32
	places  map[int32]report.Frame // of stacks
	of      map[string]int32       // stacks by the numbers of their frames
	seen    map[xtrace.Stack]int32 // those of the current generation
}

func newTables() *tables {
	return &tables{
		names: []string{""}, nameOf: map[string]int32{"": 0}, threads: map[int64]string{},
		frameOf: map[report.Frame]uint32{}, places: map[int32]report.Frame{},
		stacks: [][]uint32{nil}, of: map[string]int32{"": 0}, seen: map[xtrace.Stack]int32{},
	}
}

// name returns the number of a name, in which control characters become visible.
func (t *tables) name(text string) int32 {
	n, ok := t.nameOf[text]
	if !ok {
		n = int32(len(t.names))
		t.names = append(t.names, strings.Clone(ui.Plain(text)))
		t.nameOf[strings.Clone(text)] = n
	}
	return n
}

// text returns the name as [tables.name] keeps it.
func (t *tables) text(text string) string { return t.names[t.name(text)] }

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
	key := report.Frame{Func: f.Func, File: f.File, Line: f.Line}
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

// root returns the outermost function, empty if there is none.
func (t *tables) root(stack int32) string {
	if numbers := t.stacks[stack]; len(numbers) > 0 {
		return t.frames[numbers[len(numbers)-1]].Func
	}
	return ""
}

func (t *tables) Name(n int32) string    { return t.names[n] }
func (t *tables) Thread(id int64) string { return t.threads[id] }

// Stack never returns nil, which would be null in JSON.
func (t *tables) Stack(n int32) []report.Frame {
	list := []report.Frame{}
	for _, f := range t.stacks[n] {
		list = append(list, t.frames[f])
	}
	return list
}
