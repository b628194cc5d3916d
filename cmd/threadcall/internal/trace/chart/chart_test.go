package chart

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"runtime/trace"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/read"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui/pagetest"
)

// sample returns a report of ten seconds in which the heap climbs by 1 MiB a second up to 10 MiB, three threads run,
// and three places have made calls.
func sample() *report.Report {
	const step = 50 * time.Millisecond
	r := &report.Report{
		Trace: report.Trace{Name: "sample <b>", Bytes: 3 << 20, Format: "go 1.26", Duration: 10 * time.Second, Events: 123456,
			GOMAXPROCS: 2},
		Warnings: []string{"a warning <i>"},
		Table:    report.Table{Goroutines: 57, Heap: 12 << 20, Threads: 3, BgSweep: 12 * time.Millisecond, STW: 800 * time.Microsecond},
	}
	series := func(f func(t float64) float64) report.Series {
		s := report.Series{Step: step}
		for at := time.Duration(0); at < r.Trace.Duration; at += step {
			v := f(at.Seconds())
			s.Points = append(s.Points, report.Point{At: at, Min: v * 0.9, Max: v * 1.1, Last: v})
		}
		return s
	}
	r.Heap = report.Heap{
		Allocated: series(func(t float64) float64 { return (t + 0.5*math.Mod(t, 1)) * (1 << 20) }),
		Goal:      series(func(t float64) float64 { return (math.Floor(t) + 2) * (1 << 20) }),
		First:     4096, Last: 10 << 20, Peak: 12 << 20, Growth: 60 << 20,
		Lows: &report.Trend{N: 9, First: 1 << 20, Last: 9 << 20, Growth: 60 << 20, Error: 1 << 18},
	}
	r.Goroutines = report.Goroutines{Existing: series(func(t float64) float64 { return math.Round(30 + 20*math.Sin(t)) }), Peak: 57, Last: 12,
		Created: 1234}
	r.Threads = report.Threads{Seen: series(func(t float64) float64 { return math.Min(3, 1+math.Floor(t)) }),
		Busy: series(func(t float64) float64 { return 1 + math.Mod(math.Floor(3*t), 2) }), Total: 3, Peak: 2}
	timeline := report.Timeline{Step: step, Running: slices.Repeat([]float64{0.5, 1}, 100), Syscall: slices.Repeat([]float64{0.3, 0}, 100)}
	for i := range 3 {
		r.Threads.Busiest = append(r.Threads.Busiest, report.Thread{ID: int64(4000 + i), Timeline: timeline})
	}
	r.Locked = []report.LockedThread{{Thread: 4001, Goroutine: 7, Function: "example.com/long/path/gl.(*Loop).run", Evidence: report.ServesCalls,
		Executions: 900, Running: 3 * time.Second, Syscall: time.Second, Idle: 6 * time.Second, Calls: 1500, Serving: 2 * time.Second,
		Waits: []report.Wait{{Reason: "chan receive", N: 12, Time: 5 * time.Second}}, Timeline: timeline}}
	for i := range 9 {
		at := time.Duration(i+1) * time.Second
		r.GC.Longest = append(r.GC.Longest, report.Interval{At: at, Length: 30 * time.Millisecond, What: "cycle"})
		r.Stops.Longest = append(r.Stops.Longest, report.Interval{At: at, Length: 90 * time.Microsecond, What: "GC sweep termination"})
	}
	r.GC.Cycles, r.GC.Mark = 9, distribution(3e7, 9)
	r.Stops.All = distribution(9e4, 9)
	r.Stops.Reasons = []report.StopReason{{Reason: "GC sweep termination", Times: distribution(9e4, 9)},
		{Reason: "start trace", Own: true, Times: distribution(4e4, 1)}}
	for i, name := range []string{"net/http.(*conn).serve", "main.worker", "runtime.bgsweep"} {
		r.Functions = append(r.Functions, report.Function{Name: name, System: i == 2, Goroutines: uint64(100 * (i + 1)), Executions: 5000,
			Moves: uint64(70 * i), Running: time.Duration(3-i) * time.Second})
	}
	r.Affinity = report.Affinity{Goroutines: 300, Executions: 20000, Moves: 5000, Why: []report.Count{{Name: "channel", N: 4000}, {Name: "syscall", N: 1000}},
		Via: []report.Count{{Name: "stolen", N: 4500}, {Name: "waker", N: 500}}, Per: distribution(17, 300), On: distribution(2, 300)}
	for i := range 10 {
		r.Affinity.Top = append(r.Affinity.Top, report.Mover{Goroutine: int64(20 + i), Function: fmt.Sprintf("main.worker%d", i),
			Created: []report.Frame{{Func: "main.main", File: "/src/prog/main.go", Line: 12}}, Threads: 3, Executions: 900,
			Moves: uint64(400 - 10*i), Why: []report.Count{{Name: "channel", N: uint64(400 - 10*i)}}, Running: time.Duration(i) * time.Millisecond})
	}
	for i, name := range []string{"main.draw", "example.com/a/b.(*Window[go.shape.int]).Show", "main.load"} {
		r.Calls.Places = append(r.Calls.Places, report.Place{Frame: report.Frame{Func: name, File: "/src/prog/draw.go", Line: uint64(40 + i)},
			Kind: "Call", N: uint64(500 * (i + 1)), Queued: distribution(2e3*math.Pow(10, float64(i)), 500), Run: distribution(3e5, 500)})
	}
	r.Calls.Total = 3000
	for i := range 10 {
		r.Calls.Worst = append(r.Calls.Worst, report.Call{Kind: "Call", At: time.Duration(i)*time.Second + 500*time.Millisecond, Goroutine: 9, Thread: 4001,
			Queued: time.Duration(100-9*i) * time.Millisecond, Run: 20 * time.Millisecond, Return: time.Millisecond,
			From: []report.Frame{{Func: "main.draw", File: "/src/prog/draw.go", Line: 40}},
			On:   []report.Frame{{Func: "syscall.Read", File: "/go/src/syscall/x.go", Line: 1}}, Stopped: &report.Wait{Reason: "network", N: 1, Time: time.Millisecond}})
	}
	return r
}

