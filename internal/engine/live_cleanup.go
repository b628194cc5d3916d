package engine

import (
	"sync"

	"github.com/threadcall/threadcall/internal/list"
)

// A Cleanup is a function that the thread runs once, unless it is stopped:
//
//	state   next, and by
//	listed  taken, under mu of its engine: by the thread, which then runs it, in the function that
//	        Queue has posted or when it ends; or by Stop
//	taken   none
//
// What Queue posts may be refused or dropped when the thread is terminated, and the Cleanup is then
// still listed. When a thread that ends finds none listed, it sets over under mu, so that none is
// listed later.
type Cleanup struct {
	of    *Engine
	node  list.Node[*Cleanup]
	free  func()
	keeps any // while it is listed
}

type cleanups struct {
	mu   sync.Mutex
	all  list.List[*Cleanup]
	over bool
}

// AddCleanup lists free, and refers to keeps as long as that is listed. It returns nil if the
// thread is about to end.
func (e *Engine) AddCleanup(free func(), keeps any) *Cleanup {
	c := &Cleanup{of: e, free: free, keeps: keeps}
	c.node.Value = c
	e.cleanups.mu.Lock()
	defer e.cleanups.mu.Unlock()
	if e.cleanups.over {
		return nil
	}
	e.cleanups.all.Append(&c.node)
	return c
}

// Queue has the thread run the function, without a limit.
func (c *Cleanup) Queue() {
	c.of.cleanups.mu.Lock()
	listed := c.node.Listed()
	c.of.cleanups.mu.Unlock()
	if listed {
		c.of.Post(func() {
			if free := c.take(); free != nil {
				free()
			}
		})
	}
}

// Stop reports whether the function has not begun and will not.
func (c *Cleanup) Stop() bool { return c.take() != nil }

func (c *Cleanup) take() (free func()) {
	c.of.cleanups.mu.Lock()
	defer c.of.cleanups.mu.Unlock()
	if c.node.Remove() {
		free, c.free, c.keeps = c.free, nil, nil
	}
	return free
}

// runCleanups runs what is listed, on the thread, the youngest first, as runStops does. The main
// thread of package mainthread ends with the process. Meanwhile, the thread counts as one that
// serves, so that no function ends it.
func (e *Engine) runCleanups() {
	if e.permanent {
		return
	}
	e.serving.Add(1)
	defer e.serving.Add(-1)
	for x := &e.cleanups; ; {
		x.mu.Lock()
		last := x.all.Last
		x.over = last == nil
		x.mu.Unlock()
		if last == nil {
			return
		}
		if free := last.Value.take(); free != nil {
			e.runLast(free)
		}
	}
}
