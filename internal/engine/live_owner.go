package engine

// An Owner has the values of users that may refer to the handle of an engine or a pool: the
// function that is notified of slow functions. The engine has a weak reference to it. Otherwise a
// handle to which such a value refers would never be collected, and its thread never reclaimed.
type Owner struct {
	of     *target
	notify *func(Slow) // guarded by observer.mu
}
