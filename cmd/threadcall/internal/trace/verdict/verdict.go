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
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/report/trace"
)

// The limits of a verdict: of findings in all, and by one rule; and of the cost of one.
const (
	most        = 5
	mostForRule = 2
	least       = 10 * time.Millisecond
	brief       = 50 * time.Millisecond // of what is usual for a short time
	shortRun    = 5e3                   // nanoseconds of a goroutine between two switches
)

// A verdict looks into a report. Its rules add what they find.
type verdict struct {
	*trace.Report
	found []found
}

type found struct {
	trace.Finding
	cost time.Duration
}

// Of returns the findings, the most costly first. It is empty, not nil, if nothing stands out.
func Of(r *trace.Report) []trace.Finding {
	findings := []trace.Finding{}
	if r.Trace.Duration <= 0 {
		return findings
	}
	v := &verdict{Report: r}
	for _, rule := range []func(){v.slowCalls, v.blocked, v.contention, v.finalizers, v.handOvers,
		v.fullPs, v.mainWaits, v.bottleneck, v.systemCalls, v.slowWait, v.stalls, v.collections,
		v.wakeups, v.queuedCalls, v.stops} {
		rule()
	}
	slices.SortStableFunc(v.found, func(a, b found) int { return cmp.Compare(b.cost, a.cost) })
	by := map[string]int{}
	for _, f := range v.found {
		if by[f.Rule]++; by[f.Rule] <= mostForRule && f.cost >= least && len(findings) < most {
			f.At = min(max(f.At, 0), r.Trace.Duration)
			f.Length = min(f.Length, r.Trace.Duration-f.At)
			findings = append(findings, f.Finding)
		}
	}
	return findings
}

// add adds what a rule has found: a sentence, the table with the details, the moment, and the cost.
// Durations have three digits.
func (v *verdict) add(rule, table string, m trace.Moment, cost time.Duration, format string,
	args ...any) {
	v.found = append(v.found, found{trace.Finding{
		Rule: rule, Text: ui.Say(format, args...) + ".", Table: table, Moment: m,
	}, cost})
}

// has reports whether a rule that comes before has found something.
func (v *verdict) has(rule string) bool {
	return slices.ContainsFunc(v.found, func(f found) bool { return f.Rule == rule })
}

// at names a place, and what called it if that is known.
func at(p trace.Place) string {
	switch {
	case p.Func == trace.NoFunction:
		return ""
	case p.From.Func == "":
		return ui.Say(" at %s", p.Frame)
	}
	return ui.Say(" at %s, called by %s", p.Frame, p.From)
}

// doing says what a goroutine did, for how long, and where.
func doing(d trace.Deed, length string) string {
	what := map[string]string{trace.Ran: "ran", trace.Ready: "was ready, but did not run,",
		trace.Sleep: "slept", trace.SystemCall: "was in a system call",
		trace.Network: "waited for the network", trace.HTTP: "waited for HTTP",
		trace.Runtime: "waited for the collector"}[d.Doing]
	if what == "" {
		what = "waited (" + d.Doing + ")"
	}
	switch {
	case d.Doing == trace.HTTP, d.Doing == trace.Ran, d.Doing == trace.Ready:
		d.In = ""
	case strings.HasPrefix(d.In, "os."): // a pipe, which is a network for the runtime, or a file
		what = "waited"
	}
	if d.In != "" {
		what += " in " + d.In
	}
	return what + length + at(d.Place)
}

// of says how much of a time something took.
func of(part, whole time.Duration) string { return ui.Say(" for %s of %s", part, whole) }

// enders are the goroutines that a cause is about, unless they have a better name.
const enders = "those that ended the waits"

// cause says what a goroutine did for which others waited, if that is most of a time.
func cause(p trace.WaitPlace, who string, whole time.Duration) string {
	if len(p.Causes) == 0 || p.Causes[0].Time*2 < whole {
		return ""
	}
	c := p.Causes[0]
	text := "; " + who + " " + doing(c.Deed, of(c.Time, whole))
	if c.Root != nil && c.Doing != trace.HTTP {
		text += ", for one that " + doing(*c.Root, "")
	}
	return text
}

func percent(part, whole time.Duration) string {
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(whole))
}

