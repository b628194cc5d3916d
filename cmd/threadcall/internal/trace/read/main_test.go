package read

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"runtime/trace"
	"slices"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// The test binary records a trace of itself into the file that this names, and does nothing else.
const recordInto = "THREADCALL_TEST_RECORD"

func TestMain(m *testing.M) {
	if file := os.Getenv(recordInto); file != "" {
		recordItself(file)
		return
	}
	if file := os.Getenv(recordForever); file != "" {
		recordUntilKilled(file)
	}
	os.Exit(m.Run())
}

// record returns the trace of f.
func record(t *testing.T, f func()) []byte {
	t.Helper()
	out := bytes.NewBuffer(make([]byte, 0, 8<<20)) // the heap that is seen shall not be that of the trace
	if err := trace.Start(out); err != nil {
		t.Skip("this process records a trace already: ", err)
	}
	defer trace.Stop()
	f()
	trace.Stop()
	return out.Bytes()
}

// analyse returns the report about f.
func analyse(t *testing.T, f func()) *report.Report {
	t.Helper()
	return read(t, record(t, f))
}

func read(t *testing.T, data []byte) *report.Report {
	t.Helper()
	r, err := Trace(bytes.NewReader(data), Options{Name: t.Name()})
	if err != nil {
		t.Fatal(err)
	}
	if r.Trace.Truncated || len(r.Warnings) > 0 || r.Trace.Bytes != int64(len(data)) || r.Trace.Events == 0 {
		t.Errorf("trace %+v, warnings %q, of %d bytes", r.Trace, r.Warnings, len(data))
	}
	consistent(t, r)
	return r
}

// consistent checks what is true of all reports.
func consistent(t *testing.T, r *report.Report) {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte(":null")) {
		i := bytes.Index(text, []byte(":null"))
		t.Errorf("has a list that is null, which is no list in other languages: %s", text[max(0, i-80):i+5])
	}

	var goroutines, executions, moves uint64
	for _, f := range r.Functions {
		goroutines += f.Goroutines
		executions += f.Executions
		moves += f.Moves
	}
	a, g := r.Affinity, r.Goroutines
	if len(r.Functions) < maxFunctions &&
		(goroutines != g.First+g.Created || executions != a.Executions || moves != a.Moves) {
		t.Errorf("functions have %d goroutines, %d executions, %d moves; others see %d, %d, %d",
			goroutines, executions, moves, g.First+g.Created, a.Executions, a.Moves)
	}
	if g.Last != g.First+g.Created-g.Ended || g.Peak < max(g.First, g.Last) {
		t.Errorf("goroutines %+v", g)
	}
	if sum(a.Why) != a.Moves || sum(a.Via) != a.Moves || float64(a.Moves) != a.Per.Sum || a.Per.N != a.Goroutines {
		t.Errorf("%d moves, why %v, via %v, per %v, %d goroutines", a.Moves, a.Why, a.Via, a.Per, a.Goroutines)
	}
	for _, s := range []report.Series{r.Heap.Allocated, r.Heap.Goal, g.Existing, r.Threads.Seen, r.Threads.Busy} {
		if len(s.Points) > 512 || !slices.IsSortedFunc(s.Points, func(a, b report.Point) int { return cmp.Compare(a.At, b.At) }) {
			t.Errorf("%d points, or not in order", len(s.Points))
		}
		for _, p := range s.Points {
			if p.Min > p.Last || p.Last > p.Max || p.At%s.Step != 0 || p.At > r.Trace.Duration {
				t.Errorf("point %+v of steps of %v", p, s.Step)
			}
		}
	}
	for _, th := range r.Threads.Busiest {
		if th.Running+th.Syscall+th.Idle+th.First != r.Trace.Duration {
			t.Errorf("thread %+v, of %v", th, r.Trace.Duration)
		}
		for i, x := range th.Timeline.Running {
			if y := th.Timeline.Syscall[i]; x < 0 || y < 0 || x+y > 1.0000001 {
				t.Errorf("thread %d, step %d: %v running, %v in system calls", th.ID, i, x, y)
			}
		}
	}
}

func sum(counts []report.Count) (n uint64) {
	for _, c := range counts {
		n += c.N
	}
	return n
}

func of(counts []report.Count, name string) uint64 {
	for _, c := range counts {
		if c.Name == name {
			return c.N
		}
	}
	return 0
}

// findFunction returns what the goroutines did that began with a function whose name ends so.
func findFunction(r *report.Report, end string) report.Function {
	for _, f := range r.Functions {
		if strings.HasSuffix(f.Name, end) {
			return f
		}
	}
	return report.Function{}
}

// findPlace returns the calls from functions whose name ends so.
func findPlace(r *report.Report, kind, end string) report.Place {
	for _, p := range r.Calls.Places {
		if p.Kind == kind && strings.HasSuffix(p.Func, end) {
			return p
		}
	}
	return report.Place{}
}
