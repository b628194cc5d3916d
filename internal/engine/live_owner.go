package engine

import "github.com/threadcall/threadcall/internal/fault"

// An Owner has the values of users that may refer to the handle of an engine or a pool: the panics
// of posted functions, and the function that is notified of slow ones. The engine has a weak
// reference to it. Otherwise a handle to which such a value refers would never be collected, and
// its thread never reclaimed.
type Owner struct {
	of     *target
	faults fault.List
	notify *func(Slow) // guarded by observer.mu
}

// Fault removes and returns the oldest panic that a posted function left behind. With the last that
// was kept, lost is how many came while there was no room.
func (o *Owner) Fault() (f *fault.Fault, lost int) { return o.faults.Next() }