// Goroutines that were created in the trace and are blocked at its end, where almost no wait ended.
func (v *verdict) blocked() {
	for _, b := range v.Waiting.Blocked {
		intended := slices.Contains([]string{trace.Sleep, trace.Network, trace.SystemCall}, b.Reason)
		if intended || b.N < 100 || b.New*2 < b.N || b.Ended*10 > b.N {
			continue
		}
		n := ui.Counted(b.N, "goroutine", "goroutines")
		text := ui.Say("%s are still blocked at the end at %s (%s), for up to %s; %v waits there "+
			"have ended", n, b.Frame, b.Reason, b.Longest, b.Ended)
		if len(b.Created) > 0 {
			text += ui.Say("; %v of them were created at %s", b.Created[0].N, b.Created[0].Frame)
		}
		m := trace.Moment{At: v.Trace.Duration - b.Longest, Length: b.Longest}
		v.add("blocked", trace.BlockedAtEnd, m, b.Sum, "%s", text)
	}
}

// Calls that OnSlowCall has reported, because of which the trace may have been written.
func (v *verdict) slowCalls() {
	for _, c := range slices.Backward(v.Calls.Slow) {
		text := ui.Say("A slow call at %s had run for %s when it was reported", c.By, c.Running)
		if c.Waits != "" {
			text += ui.Say(", and waited (%s) for %s at %s", c.Waits, c.Waited, c.Place)
		}
		m := trace.Moment{At: c.Begin(), Length: c.At - c.Begin(), Goroutine: c.Runner}
		v.add("slow call", trace.SlowCalls, m, math.MaxInt64, "%s", text)
	}
}

// A place where goroutines wait for one another, or for one of a limited number of connections:
// for a fifth of the trace, or for the length of the trace in sum.
func (v *verdict) contention() {
	d := v.Trace.Duration
	for _, p := range v.Waiting.Places {
		sum := time.Duration(p.Times.Sum)
		what, who, ended := "", enders, "the waits ended"
		switch p.Reason {
		case trace.Mutex, trace.RWMutex:
			who, ended = "its holder", "its holder unlocked it"
			what = ui.Say("for the %s locked at %s, which was contended %s of the time", p.Reason,
				p.Frame, percent(p.Contended, d))
		case trace.ChannelSend, trace.ChannelReceive, trace.Select, trace.Cond:
			if sum < d || float64(p.Shared) < 0.9*p.Times.Sum {
				continue
			}
			what = ui.Say("at %s (%s) for one another", p.Frame, p.Reason)
		case trace.HTTPConnection, trace.DatabaseConnection, trace.Semaphore:
			what = ui.Say("at %s for a free %s", p.Frame, p.Reason)
		default:
			continue
		}
		if p.Contended*5 < d && sum < d {
			continue
		}
		if because := cause(p, who, p.Contended); because != "" {
			what += because
		} else if len(p.Wakers) > 0 && p.Wakers[0].Func != trace.NoFunction {
			what += ui.Say("; %s at %s for %s of the waiting", ended, p.Wakers[0].Frame,
				percent(p.Wakers[0].Time, sum))
		}
		v.add("contention", trace.Waits, p.Longest, sum,
			"Goroutines waited %s in total (%s, the longest %s) %s", sum,
			ui.Counted(p.Times.N, "wait", "waits"), time.Duration(p.Times.Max), what)
	}
}

// Waits for a finalizer or a cleanup, of which one runs at a time, for a fifth of the trace.
func (v *verdict) finalizers() {
	for _, p := range v.Waiting.Places {
		for _, w := range p.Wakers {
			if w.By == "" || w.Time*5 < v.Trace.Duration {
				continue
			}
			v.add("finalizers", trace.Waits, p.Longest, w.Time,
				"Goroutines waited %s in total (%s) at %s (%s) for the %s at %s%s", w.Time,
				ui.Counted(w.N, "wait", "waits"), p.Frame, p.Reason, w.By, w.Frame,
				cause(p, "the "+w.By, p.Contended))
		}
	}
}

// Waits of the main goroutine for half of the trace: for an answer, itself or by another goroutine,
// or until what it sends to lets it continue.
func (v *verdict) mainWaits() {
	answer := func(d trace.Deed) bool {
		return slices.Contains([]string{trace.HTTP, trace.HTTPConnection, trace.Network}, d.Doing)
	}
	for _, p := range v.Waiting.Places {
		did := trace.Deed{Doing: p.Reason, Place: p.Place}
		because := cause(p, enders, p.Main)
		switch c := p.Causes; {
		case p.Main*2 < v.Trace.Duration || through(p, "accept"):
			continue
		case p.Reason == trace.HTTP, p.Reason == trace.Network && !strings.HasPrefix(p.In, "os."):
			because = "" // inside of a library
		case p.Reason == trace.ChannelSend && !v.has("full Ps"):
		case because == "" || !answer(c[0].Deed) && (c[0].Root == nil || !answer(*c[0].Root)):
			continue
		}
		v.add("main", trace.Waits, p.Longest, p.Main, "The main goroutine %s%s",
			doing(did, of(p.Main, v.Trace.Duration)), because)
	}
}