// distribution returns one of n numbers around middle.
func distribution(middle float64, n uint64) report.Distribution {
	return report.Distribution{N: n, Sum: middle * float64(n), Min: middle / 4, P50: middle, P90: 2 * middle, P99: 3 * middle, Max: 4 * middle}
}

// helpers are for the scripts of the tests.
const helpers = `
const time = document.getElementById("time"), svg = time.querySelector("svg");
const view = () => [Number(time.dataset.from), Number(time.dataset.to)];
const point = (type, share, more) => {
	const box = svg.getBoundingClientRect(), target = more?.on ?? svg;
	target.dispatchEvent(new PointerEvent(type, {bubbles: true, cancelable: true, clientX: box.left + 170 + share * (box.width - 178), clientY: box.top + 20, ...more}));
};
const key = k => time.dispatchEvent(new KeyboardEvent("keydown", {key: k, bubbles: true, cancelable: true}));
const click = what => time.querySelector("[data-do=" + what + "]").click();
const axis = () => [...time.querySelectorAll(".axis text")].map(e => e.textContent).join(" ");
`

func near(a, b [2]float64) bool { return math.Abs(a[0]-b[0]) < 0.03e9 && math.Abs(a[1]-b[1]) < 0.03e9 }

func TestThePlotsAreZoomedAndMoved(t *testing.T) {
	var got struct {
		Views [][2]float64
		Axes  []string
	}
	pagetest.Run(t, page(sample()), helpers+`
		const views = [], axes = [], note = () => { views.push(view()); axes.push(axis()); };
		note();
		click("in"); note();
		click("right"); note();
		click("out"); note();
		key("+"); key("+"); note();
		key("ArrowLeft"); note();
		key("0"); note();
		point("pointerdown", 0.2); point("pointermove", 0.4); point("pointerup", 0.4); note();
		return {views, axes};`, &got)
	want := [][2]float64{
		{0, 10e9}, {2.5e9, 7.5e9}, {3.75e9, 8.75e9}, {0, 10e9}, {3.75e9, 6.25e9}, {3.125e9, 5.625e9}, {0, 10e9},
		{2e9, 4e9},
	}
	if len(got.Views) != len(want) {
		t.Fatalf("views %v", got.Views)
	}
	for i, w := range want {
		if !near(got.Views[i], w) {
			t.Errorf("view %d is %v, want %v", i, got.Views[i], w)
		}
	}
	if got.Axes[0] == got.Axes[4] || !strings.Contains(got.Axes[0], "10 s") || strings.Contains(got.Axes[4], "10 s") {
		t.Errorf("axes %q", got.Axes)
	}
}

func TestThePageOpensAtTheLastSlowCall(t *testing.T) {
	r := sample()
	for i := range time.Duration(2) {
		r.Calls.Slow = append(r.Calls.Slow, report.SlowCall{At: (4 + 2*i) * time.Second, Running: time.Second, Thread: 4001, Goroutine: -1, Queued: -1,
			On: []report.Frame{{Func: "main.hangs", File: "/src/prog/hang.go", Line: 7}}})
	}
	var got struct {
		Views [][2]float64
		Bars  int
		Text  string
	}
	pagetest.Run(t, page(r), helpers+`
		const views = [view()], bars = time.querySelectorAll("rect.slow").length;
		key("0"); views.push(view());
		return {views, bars, text: document.querySelector("#slow-2").textContent};`, &got)
	if len(got.Views) != 2 || !near(got.Views[0], [2]float64{4.5e9, 6.5e9}) || !near(got.Views[1], [2]float64{0, 10e9}) {
		t.Errorf("views %v", got.Views)
	}
	if got.Bars != 1 || !strings.Contains(got.Text, "slow call at 5 s into the trace: a function had run for 1 s") ||
		!strings.Contains(got.Text, "main.hangs") {
		t.Errorf("%d slow calls in the view; the second is\n%s", got.Bars, got.Text)
	}
}

