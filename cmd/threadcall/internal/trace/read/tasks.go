package read

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// tasks sums up tasks by type, and finds the one whose path is requested.
type tasks struct {
	*analysis
	pending map[xtrace.TaskID]task
	types   map[string]*taskType

	path   Selector
	window *Window // of the path so far
}

type task struct {
	of *taskType
	at time.Duration
	by xtrace.GoID
}

type taskType struct {
	report.Task
	times report.Histogram
}

// maxTaskTypes limits the types; programs may make them up.
const maxTaskTypes = 1000

// A Selector selects what [Path] is about. The zero value selects nothing.
type Selector struct {
	Task      uint64 // its ID
	Type      string // the longest task of this type
	Goroutine int64
}

// ParseSelector understands "17", the ID of a task, "goroutine=17", and a type of tasks.
func ParseSelector(text string) (s Selector, err error) {
	if number, ok := strings.CutPrefix(text, "goroutine="); ok {
		if s.Goroutine, err = strconv.ParseInt(number, 10, 64); err != nil || s.Goroutine <= 0 {
			return s, fmt.Errorf("%q is no number of a goroutine", number)
		}
		return s, nil
	}
	if s.Task, err = strconv.ParseUint(text, 10, 64); err != nil {
		s.Task, s.Type = 0, text
	}
	if s == (Selector{}) {
		return s, fmt.Errorf("needs a type or the ID of a task, or goroutine=ID")
	}
	return s, nil
}

// A Window is the time of a task or of a goroutine in a trace.
type Window struct {
	What      string
	Goroutine int64 // that ended it
	From, To  time.Duration
}

func (t *tasks) init(a *analysis) {
	t.analysis = a
	t.pending = map[xtrace.TaskID]task{}
	t.types = map[string]*taskType{}
}

func (t *tasks) typeOf(name string) *taskType {
	name = t.stacks.own(name)
	of := t.types[name]
	if of == nil {
		if len(t.types) == maxTaskTypes {
			name = "(other types)"
		}
		if of = t.types[name]; of == nil {
			of = &taskType{Task: report.Task{Type: name}}
			t.types[name] = of
		}
	}
	return of
}

func (t *tasks) begin(ev *xtrace.Event) {
	id := ev.Task()
	t.pending[id.ID] = task{t.typeOf(id.Type), t.now, ev.Goroutine()}
}

func (t *tasks) end(ev *xtrace.Event) {
	id := ev.Task()
	begun, ok := t.pending[id.ID]
	delete(t.pending, id.ID)
	by := ev.Goroutine()
	if !ok {
		of := t.typeOf(id.Type)
		of.Unfinished++
		t.propose(uint64(id.ID), of, 0, by)
		return
	}
	of, length := begun.of, t.now-begun.at
	of.times.Add(uint64(length))
	if length > of.Longest.Length {
		of.ID, of.Longest = uint64(id.ID), report.Moment{At: begun.at, Length: length, Goroutine: int64(by)}
	}
	if by == xtrace.NoGoroutine {
		by = begun.by
	}
	t.propose(uint64(id.ID), of, begun.at, by)
}

// propose makes a task that ends now the one whose path is requested, if it is that or longer than that.
func (t *tasks) propose(id uint64, of *taskType, from time.Duration, by xtrace.GoID) {
	s := t.path
	if s.Task != 0 && s.Task != id || s.Type != "" && s.Type != of.Type || s.Task == 0 && s.Type == "" ||
		t.window != nil && t.window.To-t.window.From >= t.now-from {
		return
	}
	t.window = &Window{What: fmt.Sprintf("task %d, %s", id, of.Type), Goroutine: int64(by), From: from, To: t.now}
}

func (t *tasks) report() []report.Task {
	for id, p := range t.pending {
		p.of.Unfinished++
		t.propose(uint64(id), p.of, p.at, p.by)
	}
	list := []report.Task{}
	for _, of := range t.types {
		of.Times = of.times.Distribution()
		list = append(list, of.Task)
	}
	slices.SortFunc(list, func(a, b report.Task) int {
		return cmp.Or(cmp.Compare(b.Times.Sum, a.Times.Sum), cmp.Compare(a.Type, b.Type))
	})
	return list
}

// lived sets the window of the goroutine that is requested; it has ended, or the trace has.
func (t *tasks) lived(g *goroutine) {
	if t.path.Goroutine == int64(g.id) {
		t.window = &Window{What: fmt.Sprintf("goroutine %d, %s", g.id, t.functions.list[g.function].Name), Goroutine: int64(g.id), From: g.first, To: t.now}
	}
}
