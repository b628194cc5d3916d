package present

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"runtime"
	"runtime/trace"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/analysis"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui/pagetest"
)

// sample returns a report of ten seconds with something in each section: a function was slow from
// 5 s to 6 s.
func sample() *report.Report {
	const s, ms = time.Second, time.Millisecond
	frame := report.Frame{Func: "main." + strings.Repeat("long", 20), File: "/src/main.go", Line: 7}
	leak := report.Frame{Func: "main.<leak>", File: "leak.go", Line: 9}
	times := report.Distribution{N: 20, Sum: 2e9, P50: 1e6, P99: 3e6, Max: 4e6}
	r := &report.Report{
		Trace:    report.Trace{Name: "some.<trace>", Duration: 10 * s, Format: "go 1.26"},
		Warnings: []string{"The trace is damaged, which takes more than one line to describe here."},
		Heap:     report.Heap{Peak: 2 << 20},
		Stops:    report.Stops{All: times},
		Verdict: []report.Finding{{Text: "One <goroutine> waited.", Table: "waits",
			Moment: report.Moment{At: 4 * s, Length: s}}},
	}
	for i := range 12 {
		r.Functions = append(r.Functions, report.Function{Name: fmt.Sprint("main.worker", i)})
	}
	r.Waiting = report.Waiting{
		Places: []report.WaitPlace{
			{Reason: "mutex", Frame: frame, Times: times, Longest: report.Moment{At: 2 * s, Length: 2 * s},
				Stack: []report.Frame{frame}, Wakers: []report.Waker{{Frame: report.Frame{Func: "?"}}}},
			{Reason: "sleep", Frame: report.Frame{Func: "main.asleep", File: "sleep.go"}},
			{Reason: "runtime", Frame: report.Frame{Func: "runtime.swept"}},
		},
		Blocked: []report.Blocked{
			{Reason: "channel send", Frame: frame, N: 5000, Created: []report.Waker{{Frame: leak}}},
		},
		Latency: times, Wakeups: []report.Wakeups{{Frame: frame, Woken: 4321}},
	}
	r.Calls = report.Calls{
		Total: 20, InPlace: 3, Places: []report.Place{{Frame: frame, Kind: "Call", Queued: times}},
		Slow: []report.SlowCall{
			{At: 900 * ms, Running: 300 * ms, Thread: 71, Kind: "Call", Goroutine: 5, Queued: ms,
				Waits: "mutex", Waited: 200 * ms, Stacks: report.Stacks{
					From: []report.Frame{frame}, On: []report.Frame{{Func: "sync.(*Mutex).Lock"}}}},
			{At: 6 * s, Running: s, Thread: 70, Goroutine: -1, Queued: -1},
		},
	}
	return r
}

// written returns the text of a report on a screen of that width.
func written(t *testing.T, width int, r *report.Report) string {
	t.Helper()
	var text strings.Builder
	s := ui.To(&text)
	s.Width = width
	Text(s, r)
	for line := range strings.Lines(text.String()) {
		if n := ui.Columns(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	return text.String()
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		r    *report.Report
		want []string
		not  string
	}{
		{sample(), []string{
			"warning  The trace", "peak 2 MiB", "20 times, 2 s in all", "asleep",
			"calls           20, 3 of them in place", "(main.go:7)", "4,321",
			`waited. At 4 s; see "Waiting".`, "Blocked at the end", "5,000", "leak.go:9", "ended by",
			"waited 2 s in all for a P, 20 times:", "and 2 more functions",
			"   1  slow call at 5 s into the trace: a function had run for 1 s", "slow call at 600 ms into",
			"Call of goroutine 5 had", "thread 71", "waited for 200 ms (mutex)",
		}, "swept"},
		{&report.Report{}, []string{"does not have its size", "stop-the-world  0 times"}, "Waiting"},
	} {
		text := written(t, 80, c.r)
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("has no %q:\n%s", want, text)
			}
		}
		if v := c.r.Verdict; len(v) > 0 && !strings.HasPrefix(text, "  1  "+v[0].Text) {
			t.Errorf("does not begin with the verdict:\n%s", text)
		}
		if strings.Contains(text, c.not) {
			t.Errorf("has %q:\n%s", c.not, text)
		}
	}
}

