package lanes

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
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
	Of      int                `json:"of"`         // goroutines that exist and are selected
	Names   map[int32]string   `json:"names"`
	Stacks  map[int32][]string `json:"stacks"` // "function file:line"
	Places  map[int32]string   `json:"places"` // of stacks: the innermost frame of the program
	Logs    []Line             `json:"logs"`   // in the order of time, at most 200
	MoreLog int                `json:"more_logs"`
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

// A Column has its number, and the thousandths of its time for which the lane was running, in system
// calls, runnable and waiting, in intervals that are shorter than the column.
type Column [5]int64

// A Line is a log event.
type Line struct {
	At        int64  `json:"t"`
	Goroutine int64  `json:"g"`
	Task      uint64 `json:"task"`
	Category  string `json:"category"`
	Text      string `json:"text"`
}

// Limits of a tile.
const (
	maxLogs    = 200
	maxFrames  = 24
	maxThreads = 64
	maxTasks   = 10
)

// A Size limits a tile.
type Size struct {
	Columns int     // of time
	Lanes   int     // goroutines, and threads
	Must    []int64 // goroutines that are shown in any case, if they are selected and exist
}

// Tile returns the picture of a selection.
func (x *Index) Tile(s Selection, size Size) (*Tile, error) {
	s, err := x.Clip(s)
	if err != nil {
		return nil, err
	}
	t := &tiling{
		Index: x, of: s, columns: size.Columns,
		goroutines: map[int64]*Lane{}, threads: map[int64]*Lane{}, task: map[uint64]bool{},
		logs: report.NewTop(maxLogs, func(a, b Line) bool { return a.At < b.At }),
	}
	t.Tile = Tile{
		From: int64(s.From), To: int64(s.To), Step: float64(s.To-s.From) / float64(t.columns),
		Program: []Lane{}, Tasks: []Lane{}, Threads: []Lane{}, Lanes: []Lane{},
		Names: map[int32]string{}, Stacks: map[int32][]string{}, Places: map[int32]string{},
	}
	if err := t.choose(size.Lanes, size.Must); err != nil {
		return nil, err
	}
	if err := x.Scan(s.From, s.To, t.add); err != nil {
		return nil, err
	}
	t.finish()
	return &t.Tile, nil
}

type tiling struct {
	*Index
	of Selection
	Tile
	columns             int
	goroutines, threads map[int64]*Lane // that are shown
	task                map[uint64]bool // that is shown
	marking, stopped    Lane
	logs                report.Top[Line]
}

// activity has what decides whether a goroutine is shown.
type activity struct {
	id       int64
	active   time.Duration
	existing time.Duration
}

// choose chooses the goroutines, threads and tasks that are shown.
func (t *tiling) choose(limit int, must []int64) error {
	sums, threads := map[int64]activity{}, map[int64]activity{}
	tasks := []activity{}
	err := t.Scan(t.of.From, t.of.To, func(v *Interval) {
		if !t.of.Has(v.Goroutine) || v.Goroutine == None {
			return
		}
		length := v.Within(t.of.From, t.of.To)
		sum := activity{v.Goroutine, sums[v.Goroutine].active, sums[v.Goroutine].existing}
		switch v.Kind {
		case Running, Syscall, Runnable:
			sum.active += length
			sums[v.Goroutine] = sum
			if v.Thread >= 0 && v.Kind <= Syscall {
				threads[v.Thread] = activity{id: v.Thread, active: threads[v.Thread].active + length}
			}
		case Life:
			sum.existing += length
			sums[v.Goroutine] = sum
		case Task:
			if tasks = append(tasks, activity{id: int64(v.Task), active: length}); len(tasks) > 1<<12 {
				tasks = longest(tasks, maxTasks)
			}
		}
	})
	if err != nil {
		return err
	}
	t.Of = len(sums)
	for _, id := range must {
		if _, exists := sums[id]; exists {
			t.goroutines[id] = t.lane(id)
			delete(sums, id)
		}
	}
	for _, a := range longest(slices.Collect(maps.Values(sums)), limit) {
		t.goroutines[a.id] = t.lane(a.id)
	}
	for _, a := range longest(slices.Collect(maps.Values(threads)), min(limit, maxThreads)) {
		l := t.lane(a.id)
		l.Title = strings.TrimSpace(fmt.Sprint("thread ", a.id, " ", t.Thread(a.id)))
		t.threads[a.id] = l
	}
	for _, a := range longest(tasks, maxTasks) {
		t.task[uint64(a.id)] = true
	}
	return nil
}

func longest(list []activity, limit int) []activity {
	slices.SortFunc(list, func(a, b activity) int {
		return cmp.Or(cmp.Compare(b.active, a.active), cmp.Compare(b.existing, a.existing),
			cmp.Compare(a.id, b.id))
	})
	return list[:min(len(list), limit)]
}

func (t *tiling) lane(id int64) *Lane {
	return &Lane{ID: id, Bars: []Bar{}, Marks: []Bar{}, steps: make([][4]float64, t.columns)}
}

