package bench

import (
	"context"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/thread"
)

// observed are ways to observe what a thread does.
var observed = []way{
	onThread,
	{name: "stats", open: func() (Subject, func()) { t := thread.New(); t.Stats(); return t, t.Terminate }},
	{name: "slow", open: func() (Subject, func()) {
		t := thread.New(thread.WithSlowCall(time.Minute, func(thread.SlowCall) {}))
		return t, t.Terminate
	}},
	{name: "context", open: func() (Subject, func()) { return withContext(context.TODO()) }},
	{name: "cancel", open: func() (Subject, func()) {
		ctx, cancel := context.WithCancel(context.Background())
		s, end := withContext(ctx)
		return s, func() { end(); cancel() }
	}},
	{name: "labels", open: func() (Subject, func()) {
		return withContext(pprof.WithLabels(context.Background(), pprof.Labels("work", "a", "for", "b")))
	}},
}

// A contextual thread is called by CallContext.
type contextual struct {
	*thread.Thread
	ctx context.Context
}

func (c contextual) Call(f func()) bool { return c.CallContext(c.ctx, f) == nil }

func withContext(ctx context.Context) (Subject, func()) {
	t := thread.New()
	return contextual{t, ctx}, t.Terminate
}

// pool returns two ways to have so many threads share the work.
func pool(threads int) []way {
	return []way{
		{"thread", func() (Subject, func()) { p := thread.NewPool(threads); return p, p.Terminate }, threads},
		{"reference", func() (Subject, func()) {
			d := Struct()
			var stops []func()
			for range threads {
				stops = append(stops, OnThread(d))
			}
			return d, func() {
				for _, stop := range stops {
					stop()
				}
			}
		}, threads},
	}
}

// eventLoops are two ways to have functions run by an external event loop that waits in the operating system, here for a
// pipe.
var eventLoops = []way{
	{name: "thread", open: func() (Subject, func()) {
		var t *thread.Thread
		end := eventLoop(func(wake func()) (serve func()) {
			t = thread.Adopt()
			t.OnWake(wake)
			return func() { t.Serve() }
		}, func() { t.Terminate() })
		return t, end
	}},
	{name: "reference", open: func() (Subject, func()) {
		q := &drained{pairs: Struct().(pairs)}
		return q, eventLoop(func(wake func()) (serve func()) {
			q.wake = wake
			return q.drain
		}, nop)
	}},
}

// eventLoop starts a goroutine that is locked to its thread and calls serve after each wake, and returns when
// that waits.
func eventLoop(begin func(wake func()) (serve func()), terminate func()) (end func()) {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	r.Fd() // from now on, reading blocks the thread and not only the goroutine
	begun, ended := make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		serve := begin(func() { w.Write([]byte{0}) })
		defer terminate()
		close(begun)
		for b := make([]byte, 64); ; serve() {
			if _, err := r.Read(b); err != nil {
				return
			}
		}
	}()
	<-begun
	return func() {
		w.Close()
		<-ended
		r.Close()
	}
}

// drained is the design Struct, whose channel an event loop empties when it is woken.
type drained struct {
	pairs
	wake func()
}

func (q *drained) Call(f func()) bool {
	done := dones.Get().(chan error)
	defer dones.Put(done)
	q.queue <- pair{f, done}
	q.wake()
	wait(done)
	return true
}

func (q *drained) Go(f func()) bool {
	q.queue <- pair{f: f}
	q.wake()
	return true
}

func (q *drained) drain() {
	for {
		select {
		case c := <-q.queue:
			if err := run(c.f); c.done != nil {
				c.done <- err
			}
		default:
			return
		}
	}
}

func TestSubjectsRunWhatTheyAreGiven(t *testing.T) {
	all := slices.Concat([]way{onMain, onThread, reference}, pool(3))
	if runtime.GOARCH != "wasm" { // which has no pipes
		all = append(all, eventLoops...)
	}
	for _, s := range all {
		subject, end := s.open()
		var ran atomic.Int32
		posted := make(chan bool)
		if !subject.Go(func() { ran.Add(1); close(posted) }) || !subject.Call(func() { ran.Add(1) }) {
			t.Errorf("%s refused a function", s.name)
		}
		if <-posted; ran.Load() != 2 {
			t.Errorf("%s ran %d of 2 functions", s.name, ran.Load())
		}
		end()
	}
}
