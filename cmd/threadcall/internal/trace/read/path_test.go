package read

import (
	"bytes"
	"context"
	"fmt"
	rtrace "runtime/trace"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

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

// pathOf returns the path of what the selector selects.
func pathOf(t *testing.T, data []byte, selector string) (*report.Path, *report.Report) {
	t.Helper()
	s, err := ParseSelector(selector)
	if err != nil {
		t.Fatal(err)
	}
	var w *Window
	r, err := Trace(bytes.NewReader(data), Options{Path: s, Window: func(found Window) { w = &found }})
	if err != nil || w == nil {
		t.Fatalf("%v, window %v", err, w)
	}
	p, err := Path(bytes.NewReader(data), *w)
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
		t.Errorf("%v: steps end at %v of %v, parts have %v", selector, at-p.At, p.Length, sum)
	}
	return p, r
}

func TestThePathOfATaskLeadsToTheHolderOfItsMutex(t *testing.T) {
	const held = 50 * time.Millisecond
	data := record(t, func() {
		request(time.Millisecond)
		request(held)
		request(time.Millisecond)
	})
	p, r := pathOf(t, data, "request")
	if len(r.Tasks) != 1 || r.Tasks[0].Times.N != 3 || p.Length != r.Tasks[0].Longest.Length || p.At != r.Tasks[0].Longest.At {
		t.Errorf("tasks %+v; the path is from %v for %v", r.Tasks, p.At, p.Length)
	}
	var slept report.Step
	for _, s := range p.Steps {
		if s.Length > slept.Length {
			slept = s
		}
	}
	if slept.Doing != sleep || !strings.HasSuffix(slept.Func, ".holder") || slept.Length < held || slept.For != mutex && slept.For != "channel receive" {
		t.Errorf("the longest step: %+v", slept)
	}
	if p.Parts[0].Time < slept.Length || p.Parts[0].Doing != sleep {
		t.Errorf("the longest part: %+v", p.Parts[0])
	}
}

func TestThePathOfAGoroutineIsItsLife(t *testing.T) {
	data := record(t, func() { request(10 * time.Millisecond) })
	r := read(t, data)
	p, _ := pathOf(t, data, "request")
	for _, s := range p.Steps {
		if strings.HasSuffix(s.Func, ".holder") {
			life, _ := pathOf(t, data, fmt.Sprint("goroutine=", s.Goroutine))
			if life.Length < 10*time.Millisecond || life.Length > r.Trace.Duration {
				t.Errorf("%+v", life)
			}
			return
		}
	}
	t.Errorf("no step in the holder: %+v", p.Steps)
}

func TestATaskThatBeganBeforeTheWindowHasAPath(t *testing.T) {
	_, task := rtrace.NewTask(context.Background(), "early")
	data := record(t, func() {
		time.Sleep(5 * time.Millisecond)
		task.End()
		rtrace.NewTask(context.Background(), "late")
		time.Sleep(5 * time.Millisecond)
	})
	if p, r := pathOf(t, data, "late"); p.Length < 5*time.Millisecond || p.At+p.Length != r.Trace.Duration {
		t.Errorf("a task that has not ended: %v from %v", p.Length, p.At)
	}
	for _, task := range read(t, data).Tasks {
		if task.Unfinished != 1 || task.Times.N != 0 {
			t.Errorf("%+v", task)
		}
	}
}
