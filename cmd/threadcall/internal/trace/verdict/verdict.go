// Package verdict finds what stands out in a report on a trace. docs/trace.md has the rules.
package verdict

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// The limits of a verdict: of findings in all, and by one rule; and of the cost of one.
const (
	most        = 5
	mostForRule = 2
	least       = 10 * time.Millisecond
	brief       = 50 * time.Millisecond // of what is usual for a short time
)

type found struct {
	report.Finding
	cost time.Duration
}

// Of returns the findings, the most costly first. It is empty, not nil, if nothing stands out.
func Of(r *report.Report) []report.Finding {
	findings := []report.Finding{}
	if r.Trace.Duration <= 0 {
		return findings
	}
	costly := func(a, b found) int { return cmp.Compare(b.cost, a.cost) }
	var all []found
	for _, rule := range []func(*report.Report) []found{
		slowCalls, blocked, contention, bottleneck, systemCalls, slowWait, stalls, assists, wakeups,
		fullPs, queuedCalls, stops,
	} {
		list := rule(r)
		slices.SortStableFunc(list, costly)
		all = append(all, list[:min(len(list), mostForRule)]...)
	}
	slices.SortStableFunc(all, costly)
	all = slices.DeleteFunc(all, func(f found) bool { return f.cost < least })
	for _, f := range all[:min(len(all), most)] {
		f.At = min(max(f.At, 0), r.Trace.Duration)
		f.Length = min(f.Length, r.Trace.Duration-f.At)
		findings = append(findings, f.Finding)
	}
	return findings
}

// finding returns what a rule has found: a sentence, the table with the details, the moment, and
// the cost. Durations have three digits.
func finding(rule, table string, m report.Moment, cost time.Duration, format string,
	args ...any) found {
	return found{report.Finding{
		Rule: rule, Text: say(format, args...) + ".", Table: table, Moment: m,
	}, cost}
}

func say(format string, args ...any) string {
	for i, arg := range args {
		if d, ok := arg.(time.Duration); ok {
			args[i] = ui.Duration(d)
		}
	}
	return fmt.Sprintf(format, args...)
}

// at names a frame, and the frame that called it if there is one.
func at(f, from report.Frame) string {
	if from.Func == "" {
		return f.String()
	}
	return say("%s, called by %s", f, from)
}

func percent(part, whole time.Duration) string {
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(whole))
}

// Goroutines that were created in the trace and are blocked at its end, where almost no wait ended.
func blocked(r *report.Report) (list []found) {
	for _, b := range r.Waiting.Blocked {
		intended := slices.Contains([]string{"sleep", "network", "system call"}, b.Reason)
		if intended || b.N < 100 || b.New*2 < b.N || b.Ended*10 > b.N {
			continue
		}
		text := say("%s are still blocked at the end at %s (%s), for up to %s; %s waits there have ended",
			ui.Counted(b.N, "goroutine", "goroutines"), b.Frame, b.Reason, b.Longest, ui.Count(b.Ended))
		if len(b.Created) > 0 {
			text += say("; %s of them were created at %s", ui.Count(b.Created[0].N), b.Created[0].Frame)
		}
		m := report.Moment{At: r.Trace.Duration - b.Longest, Length: b.Longest}
		list = append(list, finding("blocked", "Blocked at the end", m, b.Sum, "%s", text))
	}
	return list
}

// Calls that OnSlowCall has reported, because of which the trace may have been written.
func slowCalls(r *report.Report) (list []found) {
	for _, c := range slices.Backward(r.Calls.Slow) {
		text := say("A slow call at %s had run for %s when it was reported", c.By, c.Running)
		if c.Waits != "" {
			text += say(", and waited (%s) for %s at %s", c.Waits, c.Waited, c.Place)
		}
		m := report.Moment{At: c.Begin(), Length: c.At - c.Begin(), Goroutine: c.Runner}
		list = append(list, finding("slow call", "Slow calls", m, math.MaxInt64, "%s", text))
	}
	return list
}

// A place where goroutines wait for one another, or for one of a limited number of connections:
// for a fifth of the trace, or for the length of the trace in sum.
func contention(r *report.Report) (list []found) {
	d := r.Trace.Duration
	for _, p := range r.Waiting.Places {
		sum := time.Duration(p.Times.Sum)
		what := say("for the %s locked at %s, which was contended %s of the time", p.Reason, p.Frame,
			percent(p.Contended, d))
		ended := "its holder unlocked it"
		switch p.Reason {
		case "mutex", "RWMutex":
		case "channel send", "channel receive", "select", "sync.Cond":
			if sum < d || float64(p.Shared) < 0.9*p.Times.Sum {
				continue
			}
			what = say("at %s (%s) for one another", p.Frame, p.Reason)
			ended = "the waits ended"
		case "HTTP connection", "database connection", "semaphore":
			what = say("at %s for a free %s", p.Frame, p.Reason)
			ended = "the waits ended"
		default:
			continue
		}
		if p.Contended*5 < d && sum < d {
			continue
		}
		if len(p.Wakers) > 0 && p.Wakers[0].Func != "?" {
			what += say("; %s at %s for %s of the waiting", ended, p.Wakers[0].Frame,
				percent(p.Wakers[0].Time, sum))
		}
		list = append(list, finding("contention", "Waiting", p.Longest, sum,
			"Goroutines waited %s in total (%s, the longest %s) %s", sum,
			ui.Counted(p.Times.N, "wait", "waits"), time.Duration(p.Times.Max), what))
	}
	return list
}

