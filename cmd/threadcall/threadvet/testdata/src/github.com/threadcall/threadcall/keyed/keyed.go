// Package keyed has the functions of the real one, for the tests of the analyzer.
package keyed

import "context"

type (
	Threads[K comparable] struct{}
	Option                func()
)

func New[K comparable](start func(K) error, stop func(K), opts ...Option) *Threads[K] { return nil }

func (k *Threads[K]) Call(ctx context.Context, key K, f func() error) error { return nil }
