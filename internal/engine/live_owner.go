package engine

import "github.com/threadcall/threadcall/internal/fault"

// An Owner has what users put into an engine or a pool and what may refer to the user's own handle
// of it: the panics of posted functions, and the function that is notified of slow ones. The engine
// refers to it weakly. Otherwise a handle that such a value refers to would never be collected, and
// its thread never reclaimed.
type Owner struct {
	of     *target
	faults fault.List
	notify *func(Slow) // guarded by observer.mu
}

// Fault removes and returns the oldest panic that a posted function left behind. With the last that
// was kept, lost is how many came while there was no room.
func (o *Owner) Fault() (f *fault.Fault, lost int) { return o.faults.Next() }