// A goroutine that hardly waits for others, while others wait for it: to send to it for 70 % of the
// trace, or in any way for 150 %, in which it is active for 60 %. Where all Ps are full, these are
// the reason.
func bottleneck(r *report.Report) (list []found) {
	d := float64(r.Trace.Duration)
	if float64(r.Waiting.Load.Full) > 0.8*d {
		return nil
	}
	for _, s := range r.Waiting.Servers {
		busy := s.Waits.N >= 10 && float64(s.Lived-s.Depended) > 0.6*d
		active := float64(s.Active) > 0.6*d && float64(s.Waits.Time) > 1.5*d
		if !busy || !active && float64(s.Sends) < 0.7*d {
			continue
		}
		doing := map[string]string{"ran": "ran", "system call": "was in system calls"}[s.Most.Doing]
		if doing == "" {
			doing = "waited (" + s.Most.Doing + ")"
		}
		list = append(list, finding("bottleneck", "Goroutines and threads", s.Most.Longest,
			s.Waits.Time,
			"Goroutines waited %s in total for goroutine %d of %s, which %s for %s of %s at %s",
			s.Waits.Time, s.Goroutine, symbol.Short(s.Function), doing, s.Most.Time, s.Lived,
			at(s.Most.Frame, s.Most.From)))
	}
	return list
}

// System calls at one place that take a fifth of the trace and of the time for which goroutines run
// or are in system calls. Those of one goroutine that waits for input do not count.
func systemCalls(r *report.Report) (list []found) {
	var active time.Duration
	for _, f := range r.Functions {
		active += f.Running + f.Syscall
	}
	for _, p := range r.Waiting.Places {
		sum := time.Duration(p.Times.Sum)
		if p.Reason != "system call" || p.Times.N < 4 || p.Times.Half < 50e3 || sum < brief ||
			sum*5 < max(active, r.Trace.Duration) ||
			through(p, "accept", "wait", "poll", "select", "kevent", "sleep") ||
			p.Contended*3 > sum*2 && through(p, "read", "recv", "cgocall") {
			continue
		}
		list = append(list, finding("system calls", "Waiting", p.Longest, sum,
			"System calls at %s took %s, %s of the time that goroutines ran or were in system calls (%s, "+
				"the longest %s)", at(p.Frame, p.From), sum, percent(sum, active),
			ui.Counted(p.Times.N, "call", "calls"), time.Duration(p.Times.Max)))
	}
	return list
}

// through reports whether the program waits at a place in a function of a library with one of these
// words in its name.
func through(p report.WaitPlace, words ...string) bool {
	for _, f := range p.Stack {
		if f == p.Frame {
			break
		}
		name := strings.ToLower(f.Func[strings.LastIndexAny(f.Func, "./")+1:])
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) }) {
			return true
		}
	}
	return false
}

// A wait of the program for the network or in a system call that lasted for a tenth of the trace,
// unlike others there.
func slowWait(r *report.Report) (list []found) {
	what := map[string]string{"network": "A wait for input or output", "system call": "A system call"}
	for _, p := range r.Waiting.Places {
		long := p.Longest.Length
		intended := through(p, "accept") || p.Reason == "system call" && through(p, "wait")
		unusual := p.Times.N <= 3 || float64(long) >= 10*p.Times.P50
		short := long < 100*time.Millisecond || long*10 < r.Trace.Duration
		if p.Library || what[p.Reason] == "" || short || !unusual || intended {
			continue
		}
		list = append(list, finding("slow wait", "Waiting", p.Longest, long,
			"%s at %s took %s, %s of the trace, in goroutine %d", what[p.Reason], at(p.Frame, p.From), long,
			percent(long, r.Trace.Duration), p.Longest.Goroutine))
	}
	return list
}

// frame is the time between two pictures at 60 a second.
const frame = 16 * time.Millisecond

// The main goroutine waits at one place again and again, and for more than a frame at another one,
// which is rare. If it changes threads, it is taken for the loop of an interface if it waits there
// for half of the time, 20 times a second, and two frames are the limit.
func stalls(r *report.Report) (list []found) {
	loop, limit := r.Waiting.Loop, frame
	switch {
	case loop == nil:
		return nil
	case loop.Moved && (loop.Time*2 < loop.Span || time.Duration(loop.N)*time.Second/20 < loop.Span):
		return nil
	case loop.Moved:
		limit *= 2
	}
	for _, s := range loop.Stalls {
		if s.Longest.Length <= limit || s.N*8 > loop.N {
			continue
		}
		doing := "waited (" + s.Doing + ")"
		if s.Doing == "system call" {
			doing = "was in a system call"
		}
		list = append(list, finding("stall", "Goroutines and threads", s.Longest, s.Longest.Length,
			"The main goroutine, a loop around %s, %s for %s at %s; a frame at 60 Hz is 16.7 ms",
			loop.Frame, doing, s.Longest.Length, at(s.Frame, s.From)))
	}
	return list
}

