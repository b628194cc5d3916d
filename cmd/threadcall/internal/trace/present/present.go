// Package present writes a report on a trace as text, for a terminal or a log.
package present

import (
	"fmt"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/report/trace"
)

// Rows of a table, frames of a stack.
const (
	shownRows   = 10
	shownFrames = 4
)

// Text writes the report, first the verdict. Errors are in s.Err.
func Text(s *ui.Screen, r *trace.Report) {
	for i, f := range r.Verdict {
		s.Paragraph(fmt.Sprintf("  %d  ", i+1),
			ui.Say("%s At %s; see %q.", f.Text, f.At, f.Table))
	}
	if len(r.Verdict) > 0 {
		s.Printf("\n")
	}
	opening(s, r)
	slow(s, r.Calls.Slow)
	memory(s, r)
	population(s, r)
	waits(s, r.Waiting.Places)
	blocked(s, r.Waiting.Blocked)
	ready(s, r.Waiting)
	calls(s, r.Calls)
}

func opening(s *ui.Screen, r *trace.Report) {
	about := ui.Say("%s of trace in the format of %s, %s, %s", ui.Bytes(r.Trace.Bytes),
		r.Trace.Format, ui.Counted(r.Trace.Events, "event", "events"), r.Trace.Duration)
	if r.Trace.GOMAXPROCS > 0 {
		about += fmt.Sprintf(", GOMAXPROCS %d", r.Trace.GOMAXPROCS)
	}
	s.Paragraph(s.Bold("threadcall trace")+"  ", ui.Plain(r.Trace.Name))
	s.Paragraph(strings.Repeat(" ", 18), about)
	for _, w := range r.Warnings {
		s.Paragraph(s.Red("warning")+"  ", ui.Plain(w))
	}
}

func heading(s *ui.Screen, title string) { s.Printf("\n%s\n", s.Bold(title)) }

// facts writes texts, each after its name.
func facts(s *ui.Screen, namesAndTexts ...string) {
	s.Printf("\n")
	for pair := range slices.Chunk(namesAndTexts, 2) {
		s.Paragraph(fmt.Sprintf("  %-15s ", pair[0]), pair[1])
	}
}

func note(s *ui.Screen, text string) {
	s.Printf("\n")
	s.Paragraph("  ", text)
}

// table writes the rows that are added for the first elements of a list, and how many more there
// are. The titles of the columns have bars between them; the first are left columns of text.
func table[T any](s *ui.Screen, list []T, what string, left int, titles string,
	rows func(x T, add func(cells ...any))) {
	if len(list) == 0 {
		return
	}
	s.Printf("\n")
	t, columns := ui.Table{Left: left}, strings.Split(titles, "|")
	t.Add(columns...)
	add := func(cells ...any) {
		row := make([]string, len(columns))
		for i, c := range cells {
			row[i] = ui.Text(c)
		}
		t.Add(row...)
	}
	for _, x := range list[:min(len(list), shownRows)] {
		rows(x, add)
	}
	t.Write(s)
	if more := len(list) - shownRows; more > 0 {
		s.Printf("  and %s\n", ui.Counted(more, "more "+what, "more "+what+"s"))
	}
}

// first returns those of which a place has rows under its own.
func first(list []trace.Waker) []trace.Waker { return list[:min(len(list), 2)] }

// waker names the place of one.
func waker(w trace.Waker) string {
	if w.Func == trace.NoFunction {
		return "the runtime" // a timer, the network; or before the trace
	}
	return w.Frame.String()
}

// slow has the calls that were reported as slow, the last first, because a trace that was written
// for a slow call ends with it.
func slow(s *ui.Screen, list []trace.SlowCall) {
	if len(list) == 0 {
		return
	}
	heading(s, trace.SlowCalls)
	s.Printf("\n")
	for i, c := range slices.Backward(list) {
		what := "a function"
		if c.Kind != "" {
			what = fmt.Sprintf("%s of goroutine %d", c.Kind, c.Goroutine)
		}
		text := ui.Say("slow call at %s into the trace: %s had run for %s on thread %d when it was "+
			"reported at %s", c.Begin(), what, c.Running, c.Thread, c.At)
		if c.Queued >= 0 {
			text += ui.Say(", and had been queued for %s before", c.Queued)
		}
		s.Paragraph(fmt.Sprintf("  %2d  ", len(list)-i), text)
		stack(s, "called by", c.From)
		function := c.On
		if i := slices.IndexFunc(function, trace.Frame.Own); i > 0 {
			function = function[:i]
		}
		title := "function"
		if c.Waits != "" {
			title = ui.Say("waited for %s (%s)", c.Waited, c.Waits)
		}
		stack(s, title, function)
	}
}

// stack writes the innermost frames of the program.
func stack(s *ui.Screen, title string, frames []trace.Frame) {
	n := 0
	for _, f := range frames {
		if f.Own() || strings.HasPrefix(f.Func, "runtime.") || n == shownFrames {
			continue
		}
		if n++; n == 1 {
			s.Printf("      %s\n", s.Faint(title))
		}
		s.Printf("        %s\n", ui.Tail(f.String(), max(20, s.Width-8)))
	}
}

