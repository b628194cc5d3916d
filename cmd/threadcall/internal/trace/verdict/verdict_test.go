package verdict

import (
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

func times(n uint64, sum, p50, longest time.Duration) report.Distribution {
	return report.Distribution{N: n, Sum: float64(sum), P50: float64(p50), P99: float64(longest),
		Max: float64(longest)}
}

var place = report.Frame{Func: "example.com/m/main.work", File: "/src/main.go", Line: 161}

// wait returns a report of ten seconds with one place of waits.
func wait(p report.WaitPlace) *report.Report {
	r := &report.Report{Trace: report.Trace{Duration: 10 * time.Second}}
	p.Stack = append(p.Stack, p.Frame)
	r.Waiting.Places = []report.WaitPlace{p}
	return r
}

func TestOf(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	longest := report.Moment{At: 3 * s, Length: s, Goroutine: 7}
	unlocked := []report.Waker{{
		Frame: report.Frame{Func: "main.unlock", File: "/src/main.go", Line: 170},
		Sum:   report.Sum{Time: 9 * s},
	}}
	trace := report.Trace{Duration: 10 * s, GOMAXPROCS: 2}
	latencies := func(sum, p99, ran time.Duration) *report.Report {
		places := []report.LatencyPlace{{How: "runtime"}, {How: "woken", Frame: place, Longest: longest}}
		l := report.Latency{All: times(1000, sum, ms, p99), Places: places}
		return &report.Report{Trace: trace, Waiting: report.Waiting{Running: ran, Latency: l}}
	}
	stopped := func(longest, sum time.Duration) *report.Report {
		return &report.Report{Trace: trace, Stops: report.Stops{All: times(5, sum, ms, longest),
			Longest: []report.Interval{{At: s, Length: longest, What: "GC sweep termination"}}}}
	}
	leaks := func(reason string, n, since, ended uint64) *report.Report {
		b := report.Blocked{Reason: reason, Frame: place, N: n, New: since, Ended: ended, Longest: s}
		return &report.Report{Trace: trace, Waiting: report.Waiting{Blocked: []report.Blocked{b}}}
	}
	waits := func(reason string, d report.Distribution, contended, long time.Duration) *report.Report {
		return wait(report.WaitPlace{Reason: reason, Frame: place, Times: d, Contended: contended,
			Longest: report.Moment{At: 3 * s, Length: long, Goroutine: 7}, Wakers: unlocked})
	}
	queued := func(p99 time.Duration) *report.Report {
		p := report.Place{Frame: place, N: 90, Queued: times(90, 2*s, ms, p99)}
		return &report.Report{Trace: trace, Calls: report.Calls{Places: []report.Place{p}}}
	}
	for name, c := range map[string]struct {
		r    *report.Report
		want string // empty: nothing stands out
	}{
		"nothing":       {&report.Report{Trace: trace}, ""},
		"no time":       {&report.Report{}, ""},
		"a leak":        {leaks("channel send", 5000, 5000, 0), "5,000 goroutines are still blocked"},
		"few":           {leaks("channel send", 99, 99, 0), ""},
		"a pool in use": {leaks("channel receive", 200, 200, 100), ""},
		"from before":   {leaks("channel receive", 200, 0, 0), ""},
		"connections":   {leaks("network", 200, 200, 0), ""},
		"a convoy": {waits("mutex", times(400, 9*s, 20*ms, s), 9700*ms, s),
			"waited 9 s in total (400 waits, " +
				"the longest 1 s) for the mutex locked at main.work (main.go:161), which was contended 97 % " +
				"of the time; its holder unlocked it at main.unlock (main.go:170) for 100 %"},
		"a free mutex": {waits("mutex", times(400, s, ms, ms), s, ms), ""},
		"a channel":    {waits("channel receive", times(400, 9*s, 20*ms, s), 9*s, s), ""},
		"a blocked read": {waits("network", times(1, s, s, s), 0, s),
			"A wait for input or output at main.work " +
				"(main.go:161) took 1 s, 10 % of the trace, in goroutine 7."},
		"a system call": {waits("system call", times(900, 2*s, ms, s), 0, s),
			"A system call at main.work"},
		"all are slow": {waits("network", times(9, 9*s, s, s), 0, s), ""},
		"a short read": {waits("network", times(1, s, s, s), 0, 900*ms), ""},
		"a listener": {wait(report.WaitPlace{Reason: "network", Frame: place, Times: times(1, s, s, s),
			Longest: longest, Stack: []report.Frame{{Func: "net.(*TCPListener).Accept"}}}), ""},
		"a server's loop": {wait(report.WaitPlace{Reason: "network", Library: true, Longest: longest,
			Frame: report.Frame{Func: "net/http.(*conn).serve"}, Times: times(1, s, s, s)}), ""},
		"latency": {latencies(3*s, 20*ms, 10*s), "waited 3 s in total for a P (99 % of the times 20 ms " +
			"or less), and ran 10 s with GOMAXPROCS 2; most of them were woken at main.work"},
		"short latency":  {latencies(3*s, 2*ms, 10*s), ""},
		"little latency": {latencies(2*s, 20*ms, 10*s), ""},
		"a long stop":    {stopped(12*ms, 20*ms), "the longest time for 12 ms (GC sweep termination)"},
		"many stops":     {stopped(ms, 600*ms), "stopped 5 times for 600 ms"},
		"short stops":    {stopped(ms, 20*ms), ""},
		"queued":         {queued(20 * ms), "90 calls at main.work (main.go:161) were queued for 2 s"},
		"hardly queued":  {queued(2 * ms), ""},
	} {
		got := Of(c.r)
		if got == nil || len(got) > 1 || (len(got) == 1) != (c.want != "") ||
			len(got) == 1 && !strings.Contains(got[0].Text, c.want) {
			t.Errorf("%s: %+v, want %q", name, got, c.want)
		}
		for _, f := range got {
			if f.Rule == "" || f.Table == "" || f.At < 0 || f.At+f.Length > c.r.Trace.Duration {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
}

func TestOf_limits(t *testing.T) {
	r := &report.Report{Trace: report.Trace{Duration: time.Second}}
	for i := range 9 {
		cost := time.Duration(i+1) * time.Second
		r.Waiting.Places = append(r.Waiting.Places,
			report.WaitPlace{Reason: "mutex", Times: times(1, cost, cost, cost), Contended: time.Second},
			report.WaitPlace{Reason: "network", Times: times(1, 0, 0, 0),
				Longest: report.Moment{Length: cost}})
		b := report.Blocked{Reason: "select", N: 100, New: 100, Sum: 100 * cost}
		r.Waiting.Blocked = append(r.Waiting.Blocked, b)
	}
	rules := ""
	for _, f := range Of(r) {
		rules += f.Rule + ", "
	}
	if want := "blocked, blocked, contention, slow wait, contention, "; rules != want {
		t.Errorf("%s, want %s", rules, want)
	}
}
