package access

import (
	"context"

	"github.com/threadcall/threadcall/internal/engine"
)

// What threads and pools do, for package recorderhttp.
type (
	State  = engine.State
	Name   = engine.NameState
	Waiter = engine.Waiter
)

// States returns the states of all threads and pools, and the counts of all names.
func States() (states []State, names map[string]*Name) { return engine.States() }

// AddStacks adds the stacks of their threads to states.
func AddStacks(states []State) map[uint64][]Waiter { return engine.AddStacks(states) }

// Cause returns why ctx, which is done, is so, and never nil.
func Cause(ctx context.Context) error { return engine.Cause(ctx) }

// Self returns the engine whose thread the caller is on, or nil.
func Self() *engine.Engine { return engine.Self() }
