package chart

import (
	_ "embed"
	"fmt"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

var (
	//go:embed lanes.css
	laneStyle string
	//go:embed lanes.js
	laneScript string
)

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

// withWindows adds pictures of the whole trace, of the selection, and of the windows in which the worst happened.
func withWindows(p ui.Page, r *report.Report, x *lanes.Index, s lanes.Selection) (ui.Page, error) {
	d := p.Data.(data)
	add := func(label string, part lanes.Selection, size lanes.Size) error {
		part.Goroutines, part.Place = s.Goroutines, s.Place
		tile, err := x.Tile(part, size)
		if err != nil {
			return err
		}
		d.Windows = append(d.Windows, window{label, tile})
		return nil
	}
	size := lanes.Size{Columns: windowColumns, Lanes: windowLanes}
	if err := add("all", lanes.Selection{}, size); err != nil {
		return p, err
	}
	if s.From > 0 || s.To > 0 {
		if err := add("as requested", s, lanes.Size{Columns: requestedColumns, Lanes: requestedLanes}); err != nil {
			return p, err
		}
		last := d.Windows[1].Tile
		d.View = []int64{last.From, last.To}
	}
	for _, w := range worst(r) {
		if len(d.Windows) < maxWindows {
			// A window without any of the goroutines that were requested is omitted.
			size.Must = w.must
			_ = add(w.label, around(w.from, w.to, x.Duration()), size)
		}
	}
	p.Data = d
	return p, nil
}

type moment struct {
	label    string
	from, to time.Duration
	must     []int64
}

// worst returns the times that are worth a look, the most important first.
func worst(r *report.Report) (list []moment) {
	for i, s := range r.Calls.Slow {
		list = append(list, moment{fmt.Sprintf("slow call %d", i+1), s.Begin(), s.At, []int64{s.Goroutine, s.Runner}})
	}
	for i, f := range r.Verdict {
		if f.Length > 0 {
			list = append(list, moment{fmt.Sprintf("finding %d", i+1), f.At, f.At + f.Length, goroutinesAt(r, f)})
		}
	}
	for i, c := range r.Calls.Worst[:min(len(r.Calls.Worst), 3)] {
		list = append(list, moment{fmt.Sprintf("long call %d", i+1), c.At, c.At + c.Total(), []int64{c.Goroutine}})
	}
	longest := func(label string, intervals []report.Interval) {
		var most report.Interval
		for _, v := range intervals {
			if v.Length > most.Length {
				most = v
			}
		}
		if most.Length > 0 {
			list = append(list, moment{label, most.At, most.At + most.Length, nil})
		}
	}
	longest("longest stop of the world", r.Stops.Longest)
	longest("longest mark phase", r.GC.Longest)
	return list
}

// goroutinesAt returns the goroutine whose wait or latency a finding is about, which may not be active meanwhile.
func goroutinesAt(r *report.Report, f report.Finding) (list []int64) {
	add := func(m report.Moment) {
		if m.At == f.At && m.Length == f.Length {
			list = append(list, m.Goroutine)
		}
	}
	for _, p := range r.Waiting.Places {
		add(p.Longest)
	}
	for _, p := range r.Waiting.Latency.Places {
		add(p.Longest)
	}
	return list
}

// around returns the time with half as much before and after it.
func around(from, to, end time.Duration) lanes.Selection {
	margin := max((to-from)/2, time.Microsecond)
	return lanes.Selection{From: max(0, from-margin), To: min(end, to+margin)}
}
