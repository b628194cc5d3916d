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
)

// request has a task that waits for a worker, which waits for a mutex, whose holder sleeps.
func request(held time.Duration) {
	ctx, task := rtrace.NewTask(context.Background(), "request")
	defer task.End()
	var mu sync.Mutex
	locked, done := make(chan bool), make(chan bool)
	go holder(&mu, locked, held)
	<-locked
	go func() {
		rtrace.WithRegion(ctx, "outer", func() { rtrace.WithRegion(ctx, "inner", mu.Lock) })
		defer mu.Unlock()
		done <- true
	}()
	<-done
}

func holder(mu *sync.Mutex, locked chan bool, held time.Duration) {
	mu.Lock()
	defer mu.Unlock()
	close(locked)
	time.Sleep(held)
}

func TestPath(t *testing.T) {
	const held = 50 * time.Millisecond
	_, early := rtrace.NewTask(context.Background(), "early")
	r, file := read(t, record(t, func() {
		request(time.Millisecond)
		rtrace.Log(context.Background(), threadCategory, "12345 a name")
		request(held)
		early.End()
		rtrace.NewTask(context.Background(), "late")
		request(time.Millisecond)
	}))
	var task, life, before, late, inner, outer lanes.Interval
	if err := file.Scan(func(v *lanes.Interval) {
		switch name := file.Name(v.Name); {
		case v.Kind == lanes.Task && name == "request" && v.Length > task.Length:
			task = *v
		case v.Kind == lanes.Task && name == "late":
			late = *v
		case v.Kind == lanes.Task && v.Start == 0: // the trace does not have its type
			before = *v
		case v.Kind == lanes.Life && strings.HasSuffix(name, ".holder") && v.Length > life.Length:
			life = *v
		case v.Kind == lanes.Region && name == "inner" && v.Length > inner.Length:
			inner = *v
		case v.Kind == lanes.Region && name == "outer" && v.Length > outer.Length:
			outer = *v
		}
	}); err != nil {
		t.Fatal(err)
	}
	if task.Task == 0 || inner.Task != task.Task || outer.Task != task.Task || inner.Length == 0 ||
		outer.Start < task.Start || inner.Start < outer.Start || inner.End() > outer.End() ||
		outer.End() > task.End() || file.Thread(12345) != "a name" || file.Thread(1) != "" {
		t.Errorf("task %+v, regions %+v and %+v, thread %q", task, outer, inner, file.Thread(12345))
	}
	for of, want := range map[string]lanes.Interval{
		"request": task, fmt.Sprint(task.Task): task, fmt.Sprint(before.Task): before, "late": late,
		fmt.Sprint("goroutine=", life.Goroutine): life,
	} {
		p, err := Path(file, r, of)
		if err != nil || p.At != want.Start || p.Length != want.Length {
			t.Errorf("%s: %+v, %v, want %+v", of, p, err, want)
			continue
		}
		at, sum := p.At, time.Duration(0)
		for _, s := range p.Steps {
			if s.At != at || s.Length <= 0 || s.Length >= held && (s.Depth == 0) != (of[0] == 'g') {
				t.Errorf("%s: a gap before %+v, or not its depth", of, s)
			}
			at += s.Length
		}
		for _, part := range p.Parts {
			sum += part.Time
		}
		most := p.Parts[0]
		if at != want.End() || sum != p.Length ||
			of != "late" && (most.Doing != sleep || !strings.HasSuffix(most.Func, ".holder")) {
			t.Errorf("%s: steps end at %v, parts have %v of %+v, most %+v", of, at, sum, want, most)
		}
	}
	for _, of := range []string{"no such type", "goroutine=99999999", "99999999", "0", "slow"} {
		if p, err := Path(file, r, of); err == nil {
			t.Errorf("%q has the path %+v", of, p)
		}
	}
}
