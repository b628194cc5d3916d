package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/screen"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/unit"
)

// A Text tells a reader what a [Report] says, in few words.
type Text struct{ *screen.Screen }

// Report writes all of it.
func (t Text) Report(r *Report) {
	t.opening(r)
	t.memory(r)
	t.population(r)
	t.moves(r)
	t.locked(r)
	t.calls(r)
}

func (t Text) say(format string, args ...any) { fmt.Fprintf(t, format, args...) }

func (t Text) heading(text string) { t.say("\n%s\n\n", t.Bold(text)) }

// fact writes something with a name before it.
func (t Text) fact(name, format string, args ...any) {
	t.Paragraph(fmt.Sprintf("  %-15s ", name), fmt.Sprintf(format, args...))
}

func (t Text) opening(r *Report) {
	about := fmt.Sprintf("%s of trace in the format of %s, %s events, %s", unit.Bytes(float64(r.Trace.Bytes)), r.Trace.Format,
		unit.Count(r.Trace.Events), unit.Duration(r.Trace.Duration))
	if r.Trace.GOMAXPROCS > 0 {
		about += fmt.Sprintf(", GOMAXPROCS %d", r.Trace.GOMAXPROCS)
	}
	t.Paragraph(t.Bold("threadcall trace")+"  ", r.Trace.Name)
	t.Paragraph(strings.Repeat(" ", 18), about)
	for _, w := range r.Warnings {
		t.Paragraph(t.Red("warning")+"  ", w)
	}
	t.say("\n")
	c := r.Table
	line := table{}
	line.add("goroutines", "heap", "threads", "bgsweep", "stop-the-world")
	line.add(unit.Count(c.Goroutines), unit.Bytes(float64(c.Heap)), unit.Count(c.Threads), unit.Duration(c.BgSweep),
		unit.Duration(c.STW))
	line.write(t.Screen)
}

func (t Text) memory(r *Report) {
	t.heading("Heap and collector")
	h, gc := r.Heap, r.GC
	picture{values: h.Allocated, line: h.Goal, end: r.Trace.Duration, write: unit.Bytes}.draw(t.Screen)
	if len(h.Allocated.Points) == 0 {
		t.fact("heap", "The trace does not tell its size.")
	} else {
		t.fact("heap", "first %s, last %s, peak %s; dots are the goal of the collector", unit.Bytes(float64(h.First)),
			unit.Bytes(float64(h.Last)), unit.Bytes(float64(h.Peak)))
		growth := fmt.Sprintf("%s a minute from first to last", signed(h.Growth))
		if l := h.Lows; l != nil {
			growth += fmt.Sprintf("; %s ± %s a minute between collections (%d lows, first %s, last %s)", signed(l.Growth),
				unit.Bytes(2*l.Error), l.N, unit.Bytes(float64(l.First)), unit.Bytes(float64(l.Last)))
		}
		t.fact("growth", "%s", growth)
	}
	collections := unit.Count(gc.Cycles)
	if gc.Mark.N > 0 {
		collections += fmt.Sprintf(", marking for %s in all (half of them %s or less, the longest %s)",
			unit.Nanoseconds(gc.Mark.Sum), unit.Nanoseconds(gc.Mark.P50), unit.Nanoseconds(gc.Mark.Max))
	}
	t.fact("collections", "%s", collections)
	if gc.Cycles > 0 {
		t.fact("collector", "workers ran %s, background sweeper %s; goroutines helped marking for %s (%s times) and swept "+
			"for %s", unit.Duration(gc.Workers), unit.Duration(gc.BgSweep), unit.Nanoseconds(gc.Assist.Sum),
			unit.Count(gc.Assist.N), unit.Nanoseconds(gc.Sweep.Sum))
	}
	t.fact("stop-the-world", "%s times, %s in all, the longest %s", unit.Count(r.Stops.All.N),
		unit.Nanoseconds(r.Stops.All.Sum), unit.Nanoseconds(r.Stops.All.Max))
	if len(r.Stops.Reasons) > 0 {
		reasons := table{left: 1}
		reasons.add("stopped for", "times", "in all", "half", "longest")
		for _, s := range r.Stops.Reasons {
			reason := s.Reason
			if s.Own {
				reason += " (not counted above)"
			}
			reasons.add(reason, unit.Count(s.Times.N), unit.Nanoseconds(s.Times.Sum), unit.Nanoseconds(s.Times.P50),
				unit.Nanoseconds(s.Times.Max))
		}
		t.say("\n")
		reasons.write(t.Screen)
	}
}

