package analysis

import (
	"context"
	"fmt"
	rtrace "runtime/trace"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
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
		err := x.Scan(0, x.Duration, func(v *lanes.Interval) {
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

// request has a task that waits for a worker, which waits for a mutex, whose holder sleeps.
func request(held time.Duration) {
	_, task := rtrace.NewTask(context.Background(), "request")
	defer task.End()
	var mu sync.Mutex
	locked, done := make(chan bool), make(chan bool)
	go holder(&mu, locked, held)
	<-locked
	go needsMutex(&mu, done)
	<-done
}

func holder(mu *sync.Mutex, locked chan bool, held time.Duration) {
	mu.Lock()
	defer mu.Unlock()
	close(locked)
	time.Sleep(held)
}

func needsMutex(mu *sync.Mutex, done chan bool) {
	mu.Lock()
	defer mu.Unlock()
	done <- true
}

// pathOf returns the path of a task.
func pathOf(t *testing.T, r *report.Report, x *lanes.Index, of string) *report.Path {
	t.Helper()
	p, err := Path(x, r, of)
	if err != nil {
		t.Fatal(err)
	}
	at := p.At
	for _, s := range p.Steps {
		if s.At != at || s.Length <= 0 {
			t.Errorf("a gap before %+v", s)
		}
		at += s.Length
	}
	var sum time.Duration
	for _, part := range p.Parts {
		sum += part.Time
	}
	if at != p.At+p.Length || sum != p.Length {
		t.Errorf("%v: steps end at %v of %v, parts have %v", of, at-p.At, p.Length, sum)
	}
	return p
}

func TestPath(t *testing.T) {
	const held = 50 * time.Millisecond
	_, early := rtrace.NewTask(context.Background(), "early")
	r, x := read(t, record(t, func() {
		request(time.Millisecond)
		request(held)
		early.End()
		rtrace.NewTask(context.Background(), "late")
		request(time.Millisecond)
	}))
	p := pathOf(t, r, x, "request")
	for _, task := range r.Tasks {
		switch {
		case task.Type != "request":
			if task.Unfinished != 1 || task.Times.N != 0 {
				t.Errorf("%+v", task)
			}
		case task.Times.N != 3 || p.Length != task.Longest.Length || p.At != task.Longest.At:
			t.Errorf("task %+v; the path is from %v for %v", task, p.At, p.Length)
		case pathOf(t, r, x, fmt.Sprint(task.ID)).At != p.At:
			t.Errorf("the path of task %d is another one", task.ID)
		}
	}
	var slept report.Step
	for _, s := range p.Steps {
		if s.Length > slept.Length {
			slept = s
		}
	}
	if slept.Doing != sleep || !strings.HasSuffix(slept.Func, ".holder") || slept.Length < held ||
		slept.For != mutex && slept.For != channelRecv {
		t.Errorf("the longest step: %+v", slept)
	}
	if p.Parts[0].Time < slept.Length || p.Parts[0].Doing != sleep {
		t.Errorf("the longest part: %+v", p.Parts[0])
	}
	life := pathOf(t, r, x, fmt.Sprint("goroutine=", slept.Goroutine))
	if life.Length < held || life.Length > r.Trace.Duration {
		t.Errorf("the holder's life: %+v", life)
	}
	var id uint64 // of the task from before the trace, of which that does not have the type
	if err := x.Scan(0, 0, func(v *lanes.Interval) { id = max(id, v.Task) }); err != nil {
		t.Fatal(err)
	}
	if p := pathOf(t, r, x, fmt.Sprint(id)); p.At != 0 || p.Length < held {
		t.Errorf("a task from before the trace: %v from %v", p.Length, p.At)
	}
	if p := pathOf(t, r, x, "late"); p.Length < time.Millisecond || p.At+p.Length != r.Trace.Duration {
		t.Errorf("a task that has not ended: %v from %v", p.Length, p.At)
	}
	for _, of := range []string{"no such type", "goroutine=99999999", "99999999", "0", "slow"} {
		if p, err := Path(x, r, of); err == nil {
			t.Errorf("%q has the path %+v", of, p)
		}
	}
}
