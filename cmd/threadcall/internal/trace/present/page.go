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
	Duration int64         `json:"duration"`
	View     []int64       `json:"view"`  // what is shown at first, from and to; null for all
	Tiles    []*lanes.Tile `json:"tiles"` // the whole trace first
	Kinds    []string      `json:"kinds"` // of intervals
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
func Page(r *report.Report, file *lanes.File, from, to time.Duration) (page ui.Page, err error) {
	d := data{
		Duration: max(int64(r.Trace.Duration), 1),
		Kinds:    lanes.KindNames[:],
	}
	if d.Tiles, err = file.Tiles(windows(r, from, to)); err != nil {
		return page, err
	}
	switch n := len(r.Calls.Slow); {
	case from > 0 || to > 0:
		d.View = []int64{d.Tiles[1].From, d.Tiles[1].To}
	case n > 0: // the last one
		d.View = []int64{d.Tiles[n].From, d.Tiles[n].To}
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
	}, nil
}

// windows returns the times that are worth a look, the most important first, with half as much
// before and after them.
func windows(r *report.Report, from, to time.Duration) []lanes.Window {
	list := []lanes.Window{{Label: "all", Columns: windowColumns, Lanes: windowLanes}}
	if from > 0 || to > 0 {
		list = append(list, lanes.Window{Label: "as requested", From: from, To: to,
			Columns: requestedColumns, Lanes: requestedLanes})
	}
	add := func(label string, at, length time.Duration, must ...int64) {
		margin := max(length/2, time.Microsecond)
		w := lanes.Window{Label: label, From: max(0, at-margin), To: at + length + margin, Must: must,
			Columns: windowColumns, Lanes: windowLanes}
		if len(list) < maxWindows {
			list = append(list, w)
		}
	}
	for i, s := range r.Calls.Slow {
		add(fmt.Sprintf("slow call %d", i+1), s.Begin(), s.At-s.Begin(), s.Goroutine, s.Runner)
	}
	for i, f := range r.Verdict {
		if f.Length > 0 {
			add(fmt.Sprintf("finding %d", i+1), f.At, f.Length, f.Goroutine)
		}
	}
	for i, p := range r.Calls.Places[:min(len(r.Calls.Places), 3)] {
		add(fmt.Sprintf("long call %d", i+1), p.Longest.At, p.Longest.Length, p.Longest.Goroutine)
	}
	if s := r.Stops.Longest; s.Length > 0 {
		add("longest stop of the world", s.At, s.Length)
	}
	return list
}