// signed writes a number of bytes with its sign.
func signed(n float64) string {
	if n > 0 {
		return "+" + unit.Bytes(n)
	}
	return unit.Bytes(n)
}

func (t Text) population(r *Report) {
	t.heading("Goroutines and threads")
	g, n := r.Goroutines, r.Threads
	whole := func(x float64) string { return unit.Count(uint64(x)) }
	picture{values: g.Existing, end: r.Trace.Duration, write: whole}.draw(t.Screen)
	t.fact("goroutines", "first %s, last %s (%s of them the runtime's), peak %s; %s began, %s ended", unit.Count(g.First),
		unit.Count(g.Last), unit.Count(g.System), unit.Count(g.Peak), unit.Count(g.Created), unit.Count(g.Ended))
	t.fact("threads", "%s ran goroutines, at most %s at a time", unit.Count(n.Total), unit.Count(n.Peak))
	if len(r.Functions) == 0 {
		return
	}
	t.say("\n")
	list := table{left: 1}
	list.add("goroutines of", "number", "ran", "ready", "syscall", "moves")
	for _, f := range r.Functions[:min(len(r.Functions), maxTop)] {
		list.add(symbol.Short(f.Name), unit.Count(f.Goroutines), unit.Duration(f.Running), unit.Duration(f.Runnable),
			unit.Duration(f.Syscall), unit.Count(f.Moves))
	}
	list.write(t.Screen)
}

func (t Text) moves(r *Report) {
	t.heading("From thread to thread")
	a := r.Affinity
	if a.Moves == 0 {
		t.fact("moves", "none: each of the %s goroutines that ran stayed on its thread", unit.Count(a.Goroutines))
		return
	}
	t.fact("moves", "%s, which is %s of %s executions of %s goroutines", unit.Count(a.Moves),
		unit.Share(float64(a.Moves), float64(a.Executions)), unit.Count(a.Executions), unit.Count(a.Goroutines))
	t.fact("why", "%s", list(a.Why, a.Moves))
	t.fact("how", "%s", list(a.Via, a.Moves))
	t.fact("a goroutine", "moved %.0f times (median), %.0f (of ten, the ninth), %.0f (the most); it was on %.0f, %.0f and "+
		"%.0f threads", a.Per.P50, a.Per.P90, a.Per.Max, a.On.P50, a.On.P90, a.On.Max)
	t.say("\n")
	most := table{left: 2}
	most.add("goroutine", "function", "moves", "executions", "threads", "most for")
	for _, m := range a.Top {
		most.add(fmt.Sprint(m.Goroutine), symbol.Short(m.Function), unit.Count(m.Moves), unit.Count(m.Executions),
			unit.Count(m.Threads), fmt.Sprintf("%s %s", m.Why[0].Name, unit.Share(float64(m.Why[0].N), float64(m.Moves))))
	}
	most.write(t.Screen)
}

// list writes counts as shares of their sum.
func list(counts []Count, of uint64) string {
	var parts []string
	for _, c := range counts {
		parts = append(parts, c.Name+" "+unit.Share(float64(c.N), float64(of)))
	}
	return strings.Join(parts, ", ")
}

