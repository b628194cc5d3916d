package thread_test

import (
	"testing"

	"github.com/threadcall/threadcall/thread"
)

// A host is a goroutine that has made a Thread of the thread it is on.
type host struct {
	*thread.Thread
	tasks chan func()
}

// adopt starts a host. It ends with the test.
func adopt(t *testing.T, opts ...thread.Option) *host {
	h := &host{tasks: make(chan func())}
	adopted := make(chan any)
	go func() {
		v := recovered(func() { h.Thread = thread.Adopt(opts...) })
		adopted <- v
		if v != nil {
			return
		}
		defer h.Terminate()
		for f := range h.tasks {
			f()
		}
	}()
	if v := arrives(t, adopted); v != nil {
		t.Fatalf("Adopt panicked: %v", v)
	}
	t.Cleanup(func() { close(h.tasks) })
	return h
}

// do runs f on the host's goroutine.
func (h *host) do(f func()) {
	done := make(chan bool)
	h.tasks <- func() {
		defer close(done)
		f()
	}
	<-done
}
