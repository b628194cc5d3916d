package engine

import (
	"sync"

	"github.com/threadcall/threadcall/internal/callq"
)

// A limit bounds how many posted calls are queued. A nil limit does not.
//
// A call holds a place from before it is queued until it is taken to run. Nobody takes calls once the queue has been
// closed; then closed lets everybody through, to be refused by the queue.
type limit struct {
	places chan struct{}
	closed chan struct{}
	once   sync.Once
}

func newLimit(n int) *limit {
	if n <= 0 {
		return nil
	}
	return &limit{places: make(chan struct{}, n), closed: make(chan struct{})}
}

// enter takes a place, and waits for one unless the caller is on the thread that would make one free. It returns the
// kind that says whether the call has one.
func (l *limit) enter(thread interface{ On() bool }) callq.Kind {
	if l == nil {
		return callq.Posted
	}
	select {
	case l.places <- struct{}{}:
		return callq.Placed
	default:
	}
	if !thread.On() {
		select {
		case l.places <- struct{}{}:
			return callq.Placed
		case <-l.closed:
		}
	}
	return callq.Posted
}

// leave gives a place back.
func (l *limit) leave() { <-l.places }

func (l *limit) close() {
	if l != nil {
		l.once.Do(func() { close(l.closed) })
	}
}
