package text

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// written returns what write writes on a screen of that width.
func written(t *testing.T, width int, write func(*ui.Screen)) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "text"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := ui.On(f)
	s.Width = width
	write(s)
	text, err := os.ReadFile(f.Name())
	if s.Err != nil || err != nil {
		t.Fatal(s.Err, err)
	}
	for line := range strings.Lines(string(text)) {
		if n := ui.Columns(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	return string(text)
}

func TestTheTextHasTheFactsOfTheReport(t *testing.T) {
	frame := report.Frame{Func: "main." + strings.Repeat("long", 20), File: "/src/main.go", Line: 7}
	call := report.Call{Kind: "Call", Run: 5 * time.Millisecond, From: []report.Frame{frame},
		On: []report.Frame{{Func: "time.Sleep"}}, Stopped: &report.Wait{Reason: "sleep", Time: 4 * time.Millisecond}}
	slow := []report.SlowCall{
		{At: time.Second, Running: 2 * time.Second, Thread: 70, Goroutine: -1, Queued: -1},
		{At: 900 * time.Millisecond, Running: 300 * time.Millisecond, Thread: 71, Kind: "Call", Goroutine: 5, Queued: time.Millisecond,
			From: []report.Frame{frame}, Waits: "sync", Waited: 200 * time.Millisecond, On: []report.Frame{{Func: "sync.(*Mutex).Lock"}}},
	}
	r := &report.Report{
		Trace:    report.Trace{Name: "some.trace", Duration: time.Second},
		Warnings: []string{"The trace is damaged, and this takes more than one line to describe, as warnings often do."},
		Heap:     report.Heap{Allocated: report.Series{Points: make([]report.Point, 1)}, Peak: 2 << 20, Lows: &report.Trend{N: 3, Growth: 4096, Error: 512}},
		Stops:    report.Stops{Reasons: []report.StopReason{{Reason: "GC mark termination"}, {Reason: "start trace", Own: true}}},
		Calls:    report.Calls{Total: 20, InPlace: 3, Places: []report.Place{{Frame: frame, Kind: "Call", N: 17}}, Worst: []report.Call{call}, Slow: slow},
		Affinity: report.Affinity{Executions: 40, Moves: 4, Why: []report.Count{{Name: "channel", N: 3}, {Name: "sync", N: 1}}},
		Verdict:  []report.Finding{{Text: "One goroutine waited for long.", Table: "waits", At: time.Second}},
		Waiting: report.Waiting{
			Reasons: []report.WaitReason{{Reason: "mutex", Blocked: 3}},
			Places: []report.WaitPlace{{Reason: "mutex", Frame: frame, Wakers: []report.Waker{{Frame: report.Frame{Func: "?"}}}},
				{Reason: "sleep", Frame: report.Frame{Func: "main.asleep", File: "sleep.go"}}},
			Blocked: []report.Blocked{{Reason: "channel send", Frame: frame, N: 5000, Created: []report.Waker{{Frame: report.Frame{Func: "main.leak", File: "leak.go", Line: 9}}}}},
			Latency: report.Latency{All: report.Distribution{N: 1}, Places: []report.LatencyPlace{{How: "preempted", Frame: frame}}},
		},
		Tasks: []report.Task{{Type: "request", Times: report.Distribution{N: 4}, ID: 77, Unfinished: 1}},
		Path: &report.Path{What: "task 77, request", Length: time.Second, Parts: []report.Part{{Doing: "ran", Frame: frame, Sum: report.Sum{Time: time.Second}}},
			Steps: []report.Step{{Doing: "sleep", Frame: frame, Depth: 2, For: "mutex", Length: time.Second}}, Omitted: 1},
		Locked: []report.LockedThread{{Thread: 77, Evidence: report.HandedOver}},
	}
	text := written(t, 80, func(s *ui.Screen) { Write(s, r) })
	for _, want := range []string{"warning  The trace", "peak 2 MiB", "+4,096 B ± 1,024 B a", "GC mark termination", "start trace (not counted above)",
		"10.0% of 40 executions", "channel 75.0%, sync 25.0%", "taken for locked", "calls           20, 3 of them in place", "main.go:7",
		"stopped for 4 ms (sleep)", `waited for long. At 1 s; see "Waiting".`, "Blocked at the end", "5,000", "leak.go:9", "ended by",
		"waited 0 ns in all for a P, 1 time:", "request", "Critical path of task 77", "sleep, ends a mutex", "and 1 more step\n",
		"slow call at 600 ms into", "Call of goroutine 5 had", "had run for 300 ms\n", "thread 71",
		"waited for 200 ms (sync)", "slow call at 0 ns into the trace: a function had run for 2 s"} {
		if !strings.Contains(text, want) {
			t.Errorf("has no %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "asleep") {
		t.Error("has a place where goroutines sleep")
	}
	empty := written(t, 80, func(s *ui.Screen) { Write(s, &report.Report{}) })
	for _, want := range []string{"does not have its size", "stop-the-world  0 times", "moves           none"} {
		if !strings.Contains(empty, want) {
			t.Errorf("an empty report has no %q:\n%s", want, empty)
		}
	}
}
