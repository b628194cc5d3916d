package engine

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/callq"
)

// An Owner has what users put into an engine or a pool and what may refer to the user's own handle
// of it: the panics of posted functions, and the function that is notified of slow ones. The engine
// refers to it weakly. Otherwise a handle that such a value refers to would never be collected, and
// its thread never reclaimed.
type Owner struct {
	of     *target
	faults faults
	notify atomic.Pointer[func(Slow)]
	mu     sync.Mutex // held while an observer is replaced
}

// Fault removes and returns the oldest panic that a posted function left behind. With the last that
// was kept, lost is how many came while there was no room.
func (o *Owner) Fault() (f *callq.Fault, lost int) { return o.faults.next() }

// Watch has notify called, once for each, about functions that run for longer than limit, and about
// those that have waited for as long, of those that are queued from now on. Nil ends that.
func (o *Owner) Watch(limit time.Duration, notify func(Slow)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	next := new(observer)
	before := o.of.observer.Load()
	if before != nil {
		*next = *before
	}
	next.watch = nil
	if notify == nil {
		o.notify.Store(nil)
	} else {
		o.notify.Store(&notify)
		next.watch = newWatch(o.of, limit, &notify)
	}
	if next.watch == nil && next.stats == nil {
		next = nil
	}
	o.of.observer.Store(next)
	if before != nil {
		before.watch.stop()
	}
}