func (t *tiling) add(v *Interval) {
	switch v.Kind {
	case Running, Syscall, Runnable, Waiting:
		if l := t.goroutines[v.Goroutine]; l != nil {
			t.put(l, v, v.Thread)
		}
		if v.Kind <= Syscall && t.of.Has(v.Goroutine) {
			if l := t.threads[v.Thread]; l != nil {
				t.put(l, v, v.Goroutine)
			}
		}
	case Life:
		if l := t.goroutines[v.Goroutine]; l != nil {
			l.Title = strings.TrimSpace(fmt.Sprint("G", v.Goroutine, " ", symbol.Short(t.Name(v.Name))))
		}
	case Range:
		if l := t.goroutines[v.Goroutine]; l != nil {
			t.mark(l, v)
		} else if v.Goroutine == None {
			l := &t.stopped
			if v.By == None {
				l = &t.marking
			}
			l.Bars = append(l.Bars, t.bar(v, None))
		}
	case Region:
		if l := t.goroutines[v.Goroutine]; l != nil {
			t.mark(l, v)
		}
	case Task:
		if t.task[v.Task] {
			t.Tasks = append(t.Tasks, Lane{
				ID: int64(v.Task), Title: fmt.Sprintf("%s #%d", t.Name(v.Name), v.Task),
				Bars: []Bar{t.bar(v, v.Goroutine)}, Fine: []Column{}, Marks: []Bar{},
			})
		}
	case Log:
		if t.of.Has(v.Goroutine) {
			t.MoreLog++
			t.logs.Offer(Line{int64(v.Start), v.Goroutine, v.Task, t.Name(v.Name), ui.Head(v.Text, 400)})
		}
	}
}

// put adds a state to a lane: as a bar, or to the columns that it touches.
func (t *tiling) put(l *Lane, v *Interval, other int64) {
	if float64(v.Length) >= t.Step {
		l.Bars = append(l.Bars, t.bar(v, other))
		return
	}
	from := float64(max(int64(v.Start), t.From) - t.From)
	to := float64(min(int64(v.End()), t.To) - t.From)
	first, last := min(int(from/t.Step), t.columns-1), min(int(to/t.Step), t.columns-1)
	if first == last {
		l.steps[first][v.Kind] += to - from
		return
	}
	border := float64(last) * t.Step
	l.steps[first][v.Kind] += border - from
	l.steps[last][v.Kind] += to - border
}

// mark adds a region. Of those that are shorter than a column, the lane keeps one for each.
func (t *tiling) mark(l *Lane, v *Interval) {
	column := func(at int64) int { return int(float64(at-t.From) / t.Step) }
	if n := len(l.Marks); n > 0 && float64(v.Length) < t.Step {
		last := l.Marks[n-1]
		short := last[2] == int64(v.Kind) && last[1] < int64(t.Step)
		if short && column(last[0]) == column(int64(v.Start)) {
			return
		}
	}
	l.Marks = append(l.Marks, t.bar(v, None))
}

func (t *tiling) bar(v *Interval, other int64) Bar {
	if v.Name != 0 {
		t.Names[v.Name] = t.Name(v.Name)
	}
	for _, s := range []int32{v.Stack, v.ByStack} {
		if _, ok := t.Stacks[s]; !ok && s != 0 {
			frames := t.Stack(s)
			text := []string{}
			for _, f := range frames[:min(len(frames), maxFrames)] {
				text = append(text, f.String())
			}
			t.Stacks[s], t.Places[s] = text, t.Place(s).String()
		}
	}
	return Bar{
		int64(v.Start), int64(v.Length), int64(v.Kind), int64(v.Name), other, v.By,
		int64(v.Stack), int64(v.ByStack), int64(v.Task),
	}
}

func (t *tiling) finish() {
	byStart := func(a, b Bar) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(b[1], a[1]))
	}
	close := func(lanes map[int64]*Lane) []Lane {
		list := []Lane{}
		for _, l := range lanes {
			slices.SortFunc(l.Bars, byStart)
			slices.SortFunc(l.Marks, byStart)
			l.Fine = []Column{}
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
	t.Lanes, t.Threads = close(t.goroutines), close(t.threads)
	slices.SortFunc(t.Tasks, func(a, b Lane) int { return byStart(a.Bars[0], b.Bars[0]) })
	t.Logs = t.logs.Kept
	t.MoreLog -= len(t.Logs)
	t.marking.Title, t.stopped.Title = "collector", "world stopped"
	for _, l := range []*Lane{&t.marking, &t.stopped} {
		if len(l.Bars) > 0 {
			slices.SortFunc(l.Bars, byStart)
			kept := l.Bars[:0]
			for _, b := range l.Bars { // of those that are shorter than a column, one for each
				if n := len(kept); n > 0 && float64(b[1]) < t.Step && float64(b[0]-kept[n-1][0]) < t.Step {
					continue
				}
				kept = append(kept, b)
			}
			l.Bars, l.Fine, l.Marks = kept, []Column{}, []Bar{}
			t.Program = append(t.Program, *l)
		}
	}
}
