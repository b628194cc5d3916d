package access

import (
	"context"

	"github.com/threadcall/threadcall/internal/engine"
)

// A State is what a thread or a pool does, for package recorderhttp.
type State = engine.State

// States returns the states of all threads and pools.
func States() []State { return engine.States() }

// Cause returns why ctx, which is done, is so, and never nil.
func Cause(ctx context.Context) error { return engine.Cause(ctx) }

// Self returns the engine whose thread the caller is on, or nil.
func Self() *engine.Engine { return engine.Self() }