func TestTheCrosshairShowsTheValues(t *testing.T) {
	var got struct {
		Before, At, Texts, After string
		Crosses, Left            int
	}
	pagetest.Run(t, page(sample()), helpers+`
		const texts = () => [...time.querySelectorAll("h3")].map(e => e.textContent).join("\n");
		const before = time.querySelector("output").textContent;
		point("pointermove", 0.5005);
		const at = time.querySelector("output").textContent, t = texts(), crosses = time.querySelectorAll(".cross").length;
		time.dispatchEvent(new PointerEvent("pointerleave"));
		return {before, at, texts: t, after: texts(), crosses, left: time.querySelectorAll(".cross").length};`, &got)
	if strings.Contains(got.Before, "at ") || !strings.HasPrefix(got.At, "at 5.0") {
		t.Errorf("%q, then %q", got.Before, got.At)
	}
	for _, want := range []string{"allocated 5 MiB (4.50 MiB to 5.50 MiB)", "goal 7 MiB", "existing 11", "seen 3"} {
		if !strings.Contains(got.Texts, want) || strings.Contains(got.After, want) {
			t.Errorf("%q is not there, or stays:\n%s", want, got.Texts)
		}
	}
	if got.Crosses != 5 || got.Left != 0 {
		t.Errorf("%d crosses in 5 plots, then %d", got.Crosses, got.Left)
	}
}

func TestEverythingIsOnThePage(t *testing.T) {
	var got struct {
		Rows    map[string]int
		Text    string
		Open    int
		Lanes   int
		Threads []string
		Stack   string
	}
	pagetest.Run(t, page(sample()), helpers+`
		const rows = {};
		for (const table of document.querySelectorAll("table[id]")) rows[table.id] = table.tBodies[0].rows.length;
		const text = document.body.textContent;
		const call = time.querySelectorAll(".call.p0")[2];
		point("pointerdown", 0, {on: call}); point("pointerup", 0, {on: call});
		return {rows, text, open: [...document.querySelectorAll("details.worst")].findIndex(d => d.open),
			lanes: time.querySelectorAll("rect.mark").length,
			threads: [...time.querySelectorAll("text.name")].map(e => e.textContent),
			stack: document.querySelector("details[open] .two").textContent};`, &got)
	for id, n := range map[string]int{"places": 3, "movers": 10, "locked": 1, "functions": 3, "stops": 2, "row": 1} {
		if got.Rows[id] != n {
			t.Errorf("table %s has %d rows, want %d", id, got.Rows[id], n)
		}
	}
	for _, want := range []string{"sample <b>", "a warning <i>", "12 MiB", "b.(*Window[go.shape.int]).Show", "chan receive", "800 µs",
		"by the trace itself", "GC sweep termination 90 µs", "± 512 KiB, by 9 lows" /* twice the standard error */} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if got.Open != 2 || !strings.Contains(got.Stack, "syscall.Read") || !strings.Contains(got.Stack, "prog/draw.go:40") {
		t.Errorf("a click on the third call unfolds number %d: %s", got.Open, got.Stack)
	}
	if got.Lanes != 9 || !slices.Equal(got.Threads, []string{"only runs gl.(*Loop).run"}) {
		t.Errorf("%d marks, threads %q", got.Lanes, got.Threads)
	}
}

