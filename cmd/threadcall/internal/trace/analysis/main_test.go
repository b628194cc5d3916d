package analysis

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	rtrace "runtime/trace"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/report/trace"
)

// With this variable, the test binary records a trace of itself, and does nothing else.
const recording = "THREADCALL_TEST_RECORD"

// These programs record themselves.
var programs = map[string]func(){"generations": recordItself, "loop": recordLoop,
	"answers": recorded(answersForMain), "answers by one": recorded(answersByOne),
	"group of two": recorded(crawl), "channel for two": recorded(limit), "served": recorded(served)}

func TestMain(m *testing.M) {
	if name := os.Getenv(recording); name != "" {
		programs[name]()
		return
	}
	os.Exit(m.Run())
}

// recordedBy returns the trace that a program has of itself.
func recordedBy(t *testing.T, program string) []byte {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), recording+"="+program, "GODEBUG=traceadvanceperiod=20000000")
	data, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// record returns the trace of f.
func record(t *testing.T, f func()) []byte {
	t.Helper()
	out := bytes.NewBuffer(make([]byte, 0, 8<<20)) // the trace shall not grow the heap
	if err := rtrace.Start(out); err != nil {
		t.Skip("this process records a trace already: ", err)
	}
	defer rtrace.Stop()
	f()
	rtrace.Stop()
	return out.Bytes()
}

// analyse returns the report about f.
func analyse(t *testing.T, f func()) *trace.Report {
	t.Helper()
	return read(t, record(t, f))
}

// read returns the report on a trace that is whole.
func read(t *testing.T, data []byte) *trace.Report {
	t.Helper()
	r, err := Trace(bytes.NewReader(data), t.Name())
	if err != nil {
		t.Fatal(err)
	}
	if r.Trace.Truncated || len(r.Warnings) > 0 || r.Trace.Bytes != int64(len(data)) ||
		r.Trace.Events == 0 {
		t.Errorf("trace %+v, warnings %q, of %d bytes", r.Trace, r.Warnings, len(data))
	}
	consistent(t, r)
	return r
}

// consistent checks what is true of all reports.
func consistent(t *testing.T, r *trace.Report) {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if i := bytes.Index(text, []byte(":null")); i >= 0 {
		t.Errorf("a list is null, which other languages do not take for a list: %s",
			text[max(0, i-80):i+5])
	}
	var goroutines uint64
	for _, f := range r.Functions {
		goroutines += f.Goroutines
		if sum := f.Running + f.Runnable + f.Waiting + f.Syscall; sum < 0 ||
			sum > r.Trace.Duration*time.Duration(f.Goroutines) {
			t.Errorf("%+v: the states have %v in sum, in %v", f, sum, r.Trace.Duration)
		}
	}
	g, all := r.Goroutines, r.Goroutines.First+r.Goroutines.Created
	if len(r.Functions) < maxFunctions && goroutines != all {
		t.Errorf("functions have %d goroutines; others see %d", goroutines, all)
	}
	if l := r.Waiting.Load; l.Full < 0 || l.Full > r.Trace.Duration || l.Ready < 0 {
		t.Errorf("load %+v in %v", l, r.Trace.Duration)
	}
	if g.Last != g.First+g.Created-g.Ended || g.Peak < max(g.First, g.Last) {
		t.Errorf("goroutines %+v", g)
	}
}

// findFunction returns what the goroutines did that began with a function whose name ends so.
func findFunction(r *trace.Report, end string) trace.Function {
	for _, f := range r.Functions {
		if strings.HasSuffix(f.Name, end) {
			return f
		}
	}
	return trace.Function{}
}

// goroot returns the directory of the Go distribution, with its source.
func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("SKIPPED, NOTHING TESTED: needs the go command: ", err)
	}
	return strings.TrimSpace(string(out))
}
