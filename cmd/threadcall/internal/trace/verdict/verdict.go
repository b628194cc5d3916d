// Package verdict finds what stands out in a report on a trace. docs/trace.md has the rules.
package verdict

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// The limits of a verdict: in all, and for one rule.
const (
	most        = 5
	mostForRule = 2
)

// A rule returns what it finds, with the time that it cost.
type rule func(r *report.Report) []found

type found struct {
	report.Finding
	cost time.Duration
}

var rules = []struct {
	name string
	rule rule
}{
	{"blocked", blocked}, {"contention", contention}, {"slow wait", slowWait}, {"queued calls", queuedCalls},
	{"latency", latency}, {"assist", assist}, {"stop-the-world", stops}, {"heap", heap},
}

// Of returns the findings, the most costly first. It is empty, not nil, if nothing stands out.
func Of(r *report.Report) []report.Finding {
	if r.Trace.Duration <= 0 {
		return []report.Finding{}
	}
	var all []found
	for _, rule := range rules {
		list := rule.rule(r)
		slices.SortStableFunc(list, costly)
		for _, f := range list[:min(len(list), mostForRule)] {
			f.Rule = rule.name
			f.At = min(max(f.At, 0), r.Trace.Duration)
			f.Length = min(f.Length, r.Trace.Duration-f.At)
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, costly)
	findings := []report.Finding{}
	for _, f := range all[:min(len(all), most)] {
		findings = append(findings, f.Finding)
	}
	return findings
}

func costly(a, b found) int { return cmp.Compare(b.cost, a.cost) }

// Place names a frame in a sentence.
func Place(f report.Frame) string {
	if f.File == "" {
		return symbol.Short(f.Func)
	}
	return fmt.Sprintf("%s (%s:%d)", symbol.Short(f.Func), path.Base(strings.ReplaceAll(f.File, `\`, "/")), f.Line)
}

func percent(part, whole time.Duration) string {
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(whole))
}

// Goroutines that were created in the trace and are blocked at its end, where almost no wait ended.
func blocked(r *report.Report) (list []found) {
	for _, b := range r.Waiting.Blocked {
		if b.N < 100 || b.New*2 < b.N || b.Ended*10 > b.N || b.Reason == "sleep" || b.Reason == "network" || b.Reason == "system call" {
			continue
		}
		text := fmt.Sprintf("%s are still blocked at the end at %s in %s, for up to %s", ui.Counted(b.N, "goroutine", "goroutines"),
			Place(b.Frame), reasonText(b.Reason), ui.Duration(b.Longest))
		if len(b.Created) > 0 {
			number := ui.Count(b.Created[0].N) + " of them"
			if b.Created[0].N == b.N {
				number = "all"
			}
			text += fmt.Sprintf("; %s were created at %s", number, Place(b.Created[0].Frame))
		}
		if b.Ended == 0 {
			text += "; no wait there has ended"
		}
		list = append(list, found{finding(text, "blocked", r.Trace.Duration-b.Longest, b.Longest), b.Sum})
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

// A mutex for which goroutines wait for a fifth of the trace or more, or for the length of the trace in sum.
func contention(r *report.Report) (list []found) {
	d := r.Trace.Duration
	for _, p := range r.Waiting.Places {
		if p.Reason != "mutex" && p.Reason != "RWMutex" || p.Contended*5 < d && time.Duration(p.Times.Sum) < d {
			continue
		}
		text := fmt.Sprintf("Goroutines waited %s in total (%s, the longest %s) for the %s locked at %s, which was contended %s of the time",
			ui.Duration(p.Times.Sum), ui.Counted(p.Times.N, "wait", "waits"), ui.Duration(p.Times.Max), p.Reason, Place(p.Frame),
			percent(p.Contended, d))
		if len(p.Wakers) > 0 && p.Wakers[0].Func != "?" {
			text += fmt.Sprintf("; its holder unlocked it at %s for %s of the waiting", Place(p.Wakers[0].Frame),
				percent(p.Wakers[0].Time, time.Duration(p.Times.Sum)+p.Earlier.Time))
		}
		list = append(list, found{finding(text, "waits", p.Longest.At, p.Longest.Length), time.Duration(p.Times.Sum)})
	}
	return list
}

// A wait of the program for the network or in a system call that lasted for a tenth of the trace, unlike others there.
func slowWait(r *report.Report) (list []found) {
	for _, p := range r.Waiting.Places {
		long := p.Longest.Length
		unusual := p.Times.N <= 3 || float64(long) >= 10*p.Times.P50
		if p.Library || p.Reason != "network" && p.Reason != "system call" || long < 100*time.Millisecond || long*10 < r.Trace.Duration || !unusual ||
			accepts(p) {
			continue
		}
		what := "A wait for input or output"
		if p.Reason == "system call" {
			what = "A system call"
		}
		text := fmt.Sprintf("%s at %s took %s, %s of the trace, in goroutine %d", what, Place(p.Frame), ui.Duration(long),
			percent(long, r.Trace.Duration), p.Longest.Goroutine)
		list = append(list, found{finding(text, "waits", p.Longest.At, long), long})
	}
	return list
}

// accepts reports whether the program waits for connections at a place.
func accepts(p report.WaitPlace) bool {
	for _, f := range p.Stack {
		if f.Func == p.Func {
			break
		}
		if strings.HasSuffix(f.Func, ".Accept") || strings.HasSuffix(f.Func, ".accept") {
			return true
		}
	}
	return false
}

// Calls of threadcall that were queued for a tenth of the trace in sum, and one in a hundred for ten milliseconds.
func queuedCalls(r *report.Report) (list []found) {
	for _, p := range r.Calls.Places {
		if time.Duration(p.Queued.P99) < 10*time.Millisecond || time.Duration(p.Queued.Sum)*10 < r.Trace.Duration {
			continue
		}
		text := fmt.Sprintf("%s at %s were queued for %s in total (99 %% of them for %s or less), and their functions ran %s",
			ui.Counted(p.N, "call", "calls"), Place(p.Frame), ui.Duration(p.Queued.Sum), ui.Duration(p.Queued.P99), ui.Duration(p.Run.Sum))
		f := finding(text, "places", 0, r.Trace.Duration)
		for _, c := range r.Calls.Worst {
			if caller := c.Caller(); len(caller) > 0 && caller[0] == p.Frame {
				f.At, f.Length = c.At, c.Total()
				break
			}
		}
		list = append(list, found{f, time.Duration(p.Queued.Sum)})
	}
	return list
}

// Ready goroutines that waited for a P for a quarter of the time that goroutines ran, and one in a hundred for ten milliseconds.
func latency(r *report.Report) []found {
	l := r.Waiting.Latency
	if l.All.Sum*4 < float64(r.Waiting.Running) || time.Duration(l.All.P99) < 10*time.Millisecond || len(l.Places) == 0 {
		return nil
	}
	i := slices.IndexFunc(l.Places, func(p report.LatencyPlace) bool { return p.How != "runtime" })
	if i < 0 {
		return nil
	}
	p := l.Places[i]
	text := fmt.Sprintf("Goroutines that were ready waited %s in total for a P (99 %% of the times %s or less), and ran %s", ui.Duration(l.All.Sum),
		ui.Duration(l.All.P99), ui.Duration(r.Waiting.Running))
	if r.Trace.GOMAXPROCS > 0 {
		text += fmt.Sprintf(" with GOMAXPROCS %d", r.Trace.GOMAXPROCS)
	}
	text += fmt.Sprintf("; most of them were %s at %s", howText(p.How), Place(p.Frame))
	return []found{{finding(text, "latency", p.Longest.At, p.Longest.Length), time.Duration(l.All.Sum)}}
}

func howText(how string) string {
	switch how {
	case "system call":
		return "back from a system call"
	case "mutex hand-off":
		return "handing off a mutex"
	}
	return how
}

// Assists that took a twentieth of the time that goroutines ran.
func assist(r *report.Report) []found {
	a := r.GC.Assist
	sum := a.Sum()
	if sum < 10*time.Millisecond || sum*20 < r.Waiting.Running || len(a.Places) == 0 {
		return nil
	}
	p := a.Places[0]
	text := fmt.Sprintf("Goroutines that allocate assisted the collector for %s: they worked %s, waited %s for credit, and waited %s for a P; "+
		"%s of it at %s", ui.Duration(sum), ui.Duration(a.Worked), ui.Duration(a.Waited), ui.Duration(a.Ready),
		percent(p.Sum(), sum), Place(p.Frame))
	f := finding(text, "assists", 0, r.Trace.Duration)
	if marks := r.GC.Longest; len(marks) > 0 {
		f.At, f.Length = marks[0].At, marks[0].Length
	}
	return []found{{f, sum}}
}

// Stops of the world that took ten milliseconds at once, or a twentieth of the trace.
func stops(r *report.Report) []found {
	s := r.Stops
	if len(s.Longest) == 0 || time.Duration(s.All.Max) < 10*time.Millisecond && time.Duration(s.All.Sum)*20 < r.Trace.Duration {
		return nil
	}
	longest := s.Longest[0]
	text := fmt.Sprintf("The world was stopped %s for %s in total, the longest time for %s (%s)", ui.Counted(s.All.N, "time", "times"),
		ui.Duration(s.All.Sum), ui.Duration(longest.Length), longest.What)
	return []found{{finding(text, "stops", longest.At, longest.Length), time.Duration(s.All.Sum)}}
}

// A heap that grew by a quarter between collections, and by more than the error.
func heap(r *report.Report) []found {
	l := r.Heap.Lows
	if l == nil || l.N < 5 || l.Growth <= 2*l.Error || l.Growth*r.Trace.Duration.Minutes()*4 < float64(l.First) {
		return nil
	}
	text := fmt.Sprintf("The memory that collections leave grew from %s to %s, by %s ± %s a minute", ui.Bytes(l.First), ui.Bytes(l.Last),
		ui.Bytes(l.Growth), ui.Bytes(2*l.Error))
	return []found{{finding(text, "stops", 0, r.Trace.Duration), 0}}
}

func finding(text, table string, at, length time.Duration) report.Finding {
	return report.Finding{Text: text + ".", Table: table, At: at, Length: length}
}
