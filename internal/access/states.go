package access

import "github.com/threadcall/threadcall/internal/engine"

// A State is what a thread or a pool does, for package recorderhttp.
type State = engine.State

// States returns the states of all threads and pools.
func States() []State { return engine.States() }
