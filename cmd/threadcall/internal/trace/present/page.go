package present

import (
	_ "embed"
	"fmt"
	"html/template"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

var (
	//go:embed page.html
	source string
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// A page's data are what the script draws over time, in nanoseconds from the start of the trace.
type data struct {
	Duration int64    `json:"duration"`
	View     []int64  `json:"view"` // what is shown at first, from and to; null for all
	Lines    []line   `json:"lines"`
	Windows  []window `json:"windows"` // the whole trace first
	Kinds    []string `json:"kinds"`   // of intervals
}

// A line is a panel with one or more series.
type line struct {
	Title  string   `json:"title"`
	Unit   string   `json:"unit"` // B, or nothing
	Series []series `json:"series"`
}

type series struct {
	Name string `json:"name"`
	report.Series
}

// A window is a time of which a page has a picture.
type window struct {
	Label string      `json:"label"`
	Tile  *lanes.Tile `json:"tile"`
}

// Limits of the pictures in a page.
const (
	maxWindows    = 12
	windowColumns = 500
	windowLanes   = 16

	requestedColumns = 2000
	requestedLanes   = 64
)

// Page makes the page that shows r. It has pictures of goroutines and threads for the whole trace,
// for the time that is requested, and for the windows in which the worst happened. If both moments
// are zero, no time is requested.
func Page(r *report.Report, x *lanes.Index, from, to time.Duration) (ui.Page, error) {
	d := data{
		Duration: max(int64(r.Trace.Duration), 1),
		Lines: []line{
			{"Heap", "B", []series{{"allocated", r.Heap.Allocated}}},
			{"Goroutines", "", []series{{"existing", r.Goroutines.Existing}}},
			{"Threads", "", []series{{"busy", r.Threads.Busy}}},
		},
		Windows: []window{},
		Kinds:   lanes.KindNames[:],
	}
	add := func(label string, from, to time.Duration, size lanes.Size) error {
		tile, err := x.Tile(from, to, size)
		if err == nil {
			d.Windows = append(d.Windows, window{label, tile})
		}
		return err
	}
	size := lanes.Size{Columns: windowColumns, Lanes: windowLanes}
	err := add("all", 0, 0, size)
	if n := len(r.Calls.Slow); n > 0 {
		last := r.Calls.Slow[n-1]
		from, to := around(last.Begin(), last.At, r.Trace.Duration)
		d.View = []int64{int64(from), int64(to)}
	}
	if err == nil && (from > 0 || to > 0) {
		requested := lanes.Size{Columns: requestedColumns, Lanes: requestedLanes}
		if err = add("as requested", from, to, requested); err == nil {
			d.View = []int64{d.Windows[1].Tile.From, d.Windows[1].Tile.To}
		}
	}
	for _, w := range worst(r) {
		if err == nil && len(d.Windows) < maxWindows {
			size.Must = w.must
			from, to := around(w.from, w.to, x.Duration)
			err = add(w.label, from, to, size)
		}
	}
	return ui.Page{
		Title:  "threadcall trace: " + r.Trace.Name,
		Style:  style,
		Source: source,
		View: struct {
			Report   *report.Report
			Sections []section
		}{r, sections(r)},
		Funcs:  template.FuncMap{"file": func(name string) string { return ui.Path(name, "") }},
		Data:   d,
		Script: script,
	}, err
}

type moment struct {
	label    string
	from, to time.Duration
	must     []int64 // goroutines
}

// worst returns the times that are worth a look, the most important first.
func worst(r *report.Report) (list []moment) {
	for i, s := range r.Calls.Slow {
		label := fmt.Sprintf("slow call %d", i+1)
		list = append(list, moment{label, s.Begin(), s.At, []int64{s.Goroutine, s.Runner}})
	}
	for i, f := range r.Verdict {
		if f.Length > 0 {
			label := fmt.Sprintf("finding %d", i+1)
			list = append(list, moment{label, f.At, f.At + f.Length, []int64{f.Goroutine}})
		}
	}
	for i, c := range r.Calls.Worst[:min(len(r.Calls.Worst), 3)] {
		label := fmt.Sprintf("long call %d", i+1)
		list = append(list, moment{label, c.At, c.At + c.Total(), []int64{c.Goroutine}})
	}
	for _, s := range r.Stops.Longest[:min(len(r.Stops.Longest), 1)] {
		list = append(list, moment{"longest stop of the world", s.At, s.At + s.Length, nil})
	}
	return list
}

// around returns the time with half as much before and after it.
func around(from, to, end time.Duration) (time.Duration, time.Duration) {
	margin := max((to-from)/2, time.Microsecond)
	return max(0, from-margin), min(end, to+margin)
}