// Goroutines that make each other ready again and again, and are ready for a third of the time or
// more. Medians tell that, because a machine that stops the process prolongs some of the times.
func (v *verdict) handOvers() {
	var most trace.WaitPlace
	var n, ready, ran, half, halfReady float64
	for _, p := range v.Waiting.Places {
		if len(p.Wakers) == 0 || byTimer(p) || p.Times.N < 1000 || p.Ran.P50 > shortRun ||
			p.Ready.P50 > 20*shortRun || slices.Contains([]string{trace.Mutex, trace.RWMutex,
			trace.RuntimeLock}, p.Reason) {
			continue
		}
		n, ready, ran = n+float64(p.Times.N), ready+p.Ready.Sum, ran+p.Ran.Sum
		halfReady += float64(p.Ready.N) * p.Ready.P50
		half += float64(p.Ready.N) * (p.Ready.P50 + p.Ran.P50)
		if p.Times.N > most.Times.N {
			most = p
		}
	}
	if n < 10000 || (ready+ran)*4 < float64(v.Trace.Duration) || halfReady*3 < half {
		return
	}
	v.add("hand-overs", trace.Waits, most.Longest, time.Duration(ready),
		"Goroutines handed over %s times, most often between %s and %s, and ran for %s at a time; "+
			"%.0f %% of their time was switching: %s from when one was ready until it ran",
		ui.Number(n), most.Frame, most.Wakers[0].Frame, time.Duration(ran/n), 100*ready/(ready+ran),
		time.Duration(ready))
}

// A goroutine that hardly waits for others, while others wait for it: to send to it for 70 % of the
// trace, or in any way for 150 %, in which it is active for 60 %. Where all Ps are full, these are
// the reason.
func (v *verdict) bottleneck() {
	d := float64(v.Trace.Duration)
	if float64(v.Waiting.Load.Full) > 0.8*d {
		return
	}
	for _, s := range v.Waiting.Servers {
		busy := s.Waits.N >= 10 && float64(s.Lived-s.Depended) > 0.6*d
		active := float64(s.Active) > 0.6*d && float64(s.Waits.Time) > 1.5*d
		if !busy || !active && float64(s.Sends) < 0.7*d {
			continue
		}
		v.add("bottleneck", trace.Population, s.Most.Longest,
			s.Waits.Time, "Goroutines waited %s in total for goroutine %d of %s, which %s", s.Waits.Time,
			s.Goroutine, symbol.Short(s.Function), doing(s.Most, of(s.Most.Time, s.Lived)))
	}
}

// System calls at one place that take a fifth of the trace and of the time for which goroutines run
// or are in system calls. Those of one goroutine that waits for input do not count.
func (v *verdict) systemCalls() {
	var active time.Duration
	for _, f := range v.Functions {
		active += f.Running + f.Syscall
	}
	for _, p := range v.Waiting.Places {
		sum := time.Duration(p.Times.Sum)
		if p.Reason != trace.SystemCall || p.Times.N < 4 || p.Times.Half < 50e3 || sum < brief ||
			sum*5 < max(active, v.Trace.Duration) ||
			through(p, "accept", "wait", "poll", trace.Select, "kevent", trace.Sleep) ||
			p.Contended*3 > sum*2 && through(p, "read", "recv", "cgocall") {
			continue
		}
		v.add("system calls", trace.Waits, p.Longest, sum,
			"System calls%s took %s, %s of the time that goroutines ran or were in system calls (%s, "+
				"the longest %s)", at(p.Place), sum, percent(sum, active),
			ui.Counted(p.Times.N, "call", "calls"), time.Duration(p.Times.Max))
	}
}

