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
	adopted := make(chan bool)
	go func() {
		h.Thread = thread.Adopt(opts...)
		defer h.Terminate()
		close(adopted)
		for f := range h.tasks {
			f()
		}
	}()
	arrives(t, adopted)
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
