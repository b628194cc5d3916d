package read

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime/trace"
	"sync"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
)

// intervals returns the intervals of a trace by kind, and what the report says.
func intervals(t *testing.T, data []byte) (of map[lanes.Kind][]lanes.Interval, x *lanes.Index) {
	t.Helper()
	w, err := lanes.Create()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	r, err := Trace(bytes.NewReader(data), Options{Lanes: w})
	if err != nil {
		t.Fatal(err)
	}
	if x, err = w.Index(); err != nil {
		t.Fatal(err)
	}
	of = map[lanes.Kind][]lanes.Interval{}
	var sums [4]time.Duration
	if err := x.Scan(0, x.Duration(), func(v *lanes.Interval) {
		of[v.Kind] = append(of[v.Kind], *v)
		if v.Start < 0 || v.Length < 0 || v.End() > x.Duration() {
			t.Errorf("%+v is not within %v", v, x.Duration())
		}
		if v.Kind <= lanes.Waiting {
			sums[v.Kind] += v.Length
		}
	}); err != nil {
		t.Fatal(err)
	}
	var want [4]time.Duration
	for _, f := range r.Functions {
		want[lanes.Running] += f.Running
		want[lanes.Syscall] += f.Syscall
		want[lanes.Runnable] += f.Runnable
		want[lanes.Waiting] += f.Waiting
	}
	if sums != want && len(r.Functions) < maxFunctions {
		t.Errorf("running, syscall, runnable, waiting: intervals have %v, functions %v", sums, want)
	}
	if n := uint64(len(of[lanes.Life])); n != r.Goroutines.First+r.Goroutines.Created {
		t.Errorf("%d goroutines, the report has %d", n, r.Goroutines.First+r.Goroutines.Created)
	}
	return of, x
}

func TestIntervalsAgreeWithTheReport(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(goroot(t), "src/internal/trace/internal/tracev1/testdata/*_good"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(file), func(t *testing.T) { intervals(t, data) })
	}
}

func TestIntervalsOfAProgram(t *testing.T) {
	var mu sync.Mutex
	data := record(t, func() {
		trace.Log(t.Context(), ThreadCategory, "12345 a name")
		mu.Lock()
		done := make(chan bool)
		go func() {
			ctx, task := trace.NewTask(t.Context(), "job")
			trace.WithRegion(ctx, "outer", func() {
				trace.WithRegion(ctx, "inner", func() {
					trace.Log(ctx, "category", "message")
					mu.Lock()
					defer mu.Unlock()
				})
			})
			task.End()
			done <- true
		}()
		time.Sleep(10 * time.Millisecond)
		mu.Unlock()
		<-done
	})
	of, x := intervals(t, data)
	named := func(kind lanes.Kind, name string) (v lanes.Interval) {
		t.Helper()
		for _, v := range of[kind] {
			if x.Name(v.Name) == name {
				return v
			}
		}
		t.Errorf("no %v %q", kind, name)
		return v
	}
	task, outer, inner, log := named(lanes.Task, "job"), named(lanes.Region, "outer"), named(lanes.Region, "inner"), named(lanes.Log, "category")
	if outer.Start < task.Start || inner.Start < outer.Start || log.Start < inner.Start || inner.End() > outer.End() || outer.End() > task.End() ||
		task.Task == 0 || outer.Task != task.Task || inner.Task != task.Task || log.Task != task.Task || log.Text != "message" {
		t.Errorf("task %+v, regions %+v and %+v, log %+v", task, outer, inner, log)
	}
	wait := named(lanes.Waiting, "mutex")
	if wait.Goroutine != task.Goroutine || wait.By == task.Goroutine || wait.By == lanes.None || wait.Stack == 0 || wait.ByStack == 0 {
		t.Errorf("the wait for the mutex is %+v", wait)
	}
	if x.Thread(12345) != "a name" || x.Thread(1) != "" {
		t.Errorf("thread 12345 is %q, thread 1 is %q", x.Thread(12345), x.Thread(1))
	}
}