// through reports whether the program waits at a place in a function of a library with one of these
// words in its name.
func through(p trace.WaitPlace, words ...string) bool {
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
func (v *verdict) slowWait() {
	what := map[string]string{trace.Network: "A wait for input or output",
		trace.SystemCall: "A system call"}
	for _, p := range v.Waiting.Places {
		long := p.Longest.Length
		intended := through(p, "accept") || p.Reason == trace.SystemCall && through(p, "wait")
		unusual := p.Times.N <= 3 || float64(long) >= 10*p.Times.P50
		short := long < 100*time.Millisecond || long*10 < v.Trace.Duration
		if p.Library || what[p.Reason] == "" || short || !unusual || intended {
			continue
		}
		v.add("slow wait", trace.Waits, p.Longest, long,
			"%s%s took %s, %s of the trace, in goroutine %d", what[p.Reason], at(p.Place), long,
			percent(long, v.Trace.Duration), p.Longest.Goroutine)
	}
}

// frame is the time between two pictures at 60 a second.
const frame = 16 * time.Millisecond

// The main goroutine waits at one place again and again, and for more than a frame at another one,
// which is rare. If it changes threads, it is taken for the loop of an interface if it waits there
// for half of the time, 20 times a second, and two frames are the limit.
func (v *verdict) stalls() {
	loop, limit := v.Waiting.Loop, frame
	switch {
	case loop == nil:
		return
	case loop.Moved && (loop.Time*2 < loop.Span || time.Duration(loop.N)*time.Second/20 < loop.Span):
		return
	case loop.Moved:
		limit *= 2
	}
	for _, s := range loop.Stalls {
		if s.Longest.Length <= limit || s.N*8 > loop.N {
			continue
		}
		v.add("stall", trace.Population, s.Longest, s.Longest.Length,
			"The main goroutine, a loop around %s, %s; a frame at 60 Hz is 16.7 ms", loop.Frame,
			doing(s, ui.Say(" for %s", s.Longest.Length)))
	}
}

// Collections that mark for a fifth of the trace, because their goal leaves little room above what
// is live; or GC assists that take a tenth of the trace and of what goroutines of a function do, or
// with the collector's workers a quarter of the time for which goroutines run.
func (v *verdict) collections() {
	all, tight, text := v.GC.Assist, v.GC.Tight, ""
	marked, n := time.Duration(v.GC.Mark.Sum), tight.Room.N
	var most trace.Function
	var ran time.Duration
	for _, f := range v.Functions {
		ran += f.Running
		if f.Assist > most.Assist {
			most = f
		}
	}
	if n >= 10 && n*2 >= v.GC.Cycles && marked*5 >= v.Trace.Duration {
		mean := func(d trace.Distribution) float64 { return d.Sum / float64(d.N) }
		room, goal := tight.Room, tight.Goal
		why := "the heap at the memory limit"
		// With GOGC, the goal is in proportion to what is live.
		if room.Min > 0.005e6 && (1e6+room.Max)*goal.Min < (1e6+room.Min)*goal.Max {
			why = ui.Say("because GOGC is about %.0f", room.P50/1e4)
		}
		text = ui.Say("%s in %s, %s: after one, %s were live on average, of a goal of %s; marking "+
			"took %s, ", ui.Counted(v.GC.Cycles, "collection", "collections"), v.Trace.Duration, why,
			ui.Bytes(mean(tight.Live)), ui.Bytes(mean(goal)), marked)
	}
	lived := most.Running + most.Runnable + most.Waiting + most.Syscall
	little := all.Time < brief || all.Time*10 < v.Trace.Duration
	cost := all.Time + v.GC.Workers
	if text == "" && (little || most.Assist*10 < lived && cost*4 < ran) {
		return
	}
	sites := ""
	for _, s := range all.Sites[:min(len(all.Sites), 3)] {
		if s.Func != trace.NoFunction && s.Time*20 > all.Time {
			sites += ui.Say(", %s %s", s.Frame, percent(s.Time, all.Time))
		}
	}
	v.add("collections", trace.Memory,
		trace.Moment{Length: v.Trace.Duration}, cost, "%sGC assists took %s, %s of the time of %s of "+
			"%s, and the workers of the collector %s; allocation sites:%s", text, all.Time,
		percent(most.Assist, lived), ui.Counted(most.Goroutines, "goroutine", "goroutines"),
		symbol.Short(most.Name), v.GC.Workers, strings.TrimPrefix(sites, ","))
}

// Wake-ups of many goroutines at once, again and again, for which these are ready for half of the
// trace.
func (v *verdict) wakeups() {
	for _, w := range v.Waiting.Wakeups {
		if w.N < 3 || w.Ready*2 < v.Trace.Duration {
			continue
		}
		v.add("wake-ups", trace.ReadyNotRunning, w.Largest, w.Ready,
			"One wake-up at %s made up to %v goroutines ready (%s in %s), which were ready for %s in "+
				"total before they ran", w.Frame, w.Most, ui.Counted(w.Woken, "goroutine",
				"goroutines"), ui.Counted(w.N, "wake-up", "wake-ups"), w.Ready)
	}
}

// All Ps were busy for half of the trace, while others were ready for half of the trace, or timers
// and the network late for a tenth. The collector has a rule of its own.
func (v *verdict) fullPs() {
	l, d := v.Waiting.Load, v.Trace.Duration
	late := l.Late.N >= 10 && l.Late.Time*10 >= d
	if len(v.Functions) == 0 || l.Full < brief || l.Full*2 < d || l.Ready*2 < d && !late ||
		strings.HasPrefix(v.Functions[0].Name, "runtime.") || v.has("hand-overs") {
		return
	}
	most, more, m := v.Functions[0], "", l.Latest
	if late {
		more = ui.Say("; %s ended only when a P was free, up to %s late", ui.Counted(l.Late.N,
			"wait for a timer or the network", "waits for timers or the network"), l.Latest.Length)
	}
	if m.Length == 0 {
		m = trace.Moment{Length: d}
	}
	with := ui.Say("mostly with %s, which ran %s", symbol.Short(most.Name), most.Running)
	if where := at(most.RanAt.Place); where != "" {
		with += ", most of it" + where
	}
	if what := v.timers(); what != "" {
		with = "mostly with goroutines that timers " + what
	}
	v.add("full Ps", trace.Population, m, max(l.Ready, l.Late.Time),
		"The Ps were full for %s of the time, %s; others were ready for %s in total meanwhile%s",
		percent(l.Full, d), with, l.Ready, more)
}

// byTimer reports whether most waits at a place were ended by the runtime, or by a goroutine that
// stopped there itself, on which the runtime found that it was time.
func byTimer(p trace.WaitPlace) bool {
	return len(p.Wakers) > 0 && (p.Wakers[0].Func == trace.NoFunction || p.Wakers[0].Frame == p.Frame)
}

// timers says where timers woke or started most goroutines, if those ran for half of the time for
// which all did.
func (v *verdict) timers() (what string) {
	var ran float64
	var all time.Duration
	most := uint64(99)
	for _, p := range v.Waiting.Places {
		if slices.Contains([]string{trace.Sleep, trace.ChannelReceive, trace.Select}, p.Reason) &&
			byTimer(p) && p.Wakers[0].N*10 >= p.Times.N*9 {
			if ran += p.Ran.Sum; p.Times.N > most {
				most, what = p.Times.N, ui.Say("woke at %s, %v times", p.Frame, p.Times.N)
			}
		}
	}
	for _, f := range v.Functions {
		if !strings.HasPrefix(f.Name, "runtime.") {
			all += f.Running
		}
		if f.Timed*10 >= f.Goroutines*9 {
			if ran += float64(f.Running); f.Timed > most {
				most, what = f.Timed, ui.Say("started in %s, %v times", symbol.Short(f.Name), f.Timed)
			}
		}
	}
	if ran*2 < float64(all) {
		return ""
	}
	return what
}

// Calls of threadcall that were queued for a tenth of the trace in sum, and one in a hundred for
// ten milliseconds.
func (v *verdict) queuedCalls() {
	for _, p := range v.Calls.Places {
		p99, sum := time.Duration(p.Queued.P99), time.Duration(p.Queued.Sum)
		if p99 < 10*time.Millisecond || sum*10 < v.Trace.Duration {
			continue
		}
		v.add("queued calls", trace.CallsToThreads, p.Longest, sum,
			"%s at %s were queued for %s in total (99 %% of them for %s or less), and their "+
				"functions ran %s",
			ui.Counted(p.Queued.N, "call", "calls"), p.Frame, sum, p99, time.Duration(p.Run.Sum))
	}
}

// Stops of the world that took ten milliseconds at once, or a twentieth of the trace.
func (v *verdict) stops() {
	all, sum := v.Stops.All, time.Duration(v.Stops.All.Sum)
	short := time.Duration(all.Max) < least && sum*20 < v.Trace.Duration
	if short {
		return
	}
	v.add("stop-the-world", trace.Memory, v.Stops.Longest, sum,
		"The world was stopped %s for %s in total, the longest time for %s (%s)",
		ui.Counted(all.N, "time", "times"), sum, v.Stops.Longest.Length, v.Stops.Why)
}
