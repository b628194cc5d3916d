package chart

import (
	"fmt"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A page's data are what the script draws over time, in nanoseconds from the begin of the trace.
type data struct {
	Duration int64   `json:"duration"`
	View     []int64 `json:"view"` // what is shown at first, from and to; null for all
	Lines    []line  `json:"lines"`
	Lanes    []lane  `json:"lanes"`
	Rows     []row   `json:"rows"`

	Windows []window `json:"windows"` // the whole trace first, if there is any
}

// A line is a panel with one or more series.
type line struct {
	Title  string   `json:"title"`
	Unit   string   `json:"unit"` // B, or nothing
	Series []series `json:"series"`
}

type series struct {
	Name   string       `json:"name"`
	Step   int64        `json:"step"`
	Points [][4]float64 `json:"points"` // time, least, most and last value
}

// A lane shows when something lasted.
type lane struct {
	Title string `json:"title"`
	Kind  string `json:"kind"` // the class of its bars
	Bars  []bar  `json:"bars"`
}

type bar struct {
	At    int64   `json:"t"`
	Parts []int64 `json:"parts"` // lengths, one after the other
	What  string  `json:"what"`
	To    string  `json:"to,omitempty"` // the element of the page with the details
}

// A row is the timeline of a thread.
type row struct {
	Title   string    `json:"title"`
	Step    int64     `json:"step"`
	Running []float64 `json:"running"`
	Syscall []float64 `json:"syscall"`
}

func plots(r *report.Report) data {
	p := data{
		Duration: max(int64(r.Trace.Duration), 1),
		Lines: []line{
			{"Heap", "B", []series{lineOf("allocated", r.Heap.Allocated), lineOf("goal", r.Heap.Goal)}},
			{"Goroutines", "", []series{lineOf("existing", r.Goroutines.Existing)}},
			{"Threads", "", []series{lineOf("seen", r.Threads.Seen), lineOf("busy", r.Threads.Busy)}},
		},
		Lanes: []lane{
			{"collector marks", "mark", bars(r.GC.Longest)},
			{"world stopped", "stop", bars(r.Stops.Longest)},
		},
		Rows:    []row{},
		Windows: []window{},
	}
	if len(r.Calls.Worst) > 0 {
		worst := lane{Title: "worst calls", Kind: "call"}
		for i, c := range r.Calls.Worst {
			worst.Bars = append(worst.Bars, bar{
				At:    int64(c.At),
				Parts: []int64{int64(c.Queued), int64(c.Run), int64(c.Return)},
				What:  fmt.Sprintf("%s, %s in all", c.Kind, ui.Duration(c.Total())),
				To:    fmt.Sprintf("worst-%d", i+1),
			})
		}
		p.Lanes = append(p.Lanes, worst)
	}
	if n := len(r.Calls.Slow); n > 0 {
		slow := lane{Title: "slow calls", Kind: "slow"}
		for i, s := range r.Calls.Slow {
			slow.Bars = append(slow.Bars, bar{
				At:    int64(s.Begin()),
				Parts: []int64{int64(s.At - s.Begin())},
				What:  fmt.Sprintf("had run for %s", ui.Duration(s.Running)),
				To:    fmt.Sprintf("slow-%d", i+1),
			})
		}
		p.Lanes = append([]lane{slow}, p.Lanes...)
		last := r.Calls.Slow[n-1]
		margin := max((last.At-last.Begin())/2, time.Microsecond)
		p.View = []int64{max(0, int64(last.Begin()-margin)), min(p.Duration, int64(last.At+margin))}
	}
	shown := map[int64]bool{}
	for _, t := range r.Locked {
		shown[t.Thread] = true
		p.Rows = append(p.Rows, rowOf(fmt.Sprintf("%d, only runs %s", t.Thread, symbol.Short(t.Function)), t.Timeline))
	}
	for _, t := range r.Threads.Busiest {
		if !shown[t.ID] {
			p.Rows = append(p.Rows, rowOf(fmt.Sprint(t.ID), t.Timeline))
		}
	}
	return p
}

func lineOf(name string, s report.Series) series {
	points := make([][4]float64, len(s.Points))
	for i, p := range s.Points {
		points[i] = [4]float64{float64(p.At), p.Min, p.Max, p.Last}
	}
	return series{name, int64(s.Step), points}
}

func bars(intervals []report.Interval) []bar {
	out := make([]bar, len(intervals))
	for i, v := range intervals {
		out[i] = bar{At: int64(v.At), Parts: []int64{int64(v.Length)}, What: v.What + " " + ui.Duration(v.Length)}
	}
	return out
}

func rowOf(title string, t report.Timeline) row {
	return row{title, int64(t.Step), thousandths(t.Running), thousandths(t.Syscall)}
}

// thousandths rounds shares, which makes the page smaller.
func thousandths(shares []float64) []float64 {
	out := make([]float64, len(shares))
	for i, s := range shares {
		out[i] = float64(int(s*1000+0.5)) / 1000
	}
	return out
}
