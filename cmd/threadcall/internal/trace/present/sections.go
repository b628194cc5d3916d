// Package present shows a report on a trace: as text for a terminal or a log, and as a web page for
// a browser. Both show the same sections, which sections.go makes of the report; the page adds
// plots.
package present

import (
	"fmt"
	"slices"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A section is a part of the report under a heading of its own: facts, a table, items, and a note.
type section struct {
	ID    string // of the table on the page
	Title string // empty if the section belongs to the one before
	Facts []fact

	Left    int      // columns of text, which come first; the others are numbers
	Columns []string // headings
	Rows    []row
	What    string // a row is about, for the number of those that the text does not show

	Items []item
	Note  string
}

type fact struct{ Name, Text string }

type row struct {
	Cells []cell
	Faint bool // the page shows it faintly, the text not at all
	Under []row
}

// A cell is a text or a number, for which the page has a value to sort by.
type cell struct {
	Text   string
	Value  float64
	Num    bool
	Frame  bool           // the name of a function and its place
	Moment *report.Moment // which the page shows in the plots
	Stack  []report.Frame // that the page unfolds
}

// An item is a call with its stacks.
type item struct {
	ID, Text string
	Open     bool // the page shows the stacks at first
	Moment   report.Moment
	Stacks   []stack
}

type stack struct {
	Title  string
	Frames []report.Frame
}

func text(s string) cell { return cell{Text: s} }

func number[T ~int | ~int64 | ~uint64](n T) cell {
	return cell{Text: ui.Count(uint64(n)), Value: float64(n), Num: true}
}

func duration[T ~int64 | ~float64](ns T) cell {
	return cell{Text: ui.Duration(ns), Value: float64(ns), Num: true}
}

// longest is the length of a moment.
func longest(m report.Moment) cell {
	return cell{Text: ui.Duration(m.Length), Value: float64(m.Length), Num: true, Moment: &m}
}

func frame(f report.Frame, stack ...report.Frame) cell {
	return cell{Text: name(f), Frame: true, Stack: stack}
}

// quantiles are the cells of a distribution: median, 99 %, longest.
func quantiles(d report.Distribution) []cell {
	if d.N == 0 {
		return []cell{text("-"), text("-"), text("-")}
	}
	return []cell{duration(d.P50), duration(d.P99), duration(d.Max)}
}

// cells joins cells and lists of cells.
func cells(all ...any) (list []cell) {
	for _, c := range all {
		switch c := c.(type) {
		case cell:
			list = append(list, c)
		case []cell:
			list = append(list, c...)
		}
	}
	return list
}

// name names a frame, or says that the trace does not have it.
func name(f report.Frame) string {
	if f.Func == "?" {
		return "-"
	}
	return f.String()
}

// table returns a section of a table with a row for each element of a list.
func table[T any](id, title, what string, left int, columns []string, list []T,
	of func(T) row) section {
	s := section{ID: id, Title: title, What: what, Left: left, Columns: columns}
	for _, x := range list {
		s.Rows = append(s.Rows, of(x))
	}
	return s
}

// sections returns those of a report that have anything to say.
func sections(r *report.Report) []section {
	all := slices.Concat(slow(r), memory(r), population(r), waiting(r), calls(r))
	return slices.DeleteFunc(all, func(s section) bool {
		return len(s.Facts)+len(s.Rows)+len(s.Items) == 0
	})
}

// slow has the calls that were reported as slow, the last first, because a trace that was written
// for a slow call ends with it.
func slow(r *report.Report) []section {
	s := section{Title: "Slow calls"}
	for i, c := range slices.Backward(r.Calls.Slow) {
		what := "a function"
		if c.Kind != "" {
			what = fmt.Sprintf("%s of goroutine %d", c.Kind, c.Goroutine)
		}
		it := item{
			ID: fmt.Sprintf("slow-%d", i+1), Open: true,
			Text: fmt.Sprintf("slow call at %s into the trace: %s had run for %s on thread %d when it was "+
				"reported at %s", ui.Duration(c.Begin()), what, ui.Duration(c.Running), c.Thread,
				ui.Duration(c.At)),
			Moment: report.Moment{At: c.Begin(), Length: c.At - c.Begin(), Goroutine: c.Runner},
			Stacks: []stack{{"called by", c.Caller()}},
		}
		if c.Queued >= 0 {
			it.Text += fmt.Sprintf(", and had been queued for %s before", ui.Duration(c.Queued))
		}
		title := "function"
		if c.Waits != "" {
			title = fmt.Sprintf("waited for %s (%s)", ui.Duration(c.Waited), c.Waits)
		}
		it.Stacks = append(it.Stacks, stack{title, c.Function()})
		s.Items = append(s.Items, it)
	}
	return []section{s}
}

func memory(r *report.Report) []section {
	h, gc, stops := r.Heap, r.GC, r.Stops.All
	var facts []fact
	add := func(name, format string, args ...any) {
		facts = append(facts, fact{name, fmt.Sprintf(format, args...)})
	}
	if h.Peak == 0 {
		add("heap", "The trace does not have its size.")
	} else {
		add("heap", "first %s, last %s, peak %s", ui.Bytes(h.First), ui.Bytes(h.Last), ui.Bytes(h.Peak))
	}
	collections := ui.Count(gc.Cycles)
	if gc.Mark.N > 0 {
		collections += fmt.Sprintf(", marking for %s in all (median %s, longest %s)",
			ui.Duration(gc.Mark.Sum), ui.Duration(gc.Mark.P50), ui.Duration(gc.Mark.Max))
	}
	add("collections", "%s", collections)
	if a := gc.Assist; gc.Cycles > 0 {
		add("collector", "workers ran %s", ui.Duration(gc.Workers))
		add("assists", "%s, %s in all", ui.Counted(a.N, "time", "times"), ui.Duration(a.Time))
	}
	add("stop-the-world", "%s, %s in all, longest %s", ui.Counted(stops.N, "time", "times"),
		ui.Duration(stops.Sum), ui.Duration(stops.Max))
	s := table("stops", "Heap and collector", "place", 1, []string{"GC assists at", "times", "in all"},
		gc.Assist.Sites, func(w report.Waker) row {
			return row{Cells: cells(frame(w.Frame), number(w.N), duration(w.Time))}
		})
	s.Facts = facts
	return []section{s}
}

func population(r *report.Report) []section {
	g := r.Goroutines
	s := table("functions", "Goroutines and threads", "function", 1,
		[]string{"goroutines of", "number", "ran", "ready", "syscall", "waited"}, r.Functions,
		func(f report.Function) row {
			return row{Cells: cells(text(symbol.Short(f.Name)), number(f.Goroutines), duration(f.Running),
				duration(f.Runnable), duration(f.Syscall), duration(f.Waiting))}
		})
	s.Facts = []fact{
		{"goroutines", fmt.Sprintf("first %s, last %s, peak %s; %s began, %s ended", ui.Count(g.First),
			ui.Count(g.Last), ui.Count(g.Peak), ui.Count(g.Created), ui.Count(g.Ended))},
		{"threads", ui.Count(r.Threads) + " ran goroutines"},
	}
	return []section{s}
}

// wakers are rows under a place.
func wakers(title string, list []report.Waker, blanks int,
	of func(report.Waker) []cell) (rows []row) {
	for _, w := range list[:min(len(list), 2)] {
		place := frame(w.Frame)
		if w.Func == "?" {
			place = text("the runtime") // a timer, the network; or before the trace
		}
		rows = append(rows, row{Cells: cells(text("  "+title), place, of(w), make([]cell, blanks))})
	}
	return rows
}

func waiting(r *report.Report) []section {
	w := r.Waiting
	places := table("waits", "Waiting", "place", 2,
		[]string{"for", "at", "waits", "in all", "99 %", "longest", "contended"}, w.Places,
		func(p report.WaitPlace) row {
			return row{
				Cells: cells(text(p.Reason), frame(p.Frame, p.Stack...), number(p.Times.N),
					duration(p.Times.Sum), duration(p.Times.P99), longest(p.Longest),
					duration(p.Contended)),
				Faint: p.Reason == "runtime", // which is intended
				Under: wakers("ended by", p.Wakers, 3, func(w report.Waker) []cell {
					return cells(number(w.N), duration(w.Time))
				}),
			}
		})
	blocked := table("blocked", "Blocked at the end", "place", 2,
		[]string{"in", "at", "goroutines", "created", "ended", "longest"}, w.Blocked,
		func(b report.Blocked) row {
			return row{
				Cells: cells(text(b.Reason), frame(b.Frame, b.Stack...), number(b.N), number(b.New),
					number(b.Ended), duration(b.Longest)),
				Under: wakers("created at", b.Created, 3, func(w report.Waker) []cell {
					return cells(number(w.N))
				}),
			}
		})
	blocked.Note = "Created is the number of those that were created while the trace was taken, " +
		"ended that of the waits at the place that have ended."
	latency := table("ready", "Ready, but not running", "place", 1,
		[]string{"many made ready at", "times", "goroutines", "at once", "ready"}, w.Wakeups,
		func(x report.Wakeups) row {
			return row{Cells: cells(frame(x.Frame), number(x.N), number(x.Woken), number(x.Most),
				duration(x.Ready))}
		})
	if all := w.Latency; all.N > 0 {
		latency.Facts = []fact{{"goroutines", fmt.Sprintf("waited %s in all for a P, %s: median %s, "+
			"99 %% %s, longest %s; %s of that while all Ps ran others", ui.Duration(all.Sum),
			ui.Counted(all.N, "time", "times"), ui.Duration(all.P50), ui.Duration(all.P99),
			ui.Duration(all.Max), ui.Duration(w.Load.Ready))}}
	}
	return []section{places, blocked, latency}
}

func calls(r *report.Report) []section {
	c := r.Calls
	if c.Total+c.Unfinished+c.NotRun == 0 {
		return nil
	}
	s := table("places", "Calls to threads", "place", 2,
		[]string{"kind", "at", "calls", "queued", "99 %", "longest", "ran", "99 %", "longest"}, c.Places,
		func(p report.Place) row {
			ran := quantiles(p.Run)
			ran[2].Moment = &p.Longest
			return row{Cells: cells(text(p.Kind), frame(p.Frame), number(p.Queued.N),
				quantiles(p.Queued), ran)}
		})
	s.Facts = []fact{{"calls", fmt.Sprintf("%s, %s of them in place; %s without their start or end, "+
		"%s refused or withdrawn", ui.Count(c.Total), ui.Count(c.InPlace), ui.Count(c.Unfinished),
		ui.Count(c.NotRun))}}
	s.Note = "Queued is the median time from the call to the start of the function, ran is the " +
		"median time of the function."
	return []section{s}
}
