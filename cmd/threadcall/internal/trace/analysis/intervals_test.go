package analysis

import (
	rtrace "runtime/trace"
	"sync"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
)

func TestTrace_intervals(t *testing.T) {
	var mu sync.Mutex
	_, x := read(t, record(t, func() {
		rtrace.Log(t.Context(), threadCategory, "12345 a name")
		mu.Lock()
		done := make(chan bool)
		go func() {
			ctx, task := rtrace.NewTask(t.Context(), "job")
			rtrace.WithRegion(ctx, "outer", func() {
				rtrace.WithRegion(ctx, "inner", func() {
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
	}))
	named := func(kind lanes.Kind, name string) (found lanes.Interval) {
		t.Helper()
		err := x.Scan(func(v *lanes.Interval) {
			if v.Kind == kind && x.Name(v.Name) == name {
				found = *v
			}
		})
		if err != nil || found.Goroutine == 0 {
			t.Errorf("no %v %q, %v", kind, name, err)
		}
		return found
	}
	task := named(lanes.Task, "job")
	outer, inner := named(lanes.Region, "outer"), named(lanes.Region, "inner")
	if outer.Start < task.Start || inner.Start < outer.Start ||
		inner.End() > outer.End() || outer.End() > task.End() {
		t.Errorf("task %+v, regions %+v and %+v", task, outer, inner)
	}
	for _, v := range []lanes.Interval{outer, inner} {
		if v.Task != task.Task || v.Task == 0 {
			t.Errorf("%+v is not of task %d", v, task.Task)
		}
	}
	wait := named(lanes.Waiting, mutex)
	if wait.Goroutine != task.Goroutine || wait.By == task.Goroutine || wait.By == lanes.None ||
		wait.Stack == 0 || wait.ByStack == 0 {
		t.Errorf("the wait for the mutex is %+v", wait)
	}
	if x.Thread(12345) != "a name" || x.Thread(1) != "" {
		t.Errorf("thread 12345 is %q, thread 1 is %q", x.Thread(12345), x.Thread(1))
	}
}