// GC assists that take a tenth of the trace and of what goroutines of a function do; or, with the
// collector's workers, a quarter of the time for which goroutines run.
func assists(r *report.Report) []found {
	all := r.GC.Assist
	var most report.Function
	var ran time.Duration
	for _, f := range r.Functions {
		ran += f.Running
		if f.Assist > most.Assist {
			most = f
		}
	}
	lived := most.Running + most.Runnable + most.Waiting + most.Syscall
	cost := all.Time + r.GC.Workers
	little := all.Time < brief || all.Time*10 < r.Trace.Duration
	if len(all.Sites) == 0 || little || most.Assist*10 < lived && cost*4 < ran {
		return nil
	}
	sites := ""
	for i, s := range all.Sites[:min(len(all.Sites), 3)] {
		sites += say("%s %s %s", []string{":", ",", ","}[i], s.Frame, percent(s.Time, all.Time))
	}
	whole := report.Moment{Length: r.Trace.Duration}
	return []found{finding("assists", "Heap and collector", whole, cost,
		"GC assists took %s, %s of the time of %s of %s, and the workers of the collector %s; "+
			"allocation sites%s", all.Time, percent(most.Assist, lived),
		ui.Counted(most.Goroutines, "goroutine", "goroutines"), symbol.Short(most.Name), r.GC.Workers,
		sites)}
}

// Wake-ups of many goroutines at once, again and again, for which these are ready for half of the
// trace.
func wakeups(r *report.Report) (list []found) {
	for _, w := range r.Waiting.Wakeups {
		if w.N < 3 || w.Ready*2 < r.Trace.Duration {
			continue
		}
		list = append(list, finding("wake-ups", "Ready, but not running", w.Largest, w.Ready,
			"One wake-up at %s made up to %s goroutines ready (%s in %s), which were ready for %s in "+
				"total before they ran", w.Frame, ui.Count(w.Most), ui.Counted(w.Woken, "goroutine",
				"goroutines"), ui.Counted(w.N, "wake-up", "wake-ups"), w.Ready))
	}
	return list
}

// All Ps ran goroutines for half of the trace, while others were ready for half of the trace, or
// timers and the network late for a tenth.
func fullPs(r *report.Report) []found {
	l, d := r.Waiting.Load, r.Trace.Duration
	late := l.Late.N >= 10 && l.Late.Time*10 >= d
	if len(r.Functions) == 0 || l.Full < brief || l.Full*2 < d || l.Ready*2 < d && !late {
		return nil
	}
	most, more, m := r.Functions[0], "", l.Latest
	if late {
		more = say("; %s ended only when a P was free, up to %s late", ui.Counted(l.Late.N,
			"wait for a timer or the network", "waits for timers or the network"), l.Latest.Length)
	}
	if m.Length == 0 {
		m = report.Moment{Length: d}
	}
	return []found{finding("full Ps", "Goroutines and threads", m, max(l.Ready, l.Late.Time),
		"The Ps were full for %s of the time, mostly with %s, which ran %s, most of it at %s; others "+
			"were ready for %s in total meanwhile%s", percent(l.Full, d), symbol.Short(most.Name),
		most.Running, at(most.RanAt.Frame, most.RanAt.From), l.Ready, more)}
}

// Calls of threadcall that were queued for a tenth of the trace in sum, and one in a hundred for
// ten milliseconds.
func queuedCalls(r *report.Report) (list []found) {
	for _, p := range r.Calls.Places {
		p99, sum := time.Duration(p.Queued.P99), time.Duration(p.Queued.Sum)
		if p99 < 10*time.Millisecond || sum*10 < r.Trace.Duration {
			continue
		}
		list = append(list, finding("queued calls", "Calls to threads", p.Longest, sum,
			"%s at %s were queued for %s in total (99 %% of them for %s or less), and their "+
				"functions ran %s",
			ui.Counted(p.Queued.N, "call", "calls"), p.Frame, sum, p99, time.Duration(p.Run.Sum)))
	}
	return list
}

// Stops of the world that took ten milliseconds at once, or a twentieth of the trace.
func stops(r *report.Report) []found {
	all, sum := r.Stops.All, time.Duration(r.Stops.All.Sum)
	short := time.Duration(all.Max) < least && sum*20 < r.Trace.Duration
	if short {
		return nil
	}
	longest := r.Stops.Longest
	return []found{finding("stop-the-world", "Heap and collector",
		report.Moment{At: longest.At, Length: longest.Length}, sum,
		"The world was stopped %s for %s in total, the longest time for %s (%s)",
		ui.Counted(all.N, "time", "times"), sum, longest.Length, longest.What)}
}