func (t Text) locked(r *Report) {
	if len(r.Locked) == 0 {
		return
	}
	t.heading("Locked threads")
	threads := table{left: 2}
	threads.add("thread", "goroutine of", "ran", "syscall", "idle", "calls", "serving")
	for _, l := range r.Locked[:min(len(r.Locked), maxTop)] {
		calls, serving := "-", "-"
		if l.Evidence == ServesCalls {
			calls, serving = unit.Count(l.Calls), unit.Duration(l.Serving)
		}
		threads.add(fmt.Sprint(l.Thread), symbol.Short(l.Function), unit.Duration(l.Running), unit.Duration(l.Syscall),
			unit.Duration(l.Idle), calls, serving)
	}
	threads.write(t.Screen)
	if more := len(r.Locked) - maxTop; more > 0 {
		t.say("  and %d more\n", more)
	}
	if slices.ContainsFunc(r.Locked, func(l LockedThread) bool { return l.Evidence == HandedOver }) {
		t.say("\n")
		t.Paragraph("  ", "Those without calls are believed to be locked because other threads handed them a P each time.")
	}
}

func (t Text) calls(r *Report) {
	c := r.Calls
	if c.Total+c.Unfinished+c.NotRun == 0 {
		return
	}
	t.heading("Calls to threads")
	total := unit.Count(c.Total)
	for _, more := range []struct {
		n    uint64
		what string
	}{
		{c.InPlace, "of them in place"}, {c.Unfinished, "more of which the begin or the end is missing"}, {c.NotRun, "refused or withdrawn"},
	} {
		if more.n > 0 {
			total += fmt.Sprintf(", %s %s", unit.Count(more.n), more.what)
		}
	}
	t.fact("calls", "%s", total)
	if c.Total == 0 {
		return
	}
	t.say("\n")
	places := table{left: 1}
	places.add("", "calls", "queued", "99 %", "longest", "ran", "99 %", "longest")
	for _, p := range c.Places[:min(len(c.Places), maxTop)] {
		places.title(p.Kind + "  " + tail(at(p.Frame), 66))
		places.add("", unit.Count(p.N), unit.Nanoseconds(p.Queued.P50), unit.Nanoseconds(p.Queued.P99),
			unit.Nanoseconds(p.Queued.Max), unit.Nanoseconds(p.Run.P50), unit.Nanoseconds(p.Run.P99),
			unit.Nanoseconds(p.Run.Max))
	}
	places.write(t.Screen)
	if more := len(c.Places) - maxTop; more > 0 {
		t.say("  and %d places more\n", more)
	}
	t.say("\n")
	t.Paragraph("  ", "Queued is the median of the time from the call to the begin of the function, ran that of the function. "+
		"The calls that took longest:")
	t.say("\n")
	for i, w := range c.Worst {
		t.worst(i+1, w)
	}
}

// stackDepth is how many frames of a stack are shown.
const stackDepth = 4

func (t Text) worst(n int, c Call) {
	t.Paragraph(fmt.Sprintf("  %2d  ", n), fmt.Sprintf("%s: %s of goroutine %d at %s, queued %s, ran %s on thread %d, "+
		"returned after %s", unit.Duration(c.Total()), c.Kind, c.Goroutine, unit.Duration(c.At), unit.Duration(c.Queued),
		unit.Duration(c.Run), c.Thread, unit.Duration(c.Return)))
	t.stack("called by", c.From)
	if c.Stopped != nil {
		t.stack(fmt.Sprintf("stopped for %s (%s)", unit.Duration(c.Stopped.Time), c.Stopped.Reason), c.On)
	}
}

func (t Text) stack(title string, frames []Frame) {
	var shown []Frame
	for _, f := range frames {
		if len(shown) < stackDepth && !f.Own() && !strings.HasPrefix(f.Func, "runtime.") {
			shown = append(shown, f)
		}
	}
	if len(shown) == 0 {
		return
	}
	t.say("      %s\n", t.Faint(title))
	for _, f := range shown {
		t.say("        %s\n", tail(fmt.Sprintf("%s %s", symbol.Short(f.Func), spot(f)), max(20, t.Width-8)))
	}
}

// at names the place that a frame is.
func at(f Frame) string { return symbol.Short(f.Func) + " " + spot(f) }

func spot(f Frame) string {
	file := f.File[strings.LastIndexAny(f.File, `/\`)+1:]
	return fmt.Sprintf("%s:%d", file, f.Line)
}
