package engine

import (
	"sync"

	"github.com/threadcall/threadcall/internal/list"
)

// An atEnd lists the functions that the end of a thread calls.
type atEnd struct {
	mu   sync.Mutex
	list list.List[func()]
}

// AtEnd has Terminate call n.Value, unless NotAtEnd comes before. It is false if the thread has
// been terminated or closed; then the caller must call NotAtEnd, as Terminate may have called
// n.Value or not.
func (e *Engine) AtEnd(n *list.Node[func()]) bool {
	e.atEnd.mu.Lock()
	e.atEnd.list.Append(n)
	e.atEnd.mu.Unlock()
	return e.phase.Load() == open // looked at last, as Terminate closes the thread first
}

// NotAtEnd ends what AtEnd has begun.
func (e *Engine) NotAtEnd(n *list.Node[func()]) {
	e.atEnd.mu.Lock()
	n.Remove()
	e.atEnd.mu.Unlock()
}

// call calls all, without mu.
func (a *atEnd) call() {
	for {
		a.mu.Lock()
		first := a.list.First
		if first != nil {
			first.Remove()
		}
		a.mu.Unlock()
		if first == nil {
			return
		}
		first.Value()
	}
}
