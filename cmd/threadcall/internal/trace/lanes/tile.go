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
	From    int64              `json:"from"`
	To      int64              `json:"to"`
	Step    float64            `json:"step"`    // the time of a column; shorter intervals are in Fine
	Program []Lane             `json:"program"` // the collector and stopped worlds
	Tasks   []Lane             `json:"tasks"`   // the longest in the window
	Threads []Lane             `json:"threads"`
	Lanes   []Lane             `json:"goroutines"` // the most active in the window
	Of      int                `json:"of"`         // goroutines that exist
	Names   map[int32]string   `json:"names"`
	Stacks  map[int32][]string `json:"stacks"` // "function file:line"
	Places  map[int32]string   `json:"places"` // of stacks: the innermost frame of the program
}

// A Lane is what one goroutine, thread or task did.
type Lane struct {
	ID    int64        `json:"id"`
	Title string       `json:"title"`
	Bars  []Bar        `json:"bars"` // of at least one column, in the order of time
	Fine  []Column     `json:"fine"`
	Marks []Bar        `json:"marks"` // regions, assists, in the order of time
	steps [][4]float64 // by column
}

// A Bar is an interval: start, length, kind, name, goroutine or thread that is not the lane's, By,
// Stack, ByStack, Task.
type Bar [9]int64

// A Column has its number, and the thousandths of its time for which the lane was running, in
// system calls, runnable and waiting, in intervals that are shorter than the column.
type Column [5]int64

// Limits of a tile.
const (
	maxFrames  = 24
	maxThreads = 64
	maxTasks   = 10
)

// A Size limits a tile.
type Size struct {
	Columns int     // of time
	Lanes   int     // goroutines, and threads
	Must    []int64 // goroutines that are shown in any case, if they exist
}

// Tile returns the picture of the time between two moments; zero for the second one is the end.
func (x *Index) Tile(from, to time.Duration, size Size) (*Tile, error) {
	if to <= 0 || to > x.Duration {
		to = x.Duration
	}
	if from < 0 || from >= to {
		return nil, fmt.Errorf("the trace has nothing from %v to %v; it is %v long", from, to, x.Duration)
	}
	t := &tiling{
		Index: x, from: from, to: to, columns: size.Columns,
		goroutines: map[int64]*Lane{}, threads: map[int64]*Lane{}, tasks: map[int64]*Lane{},
		program: map[int64]*Lane{},
	}
	t.Tile = Tile{
		From: int64(from), To: int64(to), Step: float64(to-from) / float64(t.columns),
		Names: map[int32]string{}, Stacks: map[int32][]string{}, Places: map[int32]string{},
	}
	if err := t.choose(size.Lanes, size.Must); err != nil {
		return nil, err
	}
	if err := x.Scan(from, to, t.add); err != nil {
		return nil, err
	}
	t.Program, t.Tasks = t.finish(t.program), t.finish(t.tasks)
	t.Threads, t.Lanes = t.finish(t.threads), t.finish(t.goroutines)
	return &t.Tile, nil
}

type tiling struct {
	*Index
	Tile
	from, to                            time.Duration
	columns                             int
	goroutines, threads, tasks, program map[int64]*Lane // that are shown
}

// The IDs of the lanes of the program.
const (
	collector = iota
	stopped
)

// choose chooses the goroutines, threads and tasks that are shown.
func (t *tiling) choose(limit int, must []int64) error {
	type active = map[int64]time.Duration
	goroutines, threads, tasks := active{}, active{}, active{}
	err := t.Scan(t.from, t.to, func(v *Interval) {
		if v.Goroutine == None {
			return
		}
		length := v.Within(t.from, t.to)
		switch v.Kind {
		case Running, Syscall, Runnable:
			goroutines[v.Goroutine] += length
			if v.Thread >= 0 && v.Kind <= Syscall {
				threads[v.Thread] += length
			}
		case Life:
			goroutines[v.Goroutine] += 0
		case Task:
			if tasks[int64(v.Task)] = length; len(tasks) > 1<<12 {
				kept := active{}
				for _, id := range busiest(tasks, maxTasks) {
					kept[id] = tasks[id]
				}
				tasks = kept
			}
		}
	})
	t.Of = len(goroutines)
	add := func(to map[int64]*Lane, id int64) { to[id] = t.lane(id, "") }
	for _, id := range must {
		if _, exists := goroutines[id]; exists {
			add(t.goroutines, id)
			delete(goroutines, id)
		}
	}
	for _, id := range busiest(goroutines, limit) {
		add(t.goroutines, id)
	}
	for _, id := range busiest(threads, min(limit, maxThreads)) {
		t.threads[id] = t.lane(id, strings.TrimSpace(fmt.Sprint("thread ", id, " ", t.Thread(id))))
	}
	for _, id := range busiest(tasks, maxTasks) {
		add(t.tasks, id)
	}
	return err
}

func busiest(all map[int64]time.Duration, limit int) []int64 {
	list := slices.SortedFunc(maps.Keys(all), func(a, b int64) int {
		return cmp.Or(cmp.Compare(all[b], all[a]), cmp.Compare(a, b))
	})
	return list[:min(len(list), limit)]
}

func (t *tiling) lane(id int64, title string) *Lane {
	return &Lane{ID: id, Title: title, Bars: []Bar{}, Fine: []Column{}, Marks: []Bar{}}
}

func (t *tiling) add(v *Interval) {
	g := t.goroutines[v.Goroutine]
	switch v.Kind {
	case Running, Syscall, Runnable, Waiting:
		if g != nil {
			t.put(g, v, v.Thread)
		}
		if l := t.threads[v.Thread]; l != nil && v.Kind <= Syscall {
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
			if t.program[id] == nil {
				t.program[id] = t.lane(id, title)
			}
			t.brief(&t.program[id].Bars, v)
		}
	case Task:
		if l := t.tasks[int64(v.Task)]; l != nil {
			l.Title = fmt.Sprintf("%s #%d", t.Name(v.Name), v.Task)
			l.Bars = append(l.Bars, t.bar(v, v.Goroutine))
		}
	}
}

// column returns the column of a time.
func (t *tiling) column(at int64) int { return min(int(float64(at-t.From)/t.Step), t.columns-1) }

// put adds a state to a lane: as a bar, or to the columns that it touches.
func (t *tiling) put(l *Lane, v *Interval, other int64) {
	if float64(v.Length) >= t.Step {
		l.Bars = append(l.Bars, t.bar(v, other))
		return
	}
	if l.steps == nil {
		l.steps = make([][4]float64, t.columns)
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
func (t *tiling) finish(lanes map[int64]*Lane) []Lane {
	byStart := func(a, b Bar) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(b[1], a[1]))
	}
	list := []Lane{}
	for _, l := range lanes {
		slices.SortFunc(l.Bars, byStart)
		slices.SortFunc(l.Marks, byStart)
		for i, s := range l.steps {
			if s != [4]float64{} {
				c := Column{int64(i)}
				for k := range s {
					c[k+1] = int64(s[k]/t.Step*1000 + 0.5)
				}
				l.Fine = append(l.Fine, c)
			}
		}
		list = append(list, *l)
	}
	slices.SortFunc(list, func(a, b Lane) int { return cmp.Compare(a.ID, b.ID) })
	return list
}