// pageOf returns the page of a report, with the intervals that read finds.
func pageOf(t *testing.T, read func(w *lanes.File) *report.Report) (ui.Page, *report.Report) {
	t.Helper()
	w, err := lanes.Create()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	r := read(w)
	p, err := Page(r, w, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return p, r
}

// helpers are for the scripts of the tests.
const helpers = `
const time = document.getElementById("time"), canvas = time.querySelector("canvas");
const view = () => [Number(time.dataset.from), Number(time.dataset.to)];
const point = (type, share, y) => {
	const box = canvas.getBoundingClientRect();
	canvas.dispatchEvent(new PointerEvent(type, {bubbles: true, cancelable: true,
		clientX: box.left + 170 + share * (box.width - 178), clientY: box.top + y}));
};
const key = k => time.dispatchEvent(new KeyboardEvent("keydown", {key: k, bubbles: true}));
const click = what => time.querySelector("[data-do=" + what + "]").click();
const tip = () => time.querySelector(".tip").textContent;
`

func near(a, b [2]float64) bool {
	return math.Abs(a[0]-b[0]) < 0.03e9 &&
		math.Abs(a[1]-b[1]) < 0.03e9
}

func TestPage(t *testing.T) {
	var got struct {
		Views         [][2]float64
		Tip, Text     string
		Waits, Target int
	}
	p, _ := pageOf(t, func(w *lanes.File) *report.Report {
		r := sample()
		w.Finish(r.Trace.Duration, nil)
		return r
	})
	pagetest.Run(t, p, helpers+`
		const views = [], note = () => views.push(view());
		note();
		key("0"); note();
		click("in"); note();
		click("right"); note();
		click("out"); note();
		key("+"); key("+"); note();
		key("ArrowLeft"); note();
		key("0"); note();
		point("pointerdown", 0.2, 60); point("pointermove", 0.4, 60); point("pointerup", 0.4, 60);
		note();
		document.querySelector("#verdict button").click(); note();
		document.querySelector("#waits button").click(); note();
		key("0");
		point("pointermove", 0.5005, 60);
		const length = table => table.tBodies[0].rows.length;
		const link = document.querySelector("#verdict a").getAttribute("href");
		return {views, tip: tip(), waits: length(document.getElementById("waits")),
			text: document.body.textContent,
			target: length(document.querySelector(link))};`, &got)
	want := [][2]float64{
		{4.5e9, 6.5e9}, // around the last slow call
		{0, 10e9}, {2.5e9, 7.5e9}, {3.75e9, 8.75e9}, {0, 10e9}, {3.75e9, 6.25e9}, {3.125e9, 5.625e9},
		{0, 10e9}, {2e9, 4e9}, {3.5e9, 5.5e9}, {1e9, 5e9},
	}
	if !slices.EqualFunc(got.Views, want, near) {
		t.Errorf("views %v, want %v", got.Views, want)
	}
	if !strings.HasPrefix(got.Tip, "5.0") {
		t.Errorf("the time at 5 s: %q", got.Tip)
	}
	if got.Waits != 3 || !strings.Contains(got.Text, "some.<trace>") {
		t.Errorf("%d waits; want 3, and the name with its brackets in %s", got.Waits, got.Text)
	}
	if got.Target != 3 {
		t.Errorf("the finding leads to a table with %d rows", got.Target)
	}
}

func TestPage_lanes(t *testing.T) {
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Skip("this process records a trace already: ", err)
	}
	trace.WithRegion(t.Context(), "</script>the region", func() { time.Sleep(20 * time.Millisecond) })
	var mu sync.Mutex
	mu.Lock()
	go func() { time.Sleep(10 * time.Millisecond); mu.Unlock() }()
	mu.Lock()
	runtime.GC()
	trace.Stop()
	p, r := pageOf(t, func(w *lanes.File) *report.Report {
		r, err := analysis.Trace(&out, analysis.Options{Name: "lanes", Lanes: w})
		if err != nil {
			t.Fatal(err)
		}
		return r
	})
	var got struct {
		Lanes      int
		Text, Tips string
		View       []float64
	}
	pagetest.Run(t, p, helpers+`
		let tips = "", height = canvas.getBoundingClientRect().height;
		for (let share = 0.005; share < 1; share += 0.01) {
			for (let y = 0; y < height; y += 9) { point("pointermove", share, y); tips += tip() + "\n"; }
		}
		const out = {lanes: Number(time.dataset.lanes), text: time.textContent, tips};
		for (let y = 0; y < height && time.querySelector(".details").hidden; y += 9) {
			point("pointerdown", 0.5, y); point("pointerup", 0.5, y);
		}
		out.text += time.querySelector(".details").textContent;
		[...time.querySelectorAll("button")].find(b => b.textContent.startsWith("longest stop")).click();
		out.view = view();
		return out;`, &got)
	if got.Lanes == 0 || !strings.Contains(got.Tips, "waiting: sleep for ") ||
		!strings.Contains(got.Tips, "region: </script>the region") ||
		!strings.Contains(got.Tips, "waiting: mutex for ") {
		t.Errorf("%d lanes, tips %s", got.Lanes, got.Tips)
	}
	tracer := regexp.MustCompile(`G\d+ (runtime|trace)\.(\(\*)?trace`)
	if own := tracer.FindString(got.Tips); own != "" {
		t.Errorf("%s records the trace", own)
	}
	for _, want := range []string{"goroutines, those that ran for longest", "zoom to it"} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("no %q in %s", want, got.Text)
		}
	}
	if len(got.View) != 2 || got.View[0] == 0 && got.View[1] == float64(r.Trace.Duration) {
		t.Errorf("view %v of %v", got.View, r.Trace.Duration)
	}
}