func memory(s *ui.Screen, r *trace.Report) {
	h, gc, stops := r.Heap, r.GC, r.Stops.All
	heap := "The trace does not have its size."
	if h.Peak > 0 {
		heap = fmt.Sprintf("first %s, last %s, peak %s", ui.Bytes(h.First), ui.Bytes(h.Last),
			ui.Bytes(h.Peak))
	}
	collections := ui.Count(gc.Cycles)
	if gc.Mark.N > 0 {
		collections += fmt.Sprintf(", marking for %s in all (median %s, longest %s)",
			ui.Duration(gc.Mark.Sum), ui.Duration(gc.Mark.P50), ui.Duration(gc.Mark.Max))
	}
	list := []string{"heap", heap, "collections", collections}
	if a := gc.Assist; gc.Cycles > 0 {
		list = append(list, "collector", "workers ran "+ui.Duration(gc.Workers), "assists",
			ui.Say("%s, %s in all", ui.Counted(a.N, "time", "times"), a.Time))
	}
	heading(s, trace.Memory)
	facts(s, append(list, "stop-the-world", fmt.Sprintf("%s, %s in all, longest %s",
		ui.Counted(stops.N, "time", "times"), ui.Duration(stops.Sum), ui.Duration(stops.Max)))...)
	table(s, gc.Assist.Sites, "place", 1, "GC assists at|times|in all",
		func(w trace.Waker, add func(...any)) { add(w.Frame, w.N, w.Time) })
}

func population(s *ui.Screen, r *trace.Report) {
	g := r.Goroutines
	heading(s, trace.Population)
	facts(s, "goroutines", ui.Say("first %v, last %v, peak %v; %v began, %v ended", g.First, g.Last,
		g.Peak, g.Created, g.Ended), "threads", ui.Count(r.Threads)+" ran goroutines")
	table(s, r.Functions, "function", 1, "goroutines of|number|ran|ready|syscall|waited",
		func(f trace.Function, add func(...any)) {
			add(symbol.Short(f.Name), f.Goroutines, f.Running, f.Runnable, f.Syscall, f.Waiting)
		})
}

func waits(s *ui.Screen, list []trace.WaitPlace) {
	list = slices.DeleteFunc(slices.Clone(list), func(p trace.WaitPlace) bool {
		return p.Reason == trace.Runtime // which is intended
	})
	if len(list) == 0 {
		return
	}
	heading(s, trace.Waits)
	table(s, list, "place", 2, "for|at|waits|in all|99 %|longest|contended",
		func(p trace.WaitPlace, add func(...any)) {
			add(p.Reason, p.Frame, p.Times.N, p.Times.Sum, p.Times.P99, p.Longest.Length, p.Contended)
			for _, w := range first(p.Wakers) {
				add("  ended by", waker(w), w.N, w.Time)
			}
		})
}

func blocked(s *ui.Screen, list []trace.Blocked) {
	if len(list) == 0 {
		return
	}
	heading(s, trace.BlockedAtEnd)
	table(s, list, "place", 2, "in|at|goroutines|created|ended|longest",
		func(b trace.Blocked, add func(...any)) {
			add(b.Reason, b.Frame, b.N, b.New, b.Ended, b.Longest)
			for _, w := range first(b.Created) {
				add("  created at", waker(w), w.N)
			}
		})
	note(s, "Created is the number of those that were created while the trace was taken, "+
		"ended that of the waits at the place that have ended.")
}

func ready(s *ui.Screen, w trace.Waiting) {
	all := w.Latency
	if all.N+uint64(len(w.Wakeups)) == 0 {
		return
	}
	heading(s, trace.ReadyNotRunning)
	facts(s, "goroutines", ui.Say("waited %s in all for a P, %s: median %s, 99 %% %s, longest "+
		"%s; %s of that while all Ps ran others", ui.Duration(all.Sum),
		ui.Counted(all.N, "time", "times"), ui.Duration(all.P50), ui.Duration(all.P99),
		ui.Duration(all.Max), w.Load.Ready))
	table(s, w.Wakeups, "place", 1, "many made ready at|times|goroutines|at once|ready",
		func(x trace.Wakeups, add func(...any)) { add(x.Frame, x.N, x.Woken, x.Most, x.Ready) })
}

func calls(s *ui.Screen, c trace.Calls) {
	if c.Total+c.Unfinished+c.NotRun == 0 {
		return
	}
	heading(s, trace.CallsToThreads)
	facts(s, "calls", ui.Say("%v, %v of them in place; %v without their start or end, "+
		"%v refused or withdrawn", c.Total, c.InPlace, c.Unfinished, c.NotRun))
	table(s, c.Places, "place", 2, "kind|at|calls|queued|99 %|longest|ran|99 %|longest",
		func(p trace.CallPlace, add func(...any)) {
			q, r := p.Queued, p.Run // of as many calls
			add(p.Kind, p.Frame, q.N, q.P50, q.P99, q.Max, r.P50, r.P99, r.Max)
		})
	note(s, "Queued is the median time from the call to the start of the function, ran is the "+
		"median time of the function.")
}