func TestAFindingLeadsToItsTableAndItsMoment(t *testing.T) {
	r := sample()
	place := report.Frame{Func: "main.<lock>", File: "/src/prog/lock.go", Line: 7}
	r.Verdict = []report.Finding{{Rule: "contention", Text: "Goroutines waited <for> it.", Table: "waits", At: 4 * time.Second, Length: time.Second}}
	r.Waiting = report.Waiting{
		Reasons: []report.WaitReason{{Reason: "mutex", Times: distribution(1e6, 20)}},
		Places: []report.WaitPlace{{Reason: "mutex", Frame: place, Times: distribution(1e6, 20), Longest: report.Moment{At: 2 * time.Second, Length: 2 * time.Second},
			Stack: []report.Frame{place}, Wakers: []report.Waker{{Frame: place, Sum: report.Sum{N: 20, Time: time.Second}}}}},
		Blocked: []report.Blocked{{Reason: "channel send", Frame: place, N: 5000, Created: []report.Waker{{Frame: report.Frame{Func: "?"}}}}},
		Latency: report.Latency{Places: []report.LatencyPlace{{How: "woken", Frame: place, Times: distribution(1e3, 7)}}},
	}
	r.Path = &report.Path{What: "task 7, <type>", Length: time.Second, Parts: []report.Part{{Doing: "ran", Frame: place, Sum: report.Sum{N: 2, Time: time.Second}}},
		Steps: []report.Step{{Doing: "ran", Frame: place, Length: time.Second}}}
	r.Tasks = []report.Task{{Type: "type", Times: distribution(1e6, 4), ID: 7}}
	r.GC.Assisted = report.Assist{Worked: time.Second, Places: []report.AssistPlace{{Frame: place, N: 3}}}
	var got struct {
		Text   string
		Target int
		Rows   map[string]int
		Views  [][2]float64
	}
	pagetest.Run(t, page(r), helpers+`
		const views = [], rows = {};
		for (const table of document.querySelectorAll("table[id]")) rows[table.id] = table.tBodies[0].rows.length;
		const item = document.querySelector("#verdict li");
		for (const b of [item.querySelector("button"), document.querySelector("#waits button")]) { b.click(); views.push(view()); }
		const target = document.querySelector(item.querySelector("a").getAttribute("href"));
		return {text: item.textContent, target: target.tBodies[0].rows.length, rows, views};`, &got)
	if !strings.Contains(got.Text, "Goroutines waited <for> it.") || got.Target != 1 {
		t.Errorf("%q leads to a table with %d rows", got.Text, got.Target)
	}
	if len(got.Views) != 2 || !near(got.Views[0], [2]float64{3.5e9, 5.5e9}) || !near(got.Views[1], [2]float64{1e9, 5e9}) {
		t.Errorf("shows %v", got.Views)
	}
	for _, id := range []string{"reasons", "waits", "blocked", "latency", "assists", "parts", "steps", "tasks"} {
		if got.Rows[id] != 1 {
			t.Errorf("table %s has %d rows", id, got.Rows[id])
		}
	}
}

func TestAnEmptyReportIsAPage(t *testing.T) {
	var got string
	r := &report.Report{Trace: report.Trace{Name: "empty"}}
	pagetest.Run(t, page(r), helpers+`click("in"); key("0"); point("pointermove", 0.5); return axis();`, &got)
	if got == "" {
		t.Error("no axis")
	}
}

// traced returns the page of a trace of this process, with lanes.
func traced(t *testing.T) (ui.Page, *report.Report) {
	t.Helper()
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Skip("this process records a trace already: ", err)
	}
	ctx, task := trace.NewTask(t.Context(), "the task")
	trace.Log(ctx, "note", "</script>the message")
	time.Sleep(20 * time.Millisecond)
	task.End()
	runtime.GC()
	trace.Stop()
	w, err := lanes.Create()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	r, err := read.Trace(&out, read.Options{Name: "lanes", Lanes: w})
	if err != nil {
		t.Fatal(err)
	}
	x, err := w.Index()
	if err != nil {
		t.Fatal(err)
	}
	p, err := withWindows(page(r), r, x, lanes.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	return p, r
}

func TestLanesShowGoroutinesAndWindows(t *testing.T) {
	p, r := traced(t)
	var got struct {
		Lanes        int
		Logs, Status string
		Windows      []string
		View         []float64
		Tip          string
	}
	pagetest.Run(t, p, helpers+`
		const lanes = document.getElementById("lanes"), canvas = lanes.querySelector("canvas");
		const out = {Lanes: Number(time.dataset.lanes), Logs: lanes.querySelector(".logs").textContent, Status: lanes.querySelector(".status").textContent,
			Windows: [...lanes.querySelectorAll("button")].map(b => b.textContent)};
		const box = canvas.getBoundingClientRect();
		for (let y = 0; y < box.height && !out.Tip; y += 5) {
			canvas.dispatchEvent(new PointerEvent("pointermove", {bubbles: true, clientX: box.left + box.width / 2, clientY: box.top + y}));
			out.Tip = lanes.querySelector(".tip").textContent;
		}
		[...lanes.querySelectorAll("button")].find(b => b.textContent.startsWith("longest mark")).click();
		out.View = view();
		return out;`, &got)
	if got.Lanes == 0 || !strings.Contains(got.Logs, "note: </script>the message") || !strings.Contains(got.Status, "goroutines") || got.Tip == "" {
		t.Errorf("%+v", got)
	}
	if len(got.Windows) < 2 || got.Windows[0] != "all" || len(got.View) != 2 || got.View[0] == 0 && got.View[1] == float64(r.Trace.Duration) {
		t.Errorf("windows %q, view %v of %v", got.Windows, got.View, r.Trace.Duration)
	}
}
