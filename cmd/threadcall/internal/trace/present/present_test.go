package present

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/report/trace"
)

// sample returns a report of ten seconds with something in each section: a function was slow from
// 5 s to 6 s.
func sample() *trace.Report {
	const s, ms = time.Second, time.Millisecond
	frame := trace.Frame{Func: "main." + strings.Repeat("long", 20), File: "/src/main.go", Line: 7}
	leak := trace.Frame{Func: "main.<leak>", File: "leak.go", Line: 9}
	times := trace.Distribution{N: 20, Sum: 2e9, P50: 1e6, P99: 3e6, Max: 4e6}
	r := &trace.Report{
		Trace:    trace.Trace{Name: "some.<trace>", Duration: 10 * s, Format: "go 1.26"},
		Warnings: []string{"The trace is damaged, which takes more than one line to describe here."},
		Heap:     trace.Heap{Peak: 2 << 20},
		Stops:    trace.Stops{All: times},
		Verdict: []trace.Finding{{Text: "One <goroutine> waited.", Table: "Waiting",
			Moment: trace.Moment{At: 4 * s, Length: s}}},
	}
	for i := range 12 {
		r.Functions = append(r.Functions, trace.Function{Name: fmt.Sprint("main.worker", i)})
	}
	r.Waiting = trace.Waiting{
		Places: []trace.WaitPlace{
			{Reason: "mutex", Place: trace.Place{Frame: frame}, Times: times,
				Longest: trace.Moment{At: 2 * s, Length: 2 * s},
				Stack:   []trace.Frame{frame}, Wakers: []trace.Waker{{Frame: trace.Frame{Func: "?"}}}},
			{Reason: "sleep", Place: trace.Place{Frame: trace.Frame{Func: "main.asleep", File: "sleep.go"}}},
			{Reason: "runtime", Place: trace.Place{Frame: trace.Frame{Func: "runtime.swept"}}},
		},
		Blocked: []trace.Blocked{
			{Reason: "channel send", Frame: frame, N: 5000, Created: []trace.Waker{{Frame: leak}}},
		},
		Latency: times, Wakeups: []trace.Wakeups{{Frame: frame, Woken: 4321}},
	}
	r.Calls = trace.Calls{
		Total: 20, InPlace: 3, Places: []trace.CallPlace{{Frame: frame, Kind: "Call", Queued: times}},
		Slow: []trace.SlowCall{
			{At: 900 * ms, Running: 300 * ms, Thread: 71, Kind: "Call", Goroutine: 5, Queued: ms,
				Waits: "mutex", Waited: 200 * ms,
				From: []trace.Frame{frame}, On: []trace.Frame{{Func: "sync.(*Mutex).Lock"}}},
			{At: 6 * s, Running: s, Thread: 70, Goroutine: -1, Queued: -1},
		},
	}
	return r
}

// written returns the text of a report on a screen of that width.
func written(t *testing.T, width int, r *trace.Report) string {
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
		r    *trace.Report
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
		{&trace.Report{}, []string{"does not have its size", "stop-the-world  0 times"}, "Waiting"},
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
