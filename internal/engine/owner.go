package engine

import (
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/callq"
)

// An Owner has what users put into an engine or a pool and what may refer to the user's own handle of it: the panics of
// posted functions, and the function that is notified of slow ones. The engine refers to it weakly. Otherwise a handle that
// such a value refers to would never be collected, and its thread never reclaimed.
type Owner struct {
	faults faults
	notify atomic.Pointer[func(Slow)]
}

// Fault removes and returns the oldest panic that a posted function left behind. With the last that was kept, lost is how many
// came while there was no room.
func (o *Owner) Fault() (f *callq.Fault, lost int) { return o.faults.next() }

// Watch has notify called, once for each, about functions that run for longer than limit, of those that are queued from
// now on. Nil ends that.
func (o *Owner) Watch(e *Engine, limit time.Duration, notify func(Slow)) {
	o.replace(&e.watch, limit, notify)
}

// WatchPool is Watch for all threads of a pool.
func (o *Owner) WatchPool(p *Pool, limit time.Duration, notify func(Slow)) {
	o.replace(&p.watch, limit, notify)
}

func (o *Owner) replace(old *atomic.Pointer[watch], limit time.Duration, notify func(Slow)) {
	var w *watch
	if notify == nil {
		o.notify.Store(nil)
	} else {
		o.notify.Store(&notify)
		w = newWatch(limit, &notify)
	}
	if before := old.Swap(w); before != nil {
		before.end()
	}
}
