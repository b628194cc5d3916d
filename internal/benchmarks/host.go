package benchmarks

import (
	"os"
	"runtime"
	"sync"

	"github.com/threadcall/threadcall/internal/workload"
	"github.com/threadcall/threadcall/thread"
)

// hosts are two ways to have functions run by an event loop that waits in the operating system, here for a pipe.
var hosts = []Subject{
	{Name: "thread", Open: func() (workload.Subject, func()) {
		var t *thread.Thread
		end := host(func(wake func()) (serve func()) {
			t = thread.Adopt()
			t.OnWake(wake)
			return func() { t.Serve() }
		}, func() { t.Terminate() })
		return t, end
	}},
	{Name: "reference", Open: func() (workload.Subject, func()) {
		q := &drained{calls: make(chan drainedCall, runtime.GOMAXPROCS(0))}
		return q, host(func(wake func()) (serve func()) {
			q.wake = wake
			return q.drain
		}, func() {})
	}},
}

// host starts a goroutine that is locked to its thread and calls serve after each wake, and returns when it waits.
func host(begin func(wake func()) (serve func()), terminate func()) (end func()) {
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

// drained is a channel that an event loop looks at when it is woken.
type drained struct {
	calls chan drainedCall
	wake  func()
}

type drainedCall struct {
	f    func()
	done chan bool // nil if nothing waits
}

var dones = sync.Pool{New: func() any { return make(chan bool) }}

func (q *drained) Call(f func()) bool {
	done := dones.Get().(chan bool)
	defer dones.Put(done)
	q.calls <- drainedCall{f, done}
	q.wake()
	return <-done
}

func (q *drained) Go(f func()) bool {
	q.calls <- drainedCall{f: f}
	q.wake()
	return true
}

func (q *drained) drain() {
	for {
		select {
		case c := <-q.calls:
			if c.f(); c.done != nil {
				c.done <- true
			}
		default:
			return
		}
	}
}
