package lanes

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
)

// A Tile is what a picture of a window of time shows. Times are nanoseconds.
type Tile struct {
	Label   string             `json:"label"`
	From    int64              `json:"from"`
	To      int64              `json:"to"`
	Step    float64            `json:"step"`    // the time of a column; shorter intervals are in Fine
	Program []Lane             `json:"program"` // the collector and stopped worlds
	Threads []Lane             `json:"threads"`
	Lanes   []Lane             `json:"goroutines"` // that ran for longest in the window, these first
	Of      int                `json:"of"`         // goroutines that exist
	Names   map[int32]string   `json:"names"`
	Stacks  map[int32][]string `json:"stacks"` // "function file:line"
	Places  map[int32]string   `json:"places"` // of stacks: the innermost frame of the program
}

// A Lane is what one goroutine or thread did.
type Lane struct {
	ID    int64        `json:"id"`
	Title string       `json:"title"`
	Bars  []Bar        `json:"bars"` // of at least one column, in the order of time
	Fine  []Column     `json:"fine"`
	Marks []Bar        `json:"marks"` // regions, assists, in the order of time
	steps [][5]float64 // by column
}

// A Bar is an interval: start, length, kind, name, goroutine or thread that is not the lane's, By,
// Stack, ByStack, Task.
type Bar [9]int64

// A Column has its number, and the thousandths of its time for which the lane was in each state, in
// intervals that are shorter than the column.
type Column [6]int64

// Limits of a tile.
const (
	maxFrames  = 24
	maxThreads = 64
)

// A Window is a time of which there is to be a picture.
type Window struct {
	Label    string
	From, To time.Duration // zero for To is the end
	Columns  int           // of time
	Lanes    int           // goroutines, and threads
	Must     []int64       // goroutines that are shown in any case, if they exist
}

// Tiles returns the pictures of windows. It reads the intervals twice: to choose the goroutines and
// threads that are shown, and to draw them.
func (l *File) Tiles(windows []Window) (tiles []*Tile, err error) {
	var all []*tiling
	for _, w := range windows {
		if w.To <= 0 || w.To > l.Duration {
			w.To = l.Duration
		}
		if w.From < 0 || w.From >= w.To {
			return nil, fmt.Errorf("the trace has nothing from %v to %v; it is %v long", w.From, w.To,
				l.Duration)
		}
		all = append(all, &tiling{
			Tile: Tile{
				Label: w.Label, From: int64(w.From), To: int64(w.To),
				Step:  float64(w.To-w.From) / float64(w.Columns),
				Names: map[int32]string{}, Stacks: map[int32][]string{}, Places: map[int32]string{},
			},
			Tables: l, window: w, goroutines: newGroup(), threads: newGroup(), program: newGroup(),
		})
	}
	each := func(step func(*tiling, *Interval)) error {
		return l.Scan(func(v *Interval) {
			for _, t := range all {
				if v.Start <= t.window.To && v.End() >= t.window.From {
					step(t, v)
				}
			}
		})
	}
	if err := each((*tiling).count); err != nil {
		return nil, err
	}
	for _, t := range all {
		t.choose()
	}
	if err := each((*tiling).draw); err != nil {
		return nil, err
	}
	for _, t := range all {
		t.Program = t.finish(t.program)
		t.Threads, t.Lanes = t.finish(t.threads), t.finish(t.goroutines)
		tiles = append(tiles, &t.Tile)
	}
	return tiles, nil
}

// A tiling makes a tile.
type tiling struct {
	Tile
	Tables
	window                       Window
	goroutines, threads, program group
	recorders                    []int64 // the goroutines that record the trace
}

// A group has the lanes of one kind.
type group struct {
	active map[int64]time.Duration // how long they ran, in the window
	shown  map[int64]*Lane
}

func newGroup() group { return group{map[int64]time.Duration{}, map[int64]*Lane{}} }

// busiest returns the lanes that ran for longest.
func (g *group) busiest(limit int) []int64 {
	list := slices.SortedFunc(maps.Keys(g.active), func(a, b int64) int {
		return cmp.Or(cmp.Compare(g.active[b], g.active[a]), cmp.Compare(a, b))
	})
	return list[:min(len(list), limit)]
}

func (g *group) show(id int64, title string) {
	if g.shown[id] == nil {
		g.shown[id] = &Lane{ID: id, Title: title, Bars: []Bar{}, Fine: []Column{}, Marks: []Bar{}}
	}
}

// The IDs of the lanes of the program.
const (
	collector = iota
	stopped
)

// count counts for how long goroutines and threads run.
func (t *tiling) count(v *Interval) {
	if v.Goroutine == None {
		return
	}
	length := v.Within(t.window.From, t.window.To)
	switch v.Kind {
	case Running:
		t.goroutines.active[v.Goroutine] += length
		t.threads.active[v.Thread] += length
	case Syscall:
		t.threads.active[v.Thread] += length
	case Life:
		t.goroutines.active[v.Goroutine] += 0
		if records(t.Name(v.Name)) {
			t.recorders = append(t.recorders, v.Goroutine)
		}
	}
}

