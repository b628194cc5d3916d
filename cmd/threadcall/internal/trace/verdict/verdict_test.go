package verdict

import (
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/report/trace"
)

func times(n uint64, sum, p50, longest time.Duration) trace.Distribution {
	return trace.Distribution{N: n, Sum: float64(sum), P50: float64(p50), P99: float64(longest),
		Max: float64(longest)}
}

var there = trace.Place{Frame: place}

var place = trace.Frame{Func: "example.com/m/main.work", File: "/src/main.go", Line: 161}

// wait returns a report of ten seconds with one place of waits.
func wait(p trace.WaitPlace) *trace.Report {
	r := &trace.Report{Trace: trace.Trace{Duration: 10 * time.Second}}
	p.Stack = append(p.Stack, p.Frame)
	r.Waiting.Places = []trace.WaitPlace{p}
	return r
}

func TestOf(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	longest := trace.Moment{At: 3 * s, Length: s, Goroutine: 7}
	unlocked := []trace.Waker{{
		Frame: trace.Frame{Func: "main.unlock", File: "/src/main.go", Line: 170},
		Sum:   trace.Sum{Time: 9 * s},
	}}
	whole := trace.Trace{Duration: 10 * s, GOMAXPROCS: 2}
	at := func(doing string, n uint64, sum, longest time.Duration) trace.Deed {
		return trace.Deed{Doing: doing, Place: there, Sum: trace.Sum{N: n, Time: sum},
			Longest: trace.Moment{At: s, Length: longest}}
	}
	// Goroutines of one function run for the whole trace, and assist the collector.
	runs := func(w trace.Waiting, assist time.Duration) *trace.Report {
		a := trace.Assist{Sum: trace.Sum{N: 9, Time: assist}, Sites: []trace.Waker{{Frame: place,
			Sum: trace.Sum{Time: assist}}}}
		return &trace.Report{Trace: whole, Waiting: w, GC: trace.GC{Assist: a},
			Functions: []trace.Function{{Name: "main.work", Running: 10 * s,
				Assist: assist, RanAt: at("ran", 9, 9*s, s)}}}
	}
	load := func(full, ready time.Duration, late trace.Sum) *trace.Report {
		return runs(trace.Waiting{Load: trace.Load{Full: full, Ready: ready, Late: late}}, 0)
	}
	serves := func(active, depended, sends time.Duration, waits trace.Sum) *trace.Report {
		return runs(trace.Waiting{Servers: []trace.Server{{Goroutine: 7, Function: "main.stage",
			Lived: 10 * s, Active: active, Depended: depended, Sends: sends, Waits: waits,
			Most: at("ran", 9, 9*s, s)}}}, 0)
	}
	woken := func(n uint64, ready time.Duration) *trace.Report {
		return runs(trace.Waiting{Wakeups: []trace.Wakeups{{Frame: place, N: n, Woken: 500 * n,
			Most: 500, Ready: ready}}}, 0)
	}
	loop := func(moved bool, n uint64, stall trace.Deed) *trace.Report {
		return runs(trace.Waiting{Loop: &trace.Loop{Deed: at("select", n, 9*s, s), Span: 9 * s,
			Moved: moved, Stalls: []trace.Deed{stall}}}, 0)
	}
	calls := func(p trace.WaitPlace) *trace.Report {
		r := runs(trace.Waiting{}, 0)
		p.Reason, p.Frame = "system call", place
		p.Stack = append(p.Stack, place)
		r.Waiting.Places = []trace.WaitPlace{p}
		return r
	}
	syscalls := times(900, 6*s, ms, 9*ms)
	syscalls.Half = float64(ms)
	fast := syscalls
	fast.Half = 5e3
	stopped := func(longest, sum time.Duration) *trace.Report {
		return &trace.Report{Trace: whole, Stops: trace.Stops{All: times(5, sum, ms, longest),
			Longest: trace.Moment{At: s, Length: longest}, Why: "GC sweep termination"}}
	}
	leaks := func(reason string, n, since, ended uint64) *trace.Report {
		b := trace.Blocked{Reason: reason, Frame: place, N: n, New: since, Ended: ended, Longest: s,
			Sum: 9 * s}
		return &trace.Report{Trace: whole, Waiting: trace.Waiting{Blocked: []trace.Blocked{b}}}
	}
	waits := func(reason string, d trace.Distribution, contended, long time.Duration) *trace.Report {
		return wait(trace.WaitPlace{Reason: reason, Place: there, Times: d, Contended: contended,
			Shared: contended, Longest: trace.Moment{At: 3 * s, Length: long, Goroutine: 7},
			Wakers: unlocked})
	}
	queued := func(p99 time.Duration) *trace.Report {
		p := trace.CallPlace{Frame: place, Queued: times(90, 2*s, ms, p99)}
		return &trace.Report{Trace: whole, Calls: trace.Calls{Places: []trace.CallPlace{p}}}
	}
	behind := func(p trace.WaitPlace, doing, in string, took time.Duration) *trace.Report {
		d := at(doing, 1, took, took)
		d.In = in
		p.Frame, p.Contended, p.Causes = place, 9*s, []trace.Cause{{Deed: d, Root: &d}}
		return wait(p)
	}
	convoy := trace.WaitPlace{Reason: "mutex", Times: times(400, 9*s, 20*ms, s), Wakers: unlocked}
	released := trace.WaitPlace{Reason: "channel receive", Times: times(400, 9*s, 20*ms, s),
		Wakers: []trace.Waker{{Frame: place, Sum: trace.Sum{N: 9, Time: 3 * s}, By: "finalizer"}}}
	main := trace.WaitPlace{Reason: "channel receive", Times: times(9, 9*s, s, s), Main: 9 * s}
	sends := trace.WaitPlace{Reason: "channel send", Times: times(9, 6*s, s, s), Main: 6 * s,
		Place: trace.Place{In: "errgroup.(*Group).Go"}}
	handed := func(n uint64, ready, ran time.Duration) *trace.Report {
		k := time.Duration(n)
		return wait(trace.WaitPlace{Reason: "channel send", Place: there, Wakers: unlocked,
			Times: times(n, s, 1, 1), Ready: times(n, k*ready, ready, s), Ran: times(n, k*ran, ran, s)})
	}
	collected := func(room, goal float64) *trace.Report {
		d := func(low, high float64) trace.Distribution {
			return trace.Distribution{N: 20, Sum: 10 * (low + high), Min: low, P50: low, Max: high}
		}
		r := runs(trace.Waiting{}, 0)
		r.GC.Cycles, r.GC.Mark, r.GC.Workers = 22, times(22, 3*s, ms, s), s
		r.GC.Tight = trace.Tight{Live: d(90<<20, 98<<20), Goal: d(99<<20, goal*(1<<20)),
			Room: d(0.1e6, room*1e6)}
		return r
	}
	for name, c := range map[string]struct {
		r    *trace.Report
		want string // empty: nothing stands out
	}{
		"nothing":       {&trace.Report{Trace: whole}, ""},
		"no time":       {&trace.Report{}, ""},
		"a leak":        {leaks("channel send", 5000, 5000, 0), "5,000 goroutines are still blocked"},
		"few":           {leaks("channel send", 99, 99, 0), ""},
		"a pool in use": {leaks("channel receive", 200, 200, 100), ""},
		"from before":   {leaks("channel receive", 200, 0, 0), ""},
		"connections":   {leaks("network", 200, 200, 0), ""},
		"a convoy": {waits("mutex", times(400, 9*s, 20*ms, s), 9700*ms, s),
			"waited 9 s in total (400 waits, " +
				"the longest 1 s) for the mutex locked at main.work (main.go:161), which was contended 97 % " +
				"of the time; its holder unlocked it at main.unlock (main.go:170) for 100 %"},
		"a held mutex": {behind(convoy, "network", "net.(*conn).Read", 8*s), "90 % of the time; " +
			"its holder waited for the network in net.(*conn).Read for 8 s of 9 s at main.work " +
			"(main.go:161), for one"},
		"a pipe": {behind(convoy, "network", "os.(*File).Write", 8*s),
			"its holder waited in os.(*File).Write"},
		"many holders": {behind(convoy, "network", "", 4*s), "its holder unlocked it at"},
		"a finalizer": {behind(released, "sleep", "", 9*s), "for the finalizer at " +
			"main.work (main.go:161); the finalizer slept for 9 s of 9 s"},
		"an answer": {behind(main, "HTTP", "x.y", 8*s), "The main goroutine waited (channel " +
			"receive) for 9 s of 10 s at main.work (main.go:161); those that ended the waits waited for " +
			"HTTP for 8 s of 9 s at"},
		"a sleeper": {behind(main, "sleep", "", 8*s), ""},
		"a group of two": {wait(sends), "The main goroutine waited (channel send) in " +
			"errgroup.(*Group).Go for 6 s of 10 s"},
		"ping-pong":      {handed(5e6, 300, 300), "handed over 5,000,000 times, most often between"},
		"batches":        {handed(5e5, 300, 9000), ""},
		"few hand-overs": {handed(5e5, 300, 300), ""},
		"a memory limit": {collected(0.15, 100), "22 collections in 10 s, the heap at the memory limit"},
		"a small GOGC":   {collected(0.101, 109), "22 collections in 10 s, because GOGC is about 10"},
		"a free mutex":   {waits("mutex", times(400, s, ms, ms), s, ms), ""},
		"a semaphore": {waits("channel send", times(400, 10*s, 20*ms, s), 10*s, s),
			"at main.work (main.go:161) (channel send) for one another; the waits ended at main.unlock"},
		"idle workers": {waits("channel receive", times(400, 10*s, 20*ms, s), s, s), ""},
		"a pool": {waits("HTTP connection", times(400, 10*s, 20*ms, s), s, s),
			"for a free HTTP connection"},
		"a slow stage": {serves(9*s, 0, 8*s, trace.Sum{N: 10, Time: 8 * s}),
			"waited 8 s in total for goroutine 7 of main.stage, which ran for 9 s of 10 s at main.work"},
		"a slow source":    {serves(9*s, 0, 0, trace.Sum{N: 10, Time: 16 * s}), "for 9 s of 10 s"},
		"a timer":          {serves(s, 0, 0, trace.Sum{N: 10, Time: 90 * s}), ""},
		"not the slow one": {serves(9*s, 5*s, 8*s, trace.Sum{N: 10, Time: 90 * s}), ""},
		"joined":           {serves(9*s, 0, 0, trace.Sum{N: 9, Time: 90 * s}), ""},
		"fsync": {calls(trace.WaitPlace{Times: syscalls, Contended: 6 * s,
			Place: trace.Place{From: place}}),
			"System calls at main.work (main.go:161), called by main.work (main.go:161) took 6 s, 60 %"},
		"brief calls": {calls(trace.WaitPlace{Times: fast}), ""},
		"a terminal": {calls(trace.WaitPlace{Times: syscalls, Contended: 6 * s,
			Stack: []trace.Frame{{Func: "syscall.Read"}}}), ""},
		"many read": {calls(trace.WaitPlace{Times: syscalls, Contended: s,
			Stack: []trace.Frame{{Func: "syscall.Read"}}}), "System calls at"},
		"children": {calls(trace.WaitPlace{Times: syscalls,
			Stack: []trace.Frame{{Func: "syscall.Wait4"}}}), ""},
		"a stall": {loop(false, 100, at("system call", 1, 71*ms, 71*ms)),
			"The main goroutine, a loop around main.work (main.go:161), was in a system call for 71 ms at"},
		"as ever":     {loop(false, 100, at("system call", 50, 71*ms, 71*ms)), ""},
		"in a frame":  {loop(false, 100, at("mutex", 1, 15*ms, 15*ms)), ""},
		"not a loop":  {loop(true, 100, at("mutex", 1, 71*ms, 71*ms)), ""},
		"many events": {loop(true, 500, at("mutex", 1, 71*ms, 71*ms)), "waited (mutex) for 71 ms"},
		"assists": {runs(trace.Waiting{}, 2*s), "GC assists took 2 s, 20 % of the time of 0 " +
			"goroutines of main.work, and the workers of the collector 0 ns; allocation sites: " +
			"main.work"},
		"few assists": {runs(trace.Waiting{}, s/2), ""},
		"a herd": {woken(9, 6*s), "One wake-up at main.work (main.go:161) made up to 500 goroutines " +
			"ready (4,500 goroutines in 9 wake-ups), which were ready for 6 s"},
		"a starting gun": {woken(1, 6*s), ""},
		"a blocked read": {waits("network", times(1, s, s, s), 0, s),
			"A wait for input or output at main.work " +
				"(main.go:161) took 1 s, 10 % of the trace, in goroutine 7."},
		"a system call": {waits("system call", times(900, 2*s, ms, s), 0, s),
			"A system call at main.work"},
		"all are slow": {waits("network", times(9, 9*s, s, s), 0, s), ""},
		"a short read": {waits("network", times(1, s, s, s), 0, 900*ms), ""},
		"a listener": {wait(trace.WaitPlace{Reason: "network", Place: there,
			Times: times(1, s, s, s), Longest: longest,
			Stack: []trace.Frame{{Func: "net.(*TCPListener).Accept"}}}), ""},
		"a server's loop": {wait(trace.WaitPlace{Reason: "network", Library: true, Longest: longest,
			Place: trace.Place{Frame: trace.Frame{Func: "net/http.(*conn).serve"}},
			Times: times(1, s, s, s)}), ""},
		"full": {load(9*s, 6*s, trace.Sum{}), "full for 90 % of the time, mostly with main.work, " +
			"which ran 10 s, most of it at main.work (main.go:161); others were ready for 6 s"},
		"late": {load(9*s, s, trace.Sum{N: 60, Time: 2 * s}),
			"60 waits for timers or the network"},
		"busy":          {load(9*s, s, trace.Sum{N: 2, Time: 2 * s}), ""},
		"idle":          {load(s, 9*s, trace.Sum{}), ""},
		"a long stop":   {stopped(12*ms, 20*ms), "the longest time for 12 ms (GC sweep termination)"},
		"many stops":    {stopped(ms, 600*ms), "stopped 5 times for 600 ms"},
		"short stops":   {stopped(ms, 20*ms), ""},
		"queued":        {queued(20 * ms), "90 calls at main.work (main.go:161) were queued for 2 s"},
		"hardly queued": {queued(2 * ms), ""},
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
	r := &trace.Report{Trace: trace.Trace{Duration: time.Second}}
	for i := range 9 {
		cost := time.Duration(i+1) * time.Second
		r.Waiting.Places = append(r.Waiting.Places,
			trace.WaitPlace{Reason: "mutex", Times: times(1, cost, cost, cost), Contended: time.Second},
			trace.WaitPlace{Reason: "network", Times: times(1, 0, 0, 0),
				Longest: trace.Moment{Length: cost}})
		b := trace.Blocked{Reason: "select", N: 100, New: 100, Sum: 100 * cost}
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
