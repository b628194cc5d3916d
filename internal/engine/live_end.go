package engine

import (
	"sync"

	"github.com/threadcall/threadcall/internal/list"
)

// Calls list functions that the end of a thread calls, each once, unless it is taken before:
//
//	state   next, and by
//	listed  taken, by the end, which then calls it, or by Take
//	taken   none
//
// An end that finds none listed sets over, so that none is listed later.
type Calls struct {
	mu   sync.Mutex
	list list.List[func()]
	over bool
}

// Add lists n.Value, unless the thread has ended.
func (c *Calls) Add(n *list.Node[func()]) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over {
		c.list.Append(n)
	}
	return !c.over
}

// Has reports whether n is listed.
func (c *Calls) Has(n *list.Node[func()]) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return n.Listed()
}

// any reports whether any function is listed.
func (c *Calls) any() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.list.Len > 0
}

// Take returns the function of n, which nothing else calls then, or nil if n is not listed.
func (c *Calls) Take(n *list.Node[func()]) (f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n.Remove() {
		f, n.Value = n.Value, nil
	}
	return f
}

// end has run call what is listed, the youngest first.
func (c *Calls) end(run func(func())) {
	for {
		c.mu.Lock()
		last := c.list.Last
		c.over = last == nil
		c.mu.Unlock()
		if last == nil {
			return
		}
		if f := c.Take(last); f != nil {
			run(f)
		}
	}
}

// runCleanups runs what AtExit lists, on the thread, as runStops does. The main thread of package
// mainthread ends with the process. Meanwhile, the thread counts as one that serves, and has its
// identity, if another goroutine has ended that.
func (e *Engine) runCleanups() {
	if e.Main {
		return
	}
	e.ending.Lock()
	e.serving.Add(1)
	if e.m.Load() == 0 {
		e.claim()
	}
	e.ending.Unlock()
	defer e.serving.Add(-1)
	e.AtExit.end(e.runLast)
}