// records reports whether goroutines of a function record the trace.
func records(function string) bool {
	return slices.ContainsFunc([]string{"runtime/trace.", "runtime.trace", "runtime.(*trace",
		"github.com/threadcall/threadcall/recorder."},
		func(prefix string) bool { return strings.HasPrefix(function, prefix) })
}

// choose chooses the goroutines and threads that are shown.
func (t *tiling) choose() {
	for _, id := range t.recorders {
		delete(t.goroutines.active, id)
	}
	delete(t.threads.active, None)
	t.Of = len(t.goroutines.active)
	for _, id := range t.window.Must {
		if _, exists := t.goroutines.active[id]; exists {
			t.goroutines.show(id, "")
		}
	}
	for _, id := range t.goroutines.busiest(t.window.Lanes) {
		t.goroutines.show(id, "")
	}
	for _, id := range t.threads.busiest(min(t.window.Lanes, maxThreads)) {
		t.threads.show(id, strings.TrimSpace(fmt.Sprint("thread ", id, " ", t.Thread(id))))
	}
}

// draw adds an interval to the lanes that it is on.
func (t *tiling) draw(v *Interval) {
	g := t.goroutines.shown[v.Goroutine]
	switch v.Kind {
	case Running, Syscall, Runnable, Waiting, Lock:
		if g != nil {
			t.put(g, v, v.Thread)
		}
		if l := t.threads.shown[v.Thread]; l != nil && v.Kind <= Syscall {
			t.put(l, v, v.Goroutine)
		}
	case Life:
		if g != nil {
			g.Title = strings.TrimSpace(fmt.Sprint("G", v.Goroutine, " ", symbol.Short(t.Name(v.Name))))
		}
	case Range, Region:
		switch {
		case g != nil:
			t.brief(&g.Marks, v)
		case v.Goroutine == None:
			id, title := int64(collector), "collector"
			if v.By != None {
				id, title = stopped, "world stopped"
			}
			t.program.show(id, title)
			t.brief(&t.program.shown[id].Bars, v)
		}
	}
}

// column returns the column of a time.
func (t *tiling) column(at int64) int {
	return min(int(float64(at-t.From)/t.Step), t.window.Columns-1)
}

// put adds a state to a lane: as a bar, or to the columns that it touches.
func (t *tiling) put(l *Lane, v *Interval, other int64) {
	if float64(v.Length) >= t.Step {
		l.Bars = append(l.Bars, t.bar(v, other))
		return
	}
	if l.steps == nil {
		l.steps = make([][5]float64, t.window.Columns)
	}
	from, to := max(int64(v.Start), t.From), min(int64(v.End()), t.To)
	first, last := t.column(from), t.column(to)
	border := float64(to - t.From)
	if first != last {
		border = float64(last) * t.Step
		l.steps[last][v.Kind] += float64(to-t.From) - border
	}
	l.steps[first][v.Kind] += border - float64(from-t.From)
}

// brief adds an interval. Of those that are shorter than a column, it keeps one for each.
func (t *tiling) brief(list *[]Bar, v *Interval) {
	if n := len(*list); n > 0 && float64(v.Length) < t.Step {
		last := (*list)[n-1]
		short := last[2] == int64(v.Kind) && last[1] < int64(t.Step)
		if short && t.column(last[0]) == t.column(int64(v.Start)) {
			return
		}
	}
	*list = append(*list, t.bar(v, None))
}

func (t *tiling) bar(v *Interval, other int64) Bar {
	t.Names[v.Name] = t.Name(v.Name)
	for _, s := range []int32{v.Stack, v.ByStack} {
		if _, ok := t.Stacks[s]; ok || s == 0 {
			continue
		}
		frames, text := t.Stack(s), []string{}
		for _, f := range frames[:min(len(frames), maxFrames)] {
			text = append(text, f.String())
		}
		t.Stacks[s], t.Places[s] = text, t.Place(s).String()
	}
	return Bar{
		int64(v.Start), int64(v.Length), int64(v.Kind), int64(v.Name), other, v.By,
		int64(v.Stack), int64(v.ByStack), int64(v.Task),
	}
}

// finish returns lanes in order.
func (t *tiling) finish(g group) []Lane {
	byStart := func(a, b Bar) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(b[1], a[1]))
	}
	list := []Lane{}
	for _, l := range g.shown {
		slices.SortFunc(l.Bars, byStart)
		slices.SortFunc(l.Marks, byStart)
		for i, s := range l.steps {
			if s != [5]float64{} {
				c := Column{int64(i)}
				for k := range s {
					c[k+1] = int64(s[k]/t.Step*1000 + 0.5)
				}
				l.Fine = append(l.Fine, c)
			}
		}
		list = append(list, *l)
	}
	slices.SortFunc(list, func(a, b Lane) int {
		return cmp.Or(cmp.Compare(g.active[b.ID], g.active[a.ID]), cmp.Compare(a.ID, b.ID))
	})
	return list
}
