// Package verdict finds what stands out in a report on a trace. docs/trace.md has the rules.
package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// The limits of a verdict: in all, and for one rule.
const (
	most        = 5
	mostForRule = 2
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
		blocked, contention, slowWait, queuedCalls, latency, stops,
	} {
		list := rule(r)
		slices.SortStableFunc(list, costly)
		all = append(all, list[:min(len(list), mostForRule)]...)
	}
	slices.SortStableFunc(all, costly)
	for _, f := range all[:min(len(all), most)] {
		f.At = min(max(f.At, 0), r.Trace.Duration)
		f.Length = min(f.Length, r.Trace.Duration-f.At)
		findings = append(findings, f.Finding)
	}
	return findings
}

// finding returns what a rule has found: a sentence, the table with the details, the moment that
// the page shows, and the cost. Durations have three digits.
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
		text := say("%s are still blocked at the end at %s in %s, for up to %s",
			ui.Counted(b.N, "goroutine", "goroutines"), b.Frame, reasonText(b.Reason), b.Longest)
		if len(b.Created) > 0 {
			number := ui.Count(b.Created[0].N) + " of them"
			if b.Created[0].N == b.N {
				number = "all"
			}
			text += say("; %s were created at %s", number, b.Created[0].Frame)
		}
		if b.Ended == 0 {
			text += "; no wait there has ended"
		}
		m := report.Moment{At: r.Trace.Duration - b.Longest, Length: b.Longest}
		list = append(list, finding("blocked", "blocked", m, b.Sum, "%s", text))
	}
	return list
}

func reasonText(reason string) string {
	switch reason {
	case "channel send", "channel receive", "select":
		return "a " + reason
	case "forever":
		return "a select or on a channel that never continues"
	}
	return "a wait for a " + reason
}

// A mutex for which goroutines wait for a fifth of the trace, or for the length of the trace in
// sum.
func contention(r *report.Report) (list []found) {
	d := r.Trace.Duration
	for _, p := range r.Waiting.Places {
		sum := time.Duration(p.Times.Sum)
		if p.Reason != "mutex" && p.Reason != "RWMutex" || p.Contended*5 < d && sum < d {
			continue
		}
		holder := ""
		if len(p.Wakers) > 0 && p.Wakers[0].Func != "?" {
			holder = say("; its holder unlocked it at %s for %s of the waiting", p.Wakers[0].Frame,
				percent(p.Wakers[0].Time, sum+p.Earlier.Time))
		}
		list = append(list, finding("contention", "waits", p.Longest, sum,
			"Goroutines waited %s in total (%s, the longest %s) for the %s locked at %s, which was "+
				"contended %s of the time%s", sum, ui.Counted(p.Times.N, "wait", "waits"),
			time.Duration(p.Times.Max), p.Reason, p.Frame, percent(p.Contended, d), holder))
	}
	return list
}

// A wait of the program for the network or in a system call that lasted for a tenth of the trace,
// unlike others there.
func slowWait(r *report.Report) (list []found) {
	what := map[string]string{"network": "A wait for input or output", "system call": "A system call"}
	for _, p := range r.Waiting.Places {
		long := p.Longest.Length
		unusual := p.Times.N <= 3 || float64(long) >= 10*p.Times.P50
		short := long < 100*time.Millisecond || long*10 < r.Trace.Duration
		if p.Library || what[p.Reason] == "" || short || !unusual || accepts(p) {
			continue
		}
		list = append(list, finding("slow wait", "waits", p.Longest, long,
			"%s at %s took %s, %s of the trace, in goroutine %d", what[p.Reason], p.Frame, long,
			percent(long, r.Trace.Duration), p.Longest.Goroutine))
	}
	return list
}

// accepts reports whether the program waits for connections at a place.
func accepts(p report.WaitPlace) bool {
	for _, f := range p.Stack {
		if f.Func == p.Func {
			break
		}
		if strings.HasSuffix(strings.ToLower(f.Func), ".accept") {
			return true
		}
	}
	return false
}

// Calls of threadcall that were queued for a tenth of the trace in sum, and one in a hundred for
// ten milliseconds.
func queuedCalls(r *report.Report) (list []found) {
	for _, p := range r.Calls.Places {
		p99, sum := time.Duration(p.Queued.P99), time.Duration(p.Queued.Sum)
		if p99 < 10*time.Millisecond || sum*10 < r.Trace.Duration {
			continue
		}
		m := report.Moment{Length: r.Trace.Duration}
		for _, c := range r.Calls.Worst {
			if caller := c.Caller(); len(caller) > 0 && caller[0] == p.Frame {
				m = report.Moment{At: c.At, Length: c.Total()}
				break
			}
		}
		list = append(list, finding("queued calls", "places", m, sum,
			"%s at %s were queued for %s in total (99 %% of them for %s or less), and their "+
				"functions ran %s",
			ui.Counted(p.N, "call", "calls"), p.Frame, sum, p99, time.Duration(p.Run.Sum)))
	}
	return list
}

// Ready goroutines that waited for a P for a quarter of the time that goroutines ran, and one in a
// hundred for ten milliseconds.
func latency(r *report.Report) []found {
	l := r.Waiting.Latency
	sum, p99 := time.Duration(l.All.Sum), time.Duration(l.All.P99)
	i := slices.IndexFunc(l.Places, func(p report.LatencyPlace) bool { return p.How != "runtime" })
	if sum*4 < r.Waiting.Running || p99 < 10*time.Millisecond || i < 0 {
		return nil
	}
	p, procs, how := l.Places[i], "", l.Places[i].How
	if r.Trace.GOMAXPROCS > 0 {
		procs = fmt.Sprintf(" with GOMAXPROCS %d", r.Trace.GOMAXPROCS)
	}
	if how == "system call" {
		how = "back from a system call"
	}
	return []found{finding("latency", "latency", p.Longest, sum,
		"Goroutines that were ready waited %s in total for a P (99 %% of the times %s or less), and "+
			"ran %s%s; most of them were %s at %s", sum, p99, r.Waiting.Running, procs, how, p.Frame)}
}

// Stops of the world that took ten milliseconds at once, or a twentieth of the trace.
func stops(r *report.Report) []found {
	all, sum := r.Stops.All, time.Duration(r.Stops.All.Sum)
	brief := time.Duration(all.Max) < 10*time.Millisecond && sum*20 < r.Trace.Duration
	if len(r.Stops.Longest) == 0 || brief {
		return nil
	}
	longest := r.Stops.Longest[0]
	return []found{finding("stop-the-world", "stops",
		report.Moment{At: longest.At, Length: longest.Length}, sum,
		"The world was stopped %s for %s in total, the longest time for %s (%s)",
		ui.Counted(all.N, "time", "times"), sum, longest.Length, longest.What)}
}
